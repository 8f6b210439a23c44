'use strict'

/**
 * Read and write lines over stdin and stdout. Both block, so a read of the program waits until Python has answered.
 */

const fs = require('node:fs')

const LONGEST = 512 * 1024
const piece = Buffer.allocUnsafe(65536)
const again = new Int32Array(new SharedArrayBuffer(4))
/** @type {Buffer[]} */
let rest = []

/**
 * Return the next line without its end. If Python has ended, end this process.
 * @returns {string}
 */
function read () {
  for (;;) {
    const last = rest.length ? rest[rest.length - 1] : null
    const end = last ? last.indexOf(10) : -1
    if (last && end >= 0) {
      rest[rest.length - 1] = last.subarray(0, end)
      const line = Buffer.concat(rest).toString('utf8')
      rest = end + 1 < last.length ? [last.subarray(end + 1)] : []
      return line
    }
    const count = attempt(() => fs.readSync(0, piece, 0, piece.length, null))
    if (count === 0) process.exit(0)
    rest.push(Buffer.from(piece.subarray(0, count)))
  }
}

/**
 * Write a line.
 * @param {object} message at most LONGEST characters as JSON
 */
function write (message) {
  let data = Buffer.from(JSON.stringify(message) + '\n')
  while (data.length) data = data.subarray(attempt(() => fs.writeSync(1, data)))
}

/** Repeat an action while the pipe is full or empty. @param {() => number} action */
function attempt (action) {
  for (;;) {
    try {
      return action()
    } catch (error) {
      if (error.code === 'EOF' || error.code === 'EPIPE') process.exit(0)
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(again, 0, 0, 1)
    }
  }
}

module.exports = { read, write, LONGEST }
