'use strict'
/**
 * Exchange lines with Python, one JSON value each, for the bot and the practice server. Requests come over stdin,
 * answers and events go over stdout, and what libraries print goes to stderr, which is the log.
 *
 *   from Python  {"id": 1, "method": "dig", "params": {…}, "seconds": 60}    a request
 *                {"cancel": 1}                                               stop that request
 *   to Python    {"id": 1, "result": …}                                      it was carried out
 *                {"id": 1, "error": {"kind": …, "text": …, "said": […]}}     it failed; `kind` is that of a Fault
 *                {"event": "chat", …}                                        something happened
 * Each line of the bot also has the world's clock: "age", in game ticks.
 */
const readline = require('node:readline')
const { format, stripVTControlCharacters } = require('node:util')
const cut = require('./cut')
const { Fault, reasonOf } = require('./fault')

const LONGEST_ERROR = 1000

const write = process.stdout.write.bind(process.stdout)
Object.assign(console, { log, info: log, debug: log, trace: log, warn: log, error: log })
process.stderr.on('error', () => {}) // if Python is dead, logging this error would fail again, without end

/** Write to the log, without control sequences that would move the cursor of a terminal. @param {...unknown} words */
function log (...words) {
  process.stderr.write(`${stripVTControlCharacters(format(...words))}\n`)
}

/** Returns what every line carries in addition to its message. @type {() => object} */
let stamp = () => ({})

/** @param {object} message */
function send (message) {
  write(JSON.stringify({ ...message, ...stamp() }) + '\n')
}

/** Add more to every line. @param {() => object} more returns it */
function stampWith (more) {
  stamp = more
}

/**
 * Answer requests until stdin ends. It ends when Python is gone or wants this process to leave.
 * @param {{
 *   carryOut: (request: Request) => unknown, cancel?: (id: number) => void, leave: () => unknown
 * }} parts `carryOut` returns the result or a promise of it, or throws
 */
function serve ({ carryOut, cancel = () => {}, leave }) {
  const reader = readline.createInterface({ input: process.stdin, crlfDelay: Infinity })
  reader.on('line', (line) => {
    const request = parse(line)
    if (request === null) {
      return send({ id: null, error: problem(new Fault('send one JSON object on one line', 'invalid')) })
    }
    if (request.cancel !== undefined) return cancel(request.cancel)
    void answer(request, carryOut)
  })
  reader.on('close', leave)
  process.stdout.on('error', leave)
}

/** @param {string} line @returns {any} the object in it, null if there is none */
function parse (line) {
  try {
    const value = JSON.parse(line)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** @param {Request} request @param {(request: Request) => unknown} carryOut */
async function answer (request, carryOut) {
  const id = request.id ?? null
  try {
    const result = await carryOut({ ...request, params: request.params ?? {} })
    send({ id, result: result ?? null })
  } catch (error) {
    send({ id, error: problem(error) })
  }
}

/** Return an error as part of an answer. An error that is no Fault is also logged in full. @param {any} error */
function problem (error) {
  if (!(error instanceof Fault)) log(error)
  return { kind: error instanceof Fault ? error.kind : 'failed', text: lineOf(error), said: error?.said ?? [] }
}

/** Return the first line of an error's message. @param {any} error */
function lineOf (error) {
  return cut(reasonOf(error).split('\n')[0], LONGEST_ERROR)
}

module.exports = { lineOf, log, send, serve, stampWith }
