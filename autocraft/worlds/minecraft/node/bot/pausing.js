'use strict'
/** Pause long work, so that the process can answer other requests. */
const { real } = require('./clock')

const LONGEST = 10 // milliseconds of work between two pauses

/**
 * Return a function to await between pieces of long work. If the last pause is long enough ago, it first lets
 * everything else run that waits, such as the answer to a ping.
 * @param {number} [longest] milliseconds of work between two pauses
 * @returns {() => Promise<void>}
 */
function pausing (longest = LONGEST) {
  let begun = process.hrtime.bigint()
  return async () => {
    if (process.hrtime.bigint() - begun < BigInt(longest) * 1000000n) return
    await new Promise((resolve) => { real.setImmediate(resolve) })
    begun = process.hrtime.bigint()
  }
}

module.exports = { pausing }
