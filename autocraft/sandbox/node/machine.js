'use strict'

/** Run one machine: QuickJS as WebAssembly, with its limits, and with `inside.js` in it. */

const fs = require('node:fs')
const path = require('node:path')
const { createRequire } = require('node:module')
const { LONGEST } = require('./lines.js')

const PAGE = 65536
const FIRST_PAGES = 256 // for the engine's own stack and data, as it was built
const STEPS = 10000 // between two checks of the interpreter
const DEEPEST = 64
const NEARLY = 0.75 // of all memory; above it, a failure without another reason is for lack of memory
const JOBS = 100 // between two checks of the limits

class Machine {
  /**
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
    /** What inside.js gives. @type {any} */
    this.begin = this.settle = this.describe = undefined
    this.looks = 0
    this.stop = () => false
    this.over = '' // the limit that was passed
    this.runtime.setInterruptHandler(() => {
      this.looks++
      return Boolean(this.over) || this.stop()
    })
  }

  get steps () {
    return this.looks * STEPS
  }

  /**
   * Count the steps from here on, and end the program where `stop` says which limit is passed.
   * @param {() => string} stop
   */
  watch (stop) {
    this.looks = 0
    this.stop = () => Boolean(this.over = stop())
  }

  /**
   * Put `host` into the machine; `post(kind, name, args)` gets every call of it, and returns a text.
   * @param {(kind: string, name: string, args: string) => string} post
   */
  open (post) {
    const { context } = this
    const made = this.evaluate(fs.readFileSync(path.join(__dirname, 'inside.js'), 'utf8'), 'inside.js')
    const handed = context.newFunction('post', (kind, name, args) => {
      const [asked, called] = [context.getString(kind), context.getString(name)]
      try {
        return context.newString(post(asked, called, context.typeof(args) === 'string' ? context.getString(args) : ''))
      } catch (error) {
        return context.newString(`e${JSON.stringify(error.message)}`)
      }
    })
    const inside = context.unwrapResult(context.callFunction(made, context.undefined, handed))
    this.begin = context.getProp(inside, 'begin')
    this.settle = context.getProp(inside, 'settle')
    this.describe = context.getProp(inside, 'describe')
    context.setProp(context.global, 'host', context.getProp(inside, 'host'))
  }

  /** Run a script. Throws Thrown. @param {string} code @param {string} name */
  evaluate (code, name) {
    return this.unwrap(this.context.evalCode(code, name, { type: 'global' }))
  }

  /** The value of a result. Throws Thrown, which has what the machine says of it. @param {any} result */
  unwrap (result) {
    if (!result.error) return result.value
    if (!this.describe) throw new Error(JSON.stringify(this.context.dump(result.error)))
    const said = this.context.callFunction(this.describe, this.context.undefined, result.error)
    if (said.error) throw new Thrown({ message: 'something that cannot be shown was thrown', line: 0 })
    throw new Thrown(JSON.parse(this.context.getString(said.value)))
  }

  /**
   * Call the function of that name with the global `bot`; `ended(how, text)` is called when it has ended.
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

  /** Carry on until nothing of the program can run. */
  runJobs () {
    while (!this.over && this.runtime.hasPendingJob()) {
      const result = this.runtime.executePendingJobs(JOBS)
      if (result.error) this.unwrap(result)
    }
  }

  /** An effect is answered. @param {string} id @param {string} kind @param {string} text */
  answer (id, kind, text) {
    const { context } = this
    const args = [id, kind, text].map((each) => context.newString(each))
    this.unwrap(context.callFunction(this.settle, context.undefined, ...args)).dispose()
    for (const each of args) each.dispose()
  }
}

/** What a program threw: `said` is {message, line, refused}. */
class Thrown extends Error {
  /** @param {{message: string, line: number, refused?: boolean}} said */
  constructor (said) {
    super(said.message)
    this.said = said
  }
}

/**
 * The arguments of a call, from the text that the machine made of them. Throws where they cannot be sent.
 * @param {string} text
 */
function argumentsOf (text) {
  if (text.length > LONGEST / 2) throw new Error('the arguments of a call are too long')
  const args = text === '' ? null : JSON.parse(wellFormed(text))
  if (!Array.isArray(args)) throw new Error('the arguments of a call are not JSON')
  if (isDeep(text, args)) throw new Error('the arguments of a call are nested too deeply')
  return args
}

/** The JSON of what was returned, as another reader of JSON can take it. @param {string} text */
function valueOf (text) {
  const whole = wellFormed(text)
  return text !== '' && isDeep(whole, JSON.parse(whole)) ? '"(nested too deeply)"' : whole
}

/** JSON without halves of surrogate pairs, which are no text to anybody else. @param {string} json */
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
