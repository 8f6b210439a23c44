'use strict'
/**
 * The beginning of a text, `most` code units of it at the most, as Minecraft counts them. No half of a character is in
 * it: one that the text holds becomes U+FFFD, and one that the cut would leave is left out.
 * @param {any} text @param {number} most @returns {string}
 */
module.exports = function cut (text, most) {
  const whole = String(text).toWellFormed()
  const last = whole.charCodeAt(most - 1)
  return whole.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)
}
