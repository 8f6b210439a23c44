'use strict'
/**
 * Find where obsidian is cast: two places side by side in solid ground, one for water and one for lava, which becomes
 * obsidian there. What is made in a pool lies on lava, and what it drops burns.
 */
const { targets } = require('../commands/near')
const { solid } = require('../danger')
const { natural } = require('../nature')
const { LEVEL, SIDES } = require('../sides')

/**
 * @typedef {{at: Vec3, beside: Vec3, item: 'lava_bucket' | 'water_bucket', digs: Vec3[]}} Mould what is filled, beside
 *   what, and what is dug away before
 */

const AIR = /air$/
const ABOVE = SIDES[1]
const FAR = 24 // blocks from which the bot comes back to the water of a mould
const MOST = 64 // waters that are looked at
const WIDE = 8 // blocks around the bot, and above and below it, in which ground for a mould is searched
const HIGH = 3
const MOVES = 3 // blocks to dig elsewhere rather than the one on which the bot stands
const APART = 2 // steps from a mould within which no fall ends in lava

/**
 * Return the next place to fill, and the bucket for it: lava beside water, else water. Return null if there is no such
 * ground.
 * @param {Bot} bot @returns {Mould | null}
 */
function mould (bot) {
  const { bounds, failures, lava } = bot.autocraft
  const feet = bot.entity.position.floored()
  /** Tell whether a place is free, or can be dug free. @param {Vec3} at */
  const isGround = (at) => {
    const block = bot.blockAt(at)
    return block !== null && (AIR.test(block.name) ||
      (solid(bot, at) && natural(bot.registry).has(block.name) && !bounds.stays(block)))
  }
  /**
   * Tell whether a place can hold a liquid: open above, or dug open, and closed on all other sides but `one`.
   * @param {Vec3} at @param {Vec3} one
   */
  const holds = (at, one) => SIDES.every((way) => {
    const next = at.plus(way)
    return next.equals(one) || (way.y > 0 ? !solid(bot, next) || isGround(next) : solid(bot, next))
  })
  /** Return the places beside one that hold a liquid, and let that one hold its own. @param {Vec3} at */
  const besides = (at) => LEVEL.map((way) => at.plus(way))
    .filter((beside) => holds(at, beside) && isGround(beside) && holds(beside, at))
  /** Return what is dug away for a place. @param {Vec3} at */
  const digsOf = (at) => [at.plus(ABOVE), at].filter((each) => solid(bot, each))
  /** Return what is filled, beside what. @param {Vec3} at @param {Vec3} beside @param {Mould['item']} item */
  const made = (at, beside, item) => ({ at, beside, item, digs: digsOf(at) })
  /** Tell whether the bot stands in a place or on it, and would fall into the hole. @param {Vec3} at */
  const isBelow = ({ x, z }) => x === feet.x && z === feet.z
  const waters = targets(bot, [bot.registry.blocksByName.water.id], FAR, MOST)
  const wet = waters.flatMap((at) => besides(at).map((beside) => made(beside, at, 'lava_bucket')))
  /** @param {Vec3} at */
  const dry = (at) => isGround(at) && !at.equals(feet)
    ? besides(at).filter((beside) => !beside.equals(feet)).map((beside) => made(at, beside, 'water_bucket'))
    : []
  /** @param {Mould} one */
  const rank = ({ at, beside }) => 1000 * ([at, beside].flatMap(digsOf).length + (isBelow(at) ? MOVES : 0)) +
    at.distanceTo(bot.entity.position)
  /** @param {Vec3} at */
  const pouring = ({ x, y, z }) => ({ name: 'place_item', args: { name: 'lava_bucket', x, y, z } })
  /** Tell whether a place may be filled, and lava poured there or beside it. @param {Mould} one */
  const fits = ({ at, at: { x, y, z }, beside, item, digs }) => [
    { name: 'place_item', args: { name: item, x, y, z } },
    ...item === 'water_bucket' ? [pouring(beside)] : [],
    ...[at, ...digs].map(({ x, y, z }) => ({ name: 'dig', args: { x, y, z } }))
  ].every((step) => !failures.tried(step)) && [at, beside]
    .every((each) => !lava.below(each.plus(ABOVE), APART) && !digsOf(each).some((dug) => lava.freed(dug)))
  /** @param {Mould[]} some */
  const best = (some) => some.sort((a, b) => rank(a) - rank(b)).find(fits)
  const cells = around(feet)
  const found = best(wet) ?? best(cells.filter((at) => !solid(bot, at.plus(ABOVE))).flatMap(dry))
  if (found) return found
  for (const at of cells) { // the first that fits is taken, since a look at all places is slow
    const next = dry(at).find(fits)
    if (next) return next
  }
  return null
}

/** Return the places around the bot, the nearest first. @param {Vec3} feet */
function around (feet) {
  const cells = []
  for (let y = -HIGH; y <= HIGH; y++) {
    for (let x = -WIDE; x <= WIDE; x++) for (let z = -WIDE; z <= WIDE; z++) cells.push(feet.offset(x, y, z))
  }
  return cells.sort((a, b) => a.distanceSquared(feet) - b.distanceSquared(feet))
}

module.exports = { mould }
