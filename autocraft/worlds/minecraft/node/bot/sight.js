'use strict'
/**
 * Find what lies in a straight line from the eyes. mineflayer's own blockAtCursor finds nothing when the bot looks
 * exactly north.
 */
const need = require('../shared/need')

const { Vec3 } = need('vec3')
const { RaycastIterator } = need('prismarine-world').iterators

const EYES = 1.62

/** @param {Bot} bot */
const eyes = (bot) => bot.entity.position.offset(0, bot.entity.eyeHeight || EYES, 0)

/**
 * Return the first block on the line to a point, with the `face` through which the line enters it, or null.
 * @param {Bot} bot @param {Vec3} point @param {number} far @param {((block: Block) => boolean) | null} [matcher] which
 * blocks count
 */
function towards (bot, point, far, matcher = null) {
  return bot.world.raycast(eyes(bot), point.minus(eyes(bot)).normalize(), far, matcher)
}

/**
 * Return the first block on the line in which the bot looks, or null.
 * @param {Bot} bot @param {number} far @param {((block: Block) => boolean) | null} [matcher]
 */
function ahead (bot, far, matcher = null) {
  const { yaw, pitch } = bot.entity
  const way = eyes(bot).set(-Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), -Math.cos(yaw) * Math.cos(pitch))
  return bot.world.raycast(eyes(bot), way, far, matcher)
}

/**
 * Tell whether each block on the line between two points `passes`, but for the last one.
 * @param {Vec3} from @param {Vec3} to @param {(at: Vec3) => boolean} passes
 */
function isOpen (from, to, passes) {
  const last = to.floored()
  const line = new RaycastIterator(from, to.minus(from).normalize(), from.distanceTo(to) + 1)
  for (let at = line.next(); at && !last.equals(at); at = line.next()) {
    if (!passes(new Vec3(at.x, at.y, at.z))) return false
  }
  return true
}

module.exports = { EYES, ahead, eyes, isOpen, towards }
