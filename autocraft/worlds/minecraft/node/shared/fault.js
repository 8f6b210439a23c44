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

/** Throw a Fault if the bounds forbid something. @param {string} why or '' */
function checkBounds (why) {
  if (why) throw new Fault(`Out of bounds: ${why}`, 'bounds')
}

/** Errors that JavaScript itself throws. Their messages say nothing to a player. */
const OWN = [TypeError, ReferenceError, RangeError]

/** Return in words for a player why something failed. What JavaScript throws is only logged. @param {any} error */
function reasonOf (error) {
  if (!OWN.some((each) => error instanceof each)) return String(error?.message || error)
  console.error(error)
  return 'the bot met something that it does not know, such as an item of a mod: try something else'
}

module.exports = { Fault, checkBounds, reasonOf }
