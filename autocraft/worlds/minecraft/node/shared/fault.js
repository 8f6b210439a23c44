'use strict'
/** Define the error that is thrown on purpose. Python gets its `kind`; the model and the person get its message. */
class Fault extends Error {
  /**
   * @param {string} text
   * @param {string} [kind] failed, cancelled, bounds, danger, dead, kicked, lost, limit or invalid
   */
  constructor (text, kind = 'failed') {
    super(text)
    this.kind = kind
    /** What was done before the error. @type {string[]} */
    this.said = []
  }
}

module.exports = { Fault }
