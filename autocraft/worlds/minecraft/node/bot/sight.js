'use strict'
/**
 * Find what lies in a straight line from the eyes. mineflayer's own blockAtCursor sees nothing when it looks exactly
 * north.
 */
const EYES = 1.62

/** @param {Bot} bot */
const eyes = (bot) => bot.entity.position.offset(0, bot.entity.eyeHeight || EYES, 0)

/**
 * The first block on the way to a point, with the `face` on which the line enters it; null where there is none.
 * @param {Bot} bot @param {Vec3} point @param {number} far @param {((block: Block) => boolean) | null} [matcher] which
 * blocks count
 */
function towards (bot, point, far, matcher = null) {
  return bot.world.raycast(eyes(bot), point.minus(eyes(bot)).normalize(), far, matcher)
}

/**
 * The same, where the bot looks now.
 * @param {Bot} bot @param {number} far @param {((block: Block) => boolean) | null} [matcher]
 */
function ahead (bot, far, matcher = null) {
  const { yaw, pitch } = bot.entity
  const way = eyes(bot).set(-Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), -Math.cos(yaw) * Math.cos(pitch))
  return bot.world.raycast(eyes(bot), way, far, matcher)
}

module.exports = { ahead, eyes, towards }
