'use strict'
/**
 * Let the bot spawn on a server that never reports its health: mineflayer 4.39.0 waits for this packet before it emits
 * `spawn`.
 */

/** @param {Bot} bot */
function spawnWithoutHealth (bot) {
  if (!bot.entity) return
  Object.assign(bot, {
    health: bot.health ?? 20, food: bot.food ?? 20, foodSaturation: bot.foodSaturation ?? 5, isAlive: true
  })
  bot.emit('spawn')
}

module.exports = { spawnWithoutHealth }
