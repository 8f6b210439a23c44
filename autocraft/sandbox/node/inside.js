/**
 * Make `host` out of one function. This is the only file of ours that runs inside the machine, before anything else.
 * Whatever it uses is kept here, so that a program that changes the built-in objects changes nothing of this.
 * Its value is { host, begin, settle, describe }, of which the program sees `host` alone, if the prelude leaves it.
 */
(function (/** @type {(kind: string, name: string, args: string) => string} */ post) {
  'use strict'
  const { parse, stringify } = JSON
  const { Error, Promise, String, TypeError, WeakSet } = globalThis
  const { create, defineProperty, freeze } = Object
  const { apply } = Reflect
  const { then } = Promise.prototype
  const { charCodeAt, indexOf, slice } = String.prototype
  const { add, has } = WeakSet.prototype
  const waiting = create(null)
  const refused = new WeakSet()
  const FILE = 'program.js:'
  let outstanding = 0
  let lastLine = 0
  let atEnd = () => {}
  /** @type {(message: string) => string} */
  let explain = () => ''

  for (const name of ['prepareStackTrace', 'stackTraceLimit']) {
    defineProperty(Error, name, {
      value: name === 'stackTraceLimit' ? 100 : undefined,
      writable: false,
      configurable: false
    })
  }

  /** The line of the program's own text that a stack leads to, 0 where it leads to none. No regular expression: what
   * @param {unknown} stack
   * one finds is put into an array by way of Object.prototype, which may be the program's. */
  function lineOf (stack) {
    if (typeof stack !== 'string') return 0
    let at = apply(indexOf, stack, [FILE])
    let line = 0
    if (at < 0) return 0
    for (at += FILE.length; ; at++) {
      const digit = apply(charCodeAt, stack, [at]) - 48
      if (!(digit >= 0 && digit <= 9)) return line
      line = line * 10 + digit
    }
  }

  /** @param {string} kind @param {any} name @param {any[]} args */
  function asked (kind, name, args) {
    if (typeof name !== 'string') throw new TypeError('the name of a call must be a text')
    const reply = post(kind, name, stringify(args))
    if (reply[0] === 'e') throw new Error(parse(apply(slice, reply, [1])))
    return apply(slice, reply, [1])
  }

  const host = freeze({
    /**
     * Ask and wait for the answer; no effect. Throws an Error with the reason.
     * @param {any} name @param {...any} args
     */
    read (name, ...args) {
      const text = asked('read', name, args)
      return text === '' ? undefined : parse(text)
    },
    /**
     * Ask for an effect; they are carried out one after the other, in the order in which they were asked for.
     * @param {any} name @param {...any} args
     */
    act (name, ...args) {
      return new Promise((resolve, reject) => {
        const line = lineOf(new Error('').stack) || (outstanding === 0 ? lastLine : 0)
        const id = asked('act', name, args)
        lastLine = line
        outstanding++
        waiting[id] = { resolve, reject, line }
      })
    },
    /** Whether this was thrown because an effect was refused, which is no mere failure. @param {any} error */
    refused (error) {
      return apply(has, refused, [error])
    },
    /** What is called once, when main has returned. @param {any} run */
    atEnd (run) {
      atEnd = run
    },
    /**
     * What may say more about an error that nobody caught: called with its message, gives what is added to it.
     * @param {any} run
     */
    explain (run) {
      explain = run
    },
    /** A line of chat or log, which has no effect. @param {string} text */
    say (text) {
      post('say', String(text), '')
    }
  })

  /** An answer to one effect. @param {string} id @param {string} kind @param {string} text */
  function settle (id, kind, text) {
    const found = waiting[id]
    if (!found) return
    delete waiting[id]
    outstanding--
    lastLine = found.line
    if (kind === 'v') {
      found.resolve(text === '' ? undefined : parse(text))
      return
    }
    const error = new Error(parse(text))
    error.stack = `    at program.js:${found.line}\n` // where it was asked for; here nothing of the program runs
    if (kind === 'r') apply(add, refused, [error])
    found.reject(error)
  }

  /**
   * What was thrown, as JSON; getters and proxies of the program's may run, and may throw in their turn.
   * @param {any} thrown
   */
  function describe (thrown) {
    const said = create(null) // so that no toJSON of the program's is asked
    said.message = 'something that cannot be shown was thrown'
    said.line = 0
    said.refused = false
    try {
      if (typeof thrown === 'object' && thrown !== null) {
        said.refused = apply(has, refused, [thrown])
        said.line = lineOf(thrown.stack)
        const name = thrown.name
        const message = String(thrown.message === undefined ? stringify(thrown) : thrown.message)
        said.message = typeof name === 'string' && name !== 'Error' && name !== '' ? `${name}: ${message}` : message
        said.message = `${said.message}${explain(said.message)}`
      } else {
        said.message = String(thrown)
      }
    } catch {}
    return stringify(said)
  }

  /**
   * Call the main function; `ended` is told how it went: 'returned' and JSON, or 'threw' and what `describe` says.
   * @param {unknown} main @param {unknown} bot @param {(how: string, text: string) => void} ended
   */
  function begin (main, bot, ended) {
    /** @param {any} value */
    const done = (value) => {
      try {
        atEnd()
      } catch (thrown) { // it runs with what the program left of the built-in objects
        failed(thrown)
        return
      }
      let text
      try {
        text = stringify(value)
      } catch {}
      ended('returned', text === undefined ? (value === undefined ? '' : '"(not JSON)"') : text)
    }
    /** @param {any} thrown */
    const failed = (thrown) => ended('threw', describe(thrown))
    try {
      if (typeof main !== 'function') {
        throw new TypeError('when the program has run there is no main function of that name')
      }
      void apply(then, new Promise((resolve) => resolve(main(bot))), [done, failed])
    } catch (thrown) {
      failed(thrown)
    }
  }

  return { host, begin, settle, describe }
})
