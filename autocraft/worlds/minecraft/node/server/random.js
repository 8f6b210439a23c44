'use strict'
/** Make repeatable random numbers: a hash of integers, and a stream of numbers whose state can be saved. */

/** @param {...number} parts integers @returns {number} an unsigned 32-bit number */
function hash (...parts) {
  let h = 0x9e3779b9
  for (const part of parts) {
    h = Math.imul(h ^ (part | 0), 0x85ebca6b)
    h ^= h >>> 13
    h = Math.imul(h, 0xc2b2ae35)
    h ^= h >>> 16
  }
  return h >>> 0
}

/** @param {string} text @returns {number} an integer for a name, to tell streams of one seed apart */
function hashText (text) {
  return hash(...Array.from(text, (c) => c.charCodeAt(0)))
}

class Random {
  /** @param {number} state a 32-bit integer */
  constructor (state) {
    this.state = state | 0
  }

  /** @returns {number} 0 <= x < 1 */
  next () {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** @param {number} n @returns {number} an integer 0 <= i < n */
  int (n) {
    return Math.floor(this.next() * n)
  }

  /** @param {number} low @param {number} high @returns {number} an integer low <= i <= high */
  between (low, high) {
    return low + this.int(high - low + 1)
  }

  /** @param {number} p */
  chance (p) {
    return this.next() < p
  }

  /** @param {any[]} list */
  pick (list) {
    return list[this.int(list.length)]
  }
}

module.exports = { hash, hashText, Random }
