'use strict'
/** Grow crops: what stands near, whether it is ripe, where more can grow, and what a field needs next. */
const { LOOK } = require('../commands/near')
const { find } = require('../names')

/** Crop item to its seed, the block that grows, and the age at which it is ripe. @type {Record<string, Crop>} */
const CROPS = {
  wheat: { seed: 'wheat_seeds', block: 'wheat', ripe: 7 }, carrot: { seed: 'carrot', block: 'carrots', ripe: 7 },
  potato: { seed: 'potato', block: 'potatoes', ripe: 7 },
  beetroot: { seed: 'beetroot_seeds', block: 'beetroots', ripe: 3 }
}
const SOIL = ['grass_block', 'dirt'] // what is tilled where no place is named
const WET = 4 // blocks to water within which a field stays wet
const FIELD = 8 // blocks from the first block of a field to its farthest, along each axis
const MOST = (2 * FIELD + 1) ** 2 // blocks that one command tills or sows

/** @typedef {{seed: string, block: string, ripe: number}} Crop */

/** @param {Bot} bot @param {string[]} names @param {number} [count] @returns {Vec3[]} */
function places (bot, names, count = 64) {
  const matching = names.flatMap((name) => find(bot.registry.blocksByName, name)?.id ?? [])
  return bot.findBlocks({ matching, maxDistance: LOOK, count })
}

/** Tell whether a block is ripe. What is no crop always is. @param {Block | null} block */
const isRipe = (block) => Boolean(block) && Object.values(CROPS).every(({ block: name, ripe }) =>
  block?.name !== name || Number(block.getProperties?.().age ?? block.metadata) >= ripe)

/** Return the plants of a kind near the bot, and which of them are ripe. @param {Bot} bot @param {Crop} crop */
function growing (bot, { block }) {
  const all = places(bot, [block])
  return { all, ripe: all.filter((at) => isRipe(bot.blockAt(at))) }
}

/** Tell whether something can be sown on the ground at a place. @param {Bot} bot @param {Vec3} at */
const isFree = (bot, at) =>
  Boolean(bot.blockAt(at.offset(0, 1, 0))?.name.endsWith('air')) &&
  !bot.autocraft.bounds.outside(at) && !bot.autocraft.bounds.outside(at.offset(0, 1, 0))

/** Return a function that tells whether water keeps a place wet. @param {Bot} bot @returns {(at: Vec3) => boolean} */
function wetness (bot) {
  const water = places(bot, ['water'], 256)
  return (at) => water.some((each) =>
    each.y === at.y && Math.abs(each.x - at.x) <= WET && Math.abs(each.z - at.z) <= WET)
}

/**
 * What makes so many more plants grow: seeds on free farmland, else ground that is tilled, beside water where there is
 * some, since they grow faster there; null without ground, or where all of it was tried in vain.
 * @param {Bot} bot @param {string} seed @param {number} count
 * @returns {{name: string, args: Record<string, any>} | null}
 */
function planting (bot, seed, count) {
  return ground(bot, 'sow', { name: seed }, ['farmland'], 64, count) ?? tilling(bot, count)
}

/** Return what makes so many blocks of farmland, or null without ground. @param {Bot} bot @param {number} count */
const tilling = (bot, count) => ground(bot, 'till', {}, SOIL, 2048, count)

/**
 * Return a command that begins at the best free block of some kinds: beside water, and where it was not tried in vain.
 * @param {Bot} bot @param {string} name of a command @param {object} more @param {string[]} names @param {number} most
 * @param {number} count
 */
function ground (bot, name, more, names, most, count) {
  const isWet = wetness(bot)
  /** @param {Vec3} at */
  const step = ({ x, y, z }) => ({ name, args: { ...more, x, y, z } })
  /** @param {Vec3} at */
  const untried = (at) => !bot.autocraft.failures.tried(step(at))
  const open = places(bot, names, most).filter((at) => isFree(bot, at))
  const at = open.find((each) => isWet(each) && untried(each)) ?? open.find(untried)
  return at ? { name, args: { ...step(at).args, count: Math.min(count, MOST) } } : null
}

module.exports = { CROPS, FIELD, SOIL, growing, isFree, isRipe, planting, tilling, wetness }
