'use strict'
/**
 * Return the beginning of a text: at most `most` code units, as Minecraft counts them. It contains no half of a
 * character: a half in the text becomes U+FFFD, and a half at the cut is left out.
 * @param {any} text @param {number} most @returns {string}
 */
module.exports = function cut (text, most) {
  const whole = String(text).toWellFormed()
  const last = whole.charCodeAt(most - 1)
  return whole.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)
}
