'use strict'
/**
 * Tells when a person declines the sign-in at Microsoft. prismarine-auth 3.1.1 only writes that to `console.debug`, and
 * goes on asking until the code has run out.
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
