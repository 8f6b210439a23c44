'use strict'
/** What is thrown on purpose: `kind` is told to Python, the message to the model and the person. */
class Fault extends Error {
  /** @param {string} text @param {string} [kind] failed, cancelled, bounds, dead, kicked, lost, limit or invalid */
  constructor (text, kind = 'failed') {
    super(text)
    this.kind = kind
    /** What was done before it. @type {string[]} */
    this.said = []
  }
}

module.exports = { Fault }
