'use strict'
/**
 * Tell which blocks the bot knows of. A server sends the bot all blocks around it, also those inside rock. With the
 * setting `sight` at "seen" only blocks count that were in view of its eyes, as for a person, and its head turns at the
 * speed of a person's.
 */
const need = require('../shared/need')
const { SIDES } = require('./sides')
const { eyes, isOpen } = require('./sight')

const { Vec3 } = need('vec3')

const MOST = 1 << 20 // blocks that are remembered as seen
const FAR = 96 // blocks as far as the bot sees
const TURN = 12 // radians a second, with which a person looks behind in a quarter of a second

/** @param {Bot} bot */
module.exports = function plugin (bot) {
  const all = bot.autocraft.options.sight !== 'seen'
  bot.autocraft.eyes = { know: all ? () => true : seen(bot) }
  if (all) return
  const { look } = bot
  bot.look = (yaw, pitch) => look(yaw, pitch, false)
  bot.physics.yawSpeed = bot.physics.pitchSpeed = TURN
}

/**
 * Return a function that tells whether a block was ever in view. A block without an open side is never in view.
 * @param {Bot} bot @returns {(x: number, y: number, z: number) => boolean}
 */
function seen (bot) {
  /** @type {Set<string>} */
  const before = new Set()
  /** Blocks that are not in view from where the eyes are. @type {Set<string>} */
  const hidden = new Set()
  let from = ''
  return (x, y, z) => {
    const key = `${bot.game.dimension} ${x} ${y} ${z}`
    if (before.has(key)) return true
    const now = String(eyes(bot).floored())
    if (now !== from) { from = now; hidden.clear() }
    if (hidden.has(key)) return false
    if (!inView(bot, new Vec3(x, y, z))) { hidden.add(key); return false }
    if (before.size >= MOST) before.clear()
    before.add(key)
    return true
  }
}

/** Tell whether the eyes see one of the open sides of a block. @param {Bot} bot @param {Vec3} place */
function inView (bot, place) {
  const from = eyes(bot)
  const middle = place.offset(0.5, 0.5, 0.5)
  const way = from.minus(middle)
  return way.norm() <= FAR && SIDES.some((side) => {
    const faces = way.x * side.x + way.y * side.y + way.z * side.z > 0.5 || from.floored().equals(place)
    return faces && clear(bot, place.plus(side)) &&
      isOpen(from, middle.plus(side.scaled(0.51)), (at) => clear(bot, at))
  })
}

/** Tell whether one sees through a block: air, water, glass, leaves, fences. @param {Bot} bot @param {Point} at */
function clear (bot, { x, y, z }) {
  const kind = bot.registry.blocksByStateId[bot.world.getBlockStateId(new Vec3(x, y, z)) ?? 0]
  return !kind || kind.transparent || kind.boundingBox === 'empty'
}
