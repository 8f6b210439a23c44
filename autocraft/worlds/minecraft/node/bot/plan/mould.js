'use strict'
/**
 * Find where obsidian is cast: two places side by side in solid ground, one for water and one for lava, which becomes
 * obsidian there. What is made in a pool lies on lava, and what it drops burns.
 */
const { targets } = require('../commands/near')
const { solid, nameAt } = require('../danger')
const { natural } = require('../nature')
const { LEVEL, SIDES } = require('../sides')

/** @typedef {{at: Vec3, beside: Vec3, item: 'lava_bucket' | 'water_bucket'}} Mould what is filled, and beside what */

const AIR = /air$/
const FAR = 24 // blocks from which the bot comes back to the water of a mould
const MOST = 64 // waters that are looked at
const WIDE = 8 // blocks around the bot, and above and below it, in which ground for a mould is searched
const HIGH = 3
const APART = 2 // steps from a mould within which no fall ends in lava

/**
 * Return the next place to fill, and the bucket for it: lava beside water, else water. Return null if there is no such
 * ground.
 * @param {Bot} bot @returns {Mould | null}
 */
function mould (bot) {
  const { bounds, failures, lava } = bot.autocraft
  /** Tell whether a place is open above, and closed but on `one` side. @param {Vec3} at @param {Vec3} one */
  const holds = (at, one) =>
    SIDES.every((way) => at.plus(way).equals(one) || solid(bot, at.plus(way)) === (way.y <= 0))
  /** Tell whether a place is free, or can be dug free. @param {Vec3} at */
  const isGround = (at) => AIR.test(nameAt(bot, at)) || (solid(bot, at) &&
    natural(bot.registry).has(nameAt(bot, at)) && !bounds.keep(bot.blockAt(at)))
  /** Return the pairs of a place and one beside it that both hold a liquid. @param {Vec3} at */
  const pairs = (at) => LEVEL.map((way) => at.plus(way))
    .filter((beside) => holds(at, beside) && isGround(beside) && holds(beside, at)).map((beside) => ({ at, beside }))
  /** @type {Mould[]} */
  const wet = targets(bot, [bot.registry.blocksByName.water.id], FAR, MOST).flatMap(pairs)
    .map(({ at, beside }) => ({ at: beside, beside: at, item: 'lava_bucket' }))
  /** @type {Mould[]} */
  const dry = around(bot.entity.position.floored()).filter((at) => !solid(bot, at.offset(0, 1, 0)) && isGround(at))
    .flatMap(pairs).map((pair) => ({ ...pair, item: 'water_bucket' }))
  /** @param {Mould} one */
  const rank = ({ at, item }) =>
    (item === 'lava_bucket' ? 0 : 2000) + (solid(bot, at) ? 1000 : 0) + at.distanceTo(bot.entity.position)
  /** Tell whether a place may be filled. @param {Mould} one */
  const fits = ({ at, at: { x, y, z }, beside, item }) => [
    { name: 'place_item', args: { name: item, x, y, z } }, { name: 'dig', args: { x, y, z } }
  ].every((step) => !failures.tried(step)) && ![at, beside].some((each) => lava.below(each.offset(0, 1, 0), APART))
  return [...wet, ...dry].sort((a, b) => rank(a) - rank(b)).find(fits) ?? null
}

/** Return the places around the bot. @param {Vec3} feet */
function around (feet) {
  const cells = []
  for (let y = -HIGH; y <= HIGH; y++) {
    for (let x = -WIDE; x <= WIDE; x++) for (let z = -WIDE; z <= WIDE; z++) cells.push(feet.offset(x, y, z))
  }
  return cells
}

module.exports = { mould }
