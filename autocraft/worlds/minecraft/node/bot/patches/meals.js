'use strict'
/** Wait longer for a meal than mineflayer 4.39.0, which gives up after 2.5 seconds. A slow server takes longer. */

/**
 * Eat what is in the hand. Return when it is eaten, or after more than 8 seconds.
 * @param {Bot} bot @param {Task} task @param {() => boolean} isEaten
 */
async function consume (bot, task, isEaten) {
  let most = 20 // ticks, since the server reports food and inventory separately
  try {
    await task.wait(bot.consume(), 10, 'eating')
  } catch (error) {
    if (task.stopped || (error.kind && error.kind !== 'failed')) throw error
    most = 120
  }
  for (let waited = 0; waited < most && !isEaten(); waited += 2) await task.ticks(2)
}

module.exports = { consume }
