'use strict'
/**
 * One JSON value a line: requests come over stdin, replies and events go over stdout. What libraries print goes to
 * stderr, which is the log.
 */
const readline = require('node:readline')
const cut = require('./cut')

const write = process.stdout.write.bind(process.stdout)
Object.assign(console, { log: console.error, info: console.error, debug: console.error, trace: console.error })
process.stderr.on('error', () => {}) // with Python dead, an error about it would be logged, fail again, and never end

/** @param {object} message */
function send (message) {
  write(JSON.stringify(message) + '\n')
}

/**
 * @param {(message: any) => void} onMessage called with each object that arrives
 * @param {() => void} onEnd called when stdin has ended: whoever started us is gone or wants us to leave
 */
function listen (onMessage, onEnd) {
  const reader = readline.createInterface({ input: process.stdin, crlfDelay: Infinity })
  reader.on('line', (line) => {
    let message
    try { message = JSON.parse(line) } catch { return send({ event: 'unreadable', text: cut(line, 200) }) }
    if (message && typeof message === 'object') onMessage(message)
  })
  reader.on('close', onEnd)
  process.stdout.on('error', onEnd)
}

module.exports = { send, listen }
