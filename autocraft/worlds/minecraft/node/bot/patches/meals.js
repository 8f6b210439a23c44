'use strict'
/**
 * Wait until a meal is eaten. mineflayer 4.39.0 gives up after 2.5 seconds, and a slow server takes longer. It also
 * takes any change of the inventory for the end of the meal, such as an item that the bot picks up meanwhile.
 */

const LONGEST = 8500 // milliseconds

/**
 * Eat what is in the hand. Return when it is eaten, or after LONGEST.
 * @param {Bot} bot @param {Task} task @param {() => boolean} isEaten by what the server says of food and inventory
 */
async function consume (bot, task, isEaten) {
  const ends = Date.now() + LONGEST
  try {
    await task.wait(bot.consume(), LONGEST / 1000, 'eating')
  } catch (error) {
    task.goOnAfter(error)
  }
  while (!isEaten() && Date.now() < ends) await task.ticks(2)
}

module.exports = { consume }
