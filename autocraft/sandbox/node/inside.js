/**
 * Make `host` out of one function. This is the first file that runs inside the machine.
 * It stores all built-in functions that it uses, so that a program that changes built-in objects does not affect it.
 * Its value is { host, begin, settle, describe, here }. The program sees only `host`, unless the prelude deletes it.
 */
(function (/** @type {(kind: string, name: string, args: string) => string} */ post) {
  'use strict'
  const { parse, stringify } = JSON
  const { Error, Promise, String, TypeError, WeakSet } = globalThis
  const { create, defineProperty, freeze } = Object
  const { apply } = Reflect
  const { then } = Promise.prototype
  const { charCodeAt, indexOf, lastIndexOf, slice } = String.prototype
  const { add, has } = WeakSet.prototype
  const { get: trailOf, set: setTrail } = WeakMap.prototype
  const waiting = create(null)
  const refused = new WeakSet()
  /** Error -> where it passed through skills: { places: [[skill, line], …], line of the program, stack }. */
  const trails = new WeakMap()
  const FILE = 'program.js:'
  /** The file name that the engine gives to a skill, which `Function` makes with two lines before it. */
  const SKILL = '<input>:'
  const BEFORE = 2
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

  /**
   * Return the line of the program's text in a stack, or 0 if it has none. A regular expression is not safe here, since
   * its result is an array, and the program may have changed Object.prototype.
   * @param {unknown} stack @param {string} [file] of the text
   */
  function lineOf (stack, file = FILE) {
    if (typeof stack !== 'string') return 0
    let at = apply(indexOf, stack, [file])
    let line = 0
    if (at < 0) return 0
    for (at += file.length; ; at++) {
      const digit = apply(charCodeAt, stack, [at]) - 48
      if (!(digit >= 0 && digit <= 9)) return line
      line = line * 10 + digit
    }
  }

  /** Return the function of the program that a stack names first, or ''. @param {unknown} stack */
  function functionOf (stack) {
    if (typeof stack !== 'string') return ''
    const at = apply(indexOf, stack, [` (${FILE}`])
    const begin = at < 0 ? -1 : apply(lastIndexOf, stack, ['at ', at])
    return begin < 0 ? '' : apply(slice, stack, [begin + 3, at])
  }

  /** @param {string} kind @param {any} name @param {any[]} args */
  function ask (kind, name, args) {
    if (typeof name !== 'string') throw new TypeError('the name of a call must be a text')
    const reply = post(kind, name, stringify(args))
    if (reply[0] === 'e') throw new Error(parse(apply(slice, reply, [1])))
    return apply(slice, reply, [1])
  }

  const host = freeze({
    /**
     * Read a value, without any effect. Throws an Error with the reason.
     * @param {any} name @param {...any} args
     */
    read (name, ...args) {
      const text = ask('read', name, args)
      return text === '' ? undefined : parse(text)
    },
    /**
     * Request an effect. Effects are carried out one after the other, in the order of the requests.
     * @param {any} name @param {...any} args
     */
    act (name, ...args) {
      return new Promise((resolve, reject) => {
        const stack = new Error('').stack
        const line = lineOf(stack) || (outstanding === 0 ? lastLine : 0)
        const id = ask('act', name, args)
        lastLine = line
        outstanding++
        waiting[id] = { resolve, reject, line, stack: lineOf(stack, SKILL) || lineOf(stack) ? stack : '' }
      })
    },
    /** Return whether this error means that an effect was refused, and not that it failed. @param {any} error */
    refused (error) {
      return apply(has, refused, [error])
    },
    /** Set the function that is called once, after main has returned. @param {any} run */
    atEnd (run) {
      atEnd = run
    },
    /**
     * Set the function that explains an uncaught error. It takes the message, and returns an addition to it.
     * @param {any} run
     */
    explain (run) {
      explain = run
    },
    /** Report that a saved skill was entered. @param {any} name */
    enter (name) {
      post('skill', String(name), '')
    },
    /**
     * Report that an error left a saved skill, which was called from a place with this stack.
     * @param {any} error @param {any} name @param {any} caller
     */
    leave (error, name, caller) {
      post('threw', String(name), '')
      if (typeof error !== 'object' || error === null) return
      const trail = apply(trailOf, trails, [error]) || { places: create(null), count: 0, line: 0, stack: error.stack }
      const line = lineOf(trail.stack, SKILL)
      trail.places[trail.count++] = freeze({ skill: String(name), line: line > BEFORE ? line - BEFORE : 0 })
      trail.stack = caller
      trail.line = lineOf(caller) || trail.line
      apply(setTrail, trails, [error, trail])
    },
    /** Write a line of chat or log, which has no effect. @param {string} text */
    say (text) {
      post('say', String(text), '')
    }
  })

  /** Settle one effect by its answer. @param {string} id @param {string} kind @param {string} text */
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
    // the place of the request, since no code of the program runs here
    error.stack = found.stack || `    at program.js:${found.line}\n`
    if (kind === 'r') apply(add, refused, [error])
    found.reject(error)
  }

  /**
   * Return a thrown value as JSON. Getters and proxies of the program may run here, and may throw.
   * @param {any} thrown
   */
  function describe (thrown) {
    const said = create(null) // without a toJSON of the program
    said.message = 'something that cannot be shown was thrown'
    said.line = 0
    said.inside = ''
    said.skills = create(null)
    said.refused = false
    try {
      if (typeof thrown === 'object' && thrown !== null) {
        said.refused = apply(has, refused, [thrown])
        const trail = apply(trailOf, trails, [thrown])
        said.line = trail ? trail.line : lineOf(thrown.stack)
        said.inside = trail ? '' : functionOf(thrown.stack)
        if (trail) said.skills = trail.places
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
   * Call the main function, and then `ended` with 'returned' and JSON, or with 'threw' and the value of `describe`.
   * @param {unknown} main @param {unknown} bot @param {(how: string, text: string) => void} ended
   */
  function begin (main, bot, ended) {
    /** @param {any} value */
    const done = (value) => {
      try {
        atEnd()
      } catch (thrown) { // the program may have changed the built-in objects
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

  /** Return the line of the program's last call, or 0. */
  const here = () => lineOf(new Error('').stack)

  return { host, begin, settle, describe, here }
})
