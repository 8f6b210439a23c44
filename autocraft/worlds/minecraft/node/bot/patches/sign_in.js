'use strict'
/**
 * Tell when a person declines the sign-in at Microsoft. prismarine-auth 3.1.1 only writes that to `console.debug`, and
 * asks on until the code has expired.
 */

/** @param {() => void} declined */
function onDeclined (declined) {
  const log = console.debug
  console.debug = (...words) => {
    log(...words)
    if (words.some((each) => /authorization_declined/.test(String(each?.message)))) declined()
  }
}

module.exports = { onDeclined }
