'use strict'

/**
 * Run one program in one process: `node main.js NODE_MODULES`, with lines over stdin and stdout.
 *
 *   from Python  {"memory", "stack", "prelude"}         at once; answered by {"ready": true}; the prelude asks nothing
 *                {"code", "main", "steps", "seconds"}   once
 *                vJSON | eTEXT                          the answer to a read: its value, its failure
 *                ID v JSON | ID e TEXT | ID r TEXT      the answer to an effect: its value, failure or refusal
 *   to Python    {"read", "args"}  {"act", "args", "id"}  {"say"}  {"skill", "threw"}  {"wait", "ended"}  {"end"}
 *
 * programs.py is the other end, and does not trust these lines. README.md says why they differ from the lines of the
 * Minecraft world.
 */

const lines = require('./lines.js')
const { Machine, Thrown, argumentsOf, valueOf } = require('./machine.js')

const LONGEST_SAID = 16384
/** The errors of a full memory: in a regular expression, with no memory left to make an error, or to describe it. */
const WITHOUT_ROOM = new Set(['SyntaxError: out of memory', 'null', 'something that cannot be shown was thrown'])
const RECURSION = 'too much recursion: a function called itself too often, or something is nested too deeply'

async function main () {
  const asked = JSON.parse(lines.read())
  const machine = await Machine.make(process.argv[2], asked)
  const program = new Program(machine)
  machine.open((kind, name, args) => program.post(kind, name, args))
  machine.evaluate(asked.prelude, 'prelude.js')
  lines.write({ ready: true })
  lines.write({ end: program.run(JSON.parse(lines.read())) })
}

class Program {
  /** @param {Machine} machine */
  constructor (machine) {
    this.machine = machine
    this.asked = 0
    this.outstanding = 0
    this.waited = 0n // nanoseconds of waiting, which are not counted as the program's own time
    this.result = null
  }

  /**
   * Handle a call of `host`. Return the value for the machine.
   * @param {string} kind @param {string} name @param {string} args
   */
  post (kind, name, args) {
    if (kind === 'say') {
      lines.write({ say: cut(name) })
      return ''
    }
    if (kind === 'skill' || kind === 'threw') {
      lines.write({ skill: cut(name), threw: kind === 'threw' })
      return ''
    }
    if (name.length > 100) throw new Error('there is no call of such a long name')
    if (kind === 'read') {
      lines.write({ read: name, args: argumentsOf(args) })
      return this.pause()
    }
    const id = this.asked + 1
    lines.write({ act: name, args: argumentsOf(args), id })
    this.asked = id
    this.outstanding++
    return `v${id}`
  }

  /** Return the next line from Python. The clock stands still meanwhile. */
  pause () {
    const before = process.hrtime.bigint()
    const line = lines.read()
    this.waited += process.hrtime.bigint() - before
    return line
  }

  /**
   * Run the program to its end, and return how it ended.
   * @param {{code: string, main: string, steps: number, seconds: number}} parts
   */
  run ({ code, main, steps, seconds }) {
    const { machine } = this
    const started = process.hrtime.bigint()
    const longest = BigInt(Math.round(seconds * 1e9))
    machine.watch(() => {
      if (machine.steps > steps) return 'steps'
      return process.hrtime.bigint() - started - this.waited > longest ? 'seconds' : ''
    })
    try {
      machine.evaluate(code, 'program.js')
      machine.start(main, (how, text) => { this.result = [how, text] })
      this.carryOn()
    } catch (error) {
      return this.failed(error)
    }
    if (machine.over) return { kind: 'limit', which: machine.over, line: machine.lastCall }
    if (!this.result) return { kind: 'limit', which: 'nothing left to wait for' }
    const [how, text] = this.result
    return how === 'returned' ? { kind: how, value: valueOf(text) } : this.threw(JSON.parse(text))
  }

  /** Run until main has failed, or main has returned and its last effect is answered, or nothing more can happen. */
  carryOn () {
    const { machine } = this
    for (;;) {
      machine.runJobs()
      if (machine.over || !this.outstanding || (this.result && this.result[0] === 'threw')) return
      lines.write({ wait: true, ended: Boolean(this.result) })
      const line = this.pause()
      const [id, kind] = line.split(' ', 2)
      this.outstanding--
      machine.answer(id, kind, line.slice(id.length + kind.length + 2))
    }
  }

  /** @param {any} error */
  failed (error) {
    const { over, isFull } = this.machine
    if (over) return { kind: 'limit', which: over, line: this.machine.lastCall }
    if (error instanceof Thrown) return this.threw(error.said)
    if (error instanceof RangeError) return { kind: 'threw', message: RECURSION, line: 0 }
    return { kind: 'limit', which: isFull() ? 'memory' : 'process', message: cut(error) }
  }

  /** @param {{message: string, line: number, refused?: boolean, inside?: string, skills?: object}} parts */
  threw ({ message, line, refused, inside = '', skills = {} }) {
    const full = message === 'InternalError: out of memory' || (WITHOUT_ROOM.has(message) && this.machine.isFull())
    if (full) return { kind: 'limit', which: 'memory', line }
    if (/^(Internal|Syntax)Error: stack overflow$/.test(message)) message = RECURSION
    return { kind: refused ? 'refused' : 'threw', message: cut(message), line, inside, skills: Object.values(skills) }
  }
}

/**
 * Return the beginning of a text. A half of a character becomes U+FFFD, and one at the cut is left out.
 * @param {string} text
 */
function cut (text) {
  const whole = String(text).toWellFormed()
  const last = whole.charCodeAt(LONGEST_SAID - 1)
  return whole.slice(0, last >= 0xd800 && last < 0xdc00 ? LONGEST_SAID - 1 : LONGEST_SAID)
}

main().catch((error) => {
  lines.write({ failed: cut(error.message) })
  process.exit(1)
})
