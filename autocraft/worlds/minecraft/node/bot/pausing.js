'use strict'
/** Pause long work, so that the process answers whatever else waits. */
const { real } = require('./clock')

const LONGEST = 10 // milliseconds of work at a stretch

/**
 * Make a function to await between pieces of long work: when the last pause is some milliseconds ago, it lets whatever
 * else waits run first, such as the answer to whether this process lives.
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
