'use strict'
/**
 * Return a function that computes its value at its first call.
 * @template T @param {() => T} find @returns {() => T}
 */
function once (find) {
  /** @type {[T] | null} */
  let known = null
  return () => (known ??= [find()])[0]
}

module.exports = { once }
