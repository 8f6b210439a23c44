'use strict'

/** Run one machine: QuickJS as WebAssembly, with its limits, and with `inside.js` in it. */

const fs = require('node:fs')
const path = require('node:path')
const { createRequire } = require('node:module')
const { LONGEST } = require('./lines.js')

const PAGE = 65536
const FIRST_PAGES = 256 // for the engine's own stack and data, as the engine was built
const STEPS = 10000 // between two checks of the interpreter
const DEEPEST = 64
const NEARLY = 0.75 // of all memory: above it, a failure without another reason is taken for a lack of memory
const JOBS = 100 // between two checks of the limits

class Machine {
  /**
   * Make a machine.
   * @param {string} modules the absolute path of `node_modules`
   * @param {{memory: number, stack: number}} limits in MB and KB
   * @returns {Promise<Machine>}
   */
  static async make (modules, limits) {
    const from = createRequire(path.join(modules, 'x.js'))
    const { newQuickJSWASMModuleFromVariant, newVariant } = from('quickjs-emscripten-core')
    const variant = from('@jitl/quickjs-wasmfile-release-sync').default
    const maximum = FIRST_PAGES + limits.memory * 1024 * 1024 / PAGE
    const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum })
    const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }))
    return new Machine(engine, limits, () => wasmMemory.buffer.byteLength > maximum * PAGE * NEARLY)
  }

  /**
   * @param {import('quickjs-emscripten-core').QuickJSWASMModule} engine
   * @param {{memory: number, stack: number}} limits @param {() => boolean} isFull
   */
  constructor (engine, limits, isFull) {
    this.isFull = isFull
    this.runtime = engine.newRuntime()
    this.runtime.setMemoryLimit(limits.memory * 1024 * 1024)
    this.runtime.setMaxStackSize(limits.stack * 1024)
    this.context = this.runtime.newContext()
    /** A function of inside.js. @type {any} */
    this.begin = this.settle = this.describe = this.here = undefined
    this.looks = 0
    this.stop = () => false
    this.over = '' // the limit that was exceeded, or '' while none is
    this.lastCall = 0 // the line of the last call before it was exceeded, or 0 if there was none
    this.looking = false // whether autocraft's own code runs, which no limit ends
    this.runtime.setInterruptHandler(() => {
      if (this.looking) return false
      this.looks++
      if (this.over) return true
      if (!this.stop()) return false
      this.lastCall = this.lineNow()
      return true
    })
  }

  get steps () {
    return this.looks * STEPS
  }

  /**
   * Count the steps from here on, and end the program when `stop` returns which limit is exceeded.
   * @param {() => string} stop
   */
  watch (stop) {
    this.looks = 0
    this.stop = () => Boolean(this.over = stop())
  }

  /** Return the line of the program's last call, or 0 if there is none. No limit ends this. */
  lineNow () {
    if (!this.here) return 0
    this.looking = true
    try {
      const found = this.context.callFunction(this.here, this.context.undefined)
      return found.error ? 0 : this.context.getNumber(found.value)
    } finally {
      this.looking = false
    }
  }

  /**
   * Put `host` into the machine. Each call of `host` calls `post(kind, name, args)`, which returns a text.
   * @param {(kind: string, name: string, args: string) => string} post
   */
  open (post) {
    const { context } = this
    const script = this.evaluate(fs.readFileSync(path.join(__dirname, 'inside.js'), 'utf8'), 'inside.js')
    const handed = context.newFunction('post', (kind, name, args) => {
      const [asked, called] = [context.getString(kind), context.getString(name)]
      try {
        return context.newString(post(asked, called, context.typeof(args) === 'string' ? context.getString(args) : ''))
      } catch (error) {
        return context.newString(`e${JSON.stringify(error.message)}`)
      }
    })
    const inside = context.unwrapResult(context.callFunction(script, context.undefined, handed))
    this.begin = context.getProp(inside, 'begin')
    this.settle = context.getProp(inside, 'settle')
    this.describe = context.getProp(inside, 'describe')
    this.here = context.getProp(inside, 'here')
    context.setProp(context.global, 'host', context.getProp(inside, 'host'))
  }

  /** Run a script. Throws Thrown if the script throws. @param {string} code @param {string} name */
  evaluate (code, name) {
    return this.unwrap(this.context.evalCode(code, name, { type: 'global' }))
  }

  /**
   * Return the value of a result. Throws Thrown, with the machine's description, if the result is an error.
   * @param {any} result
   */
  unwrap (result) {
    if (!result.error) return result.value
    if (!this.describe) throw new Error(JSON.stringify(this.context.dump(result.error)))
    const said = this.context.callFunction(this.describe, this.context.undefined, result.error)
    if (said.error) throw new Thrown({ message: 'something that cannot be shown was thrown', line: 0 })
    throw new Thrown(JSON.parse(this.context.getString(said.value)))
  }

  /**
   * Call the function named `main` with the global `bot`. When it has ended, call `ended(how, text)`.
   * @param {string} main @param {(how: string, text: string) => void} ended
   */
  start (main, ended) {
    const { context } = this
    const found = this.evaluate(`typeof ${main} === 'undefined' ? undefined : ${main}`, 'inside.js')
    const handed = context.newFunction('ended', (how, text) => ended(context.getString(how), context.getString(text)))
    this.unwrap(
      context.callFunction(this.begin, context.undefined, found, context.getProp(context.global, 'bot'), handed)
    )
  }

  /** Run jobs of the program until none can run. */
  runJobs () {
    while (!this.over && this.runtime.hasPendingJob()) {
      const result = this.runtime.executePendingJobs(JOBS)
      if (result.error) this.unwrap(result)
    }
  }

  /** Give the program the answer to an effect. @param {string} id @param {string} kind @param {string} text */
  answer (id, kind, text) {
    const { context } = this
    const args = [id, kind, text].map((each) => context.newString(each))
    this.unwrap(context.callFunction(this.settle, context.undefined, ...args)).dispose()
    for (const each of args) each.dispose()
  }
}

/** Says that a program threw something: `said` is {message, line, refused}. */
class Thrown extends Error {
  /** @param {{message: string, line: number, refused?: boolean}} said */
  constructor (said) {
    super(said.message)
    this.said = said
  }
}

/**
 * Return the arguments of a call from the text that the machine made of them. Throws an Error if they cannot be sent.
 * @param {string} text
 */
function argumentsOf (text) {
  if (text.length > LONGEST / 2) throw new Error('the arguments of a call are too long')
  const args = text === '' ? null : JSON.parse(wellFormed(text))
  if (!Array.isArray(args)) throw new Error('the arguments of a call are not JSON')
  if (isDeep(text, args)) throw new Error('the arguments of a call are nested too deeply')
  return args
}

/** Return the JSON of a returned value in a form that every reader of JSON accepts. @param {string} text */
function valueOf (text) {
  const whole = wellFormed(text)
  return text !== '' && isDeep(whole, JSON.parse(whole)) ? '"(nested too deeply)"' : whole
}

/** Return JSON without unpaired surrogates, since other programs do not accept them as text. @param {string} json */
function wellFormed (json) {
  return json.replace(/\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/g, (found) => found.length > 2 ? '\\ufffd' : found)
}

/** @param {string} text @param {any} value */
function isDeep (text, value) {
  return text.length > DEEPEST && depth(value) > DEEPEST
}

/** @param {any} value */
function depth (value) {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((most, each) => Math.max(most, depth(each)), 0)
}

module.exports = { Machine, Thrown, argumentsOf, valueOf }
