'use strict'
/** Define what is thrown on purpose: Python is told its `kind`, the model and the person its message. */
class Fault extends Error {
  /**
   * @param {string} text
   * @param {string} [kind] failed, cancelled, bounds, danger, dead, kicked, lost, limit or invalid
   */
  constructor (text, kind = 'failed') {
    super(text)
    this.kind = kind
    /** What was done before it. @type {string[]} */
    this.said = []
  }
}

module.exports = { Fault }
