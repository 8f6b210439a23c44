'use strict'
/** Grow crops: what stands near, whether it is ripe, and what a field needs next. */
const { LOOK } = require('../commands/near')

/** Crop item to its seed, the block that grows, and the age at which it is ripe. @type {Record<string, Crop>} */
const CROPS = {
  wheat: { seed: 'wheat_seeds', block: 'wheat', ripe: 7 }, carrot: { seed: 'carrot', block: 'carrots', ripe: 7 },
  potato: { seed: 'potato', block: 'potatoes', ripe: 7 },
  beetroot: { seed: 'beetroot_seeds', block: 'beetroots', ripe: 3 }
}
const WET = 4 // blocks to water within which a field stays wet

/** @typedef {{seed: string, block: string, ripe: number}} Crop */

/** @param {Bot} bot @param {string[]} names @param {number} [count] @returns {Vec3[]} */
function places (bot, names, count = 64) {
  const matching = names.map((name) => bot.registry.blocksByName[name]).filter(Boolean).map(({ id }) => id)
  return bot.findBlocks({ matching, maxDistance: LOOK, count })
}

/**
 * The crops of a kind near the bot, and which of them are ripe, without those that it just failed to reap.
 * @param {Bot} bot @param {Crop} crop
 */
function growing (bot, crop) {
  const all = places(bot, [crop.block])
  const ripe = all.filter((at) => {
    const { x, y, z } = at
    const block = bot.blockAt(at)
    return block && Number(block.getProperties?.().age ?? block.metadata) >= crop.ripe &&
      !bot.autocraft.failures.tried({ name: 'dig', args: { x, y, z } })
  })
  return { all, ripe }
}

/**
 * What makes one more plant grow: a seed on free farmland, else ground that is tilled, beside water where there is
 * some, since it grows faster there; null without ground, or where all of it was tried in vain.
 * @param {Bot} bot @param {string} seed @returns {{name: string, args: Record<string, any>} | null}
 */
function planting (bot, seed) {
  return ground(bot, 'sow', { name: seed }, ['farmland'], 64) ?? tilling(bot)
}

/** Return what makes one more block of farmland, or null without ground. @param {Bot} bot */
const tilling = (bot) => ground(bot, 'till', {}, ['grass_block', 'dirt'], 2048)

/**
 * Return a command for the best free block of some kinds: beside water, and where it was not tried in vain.
 * @param {Bot} bot @param {string} name of a command @param {object} more @param {string[]} names @param {number} most
 */
function ground (bot, name, more, names, most) {
  /** @param {Vec3} at */
  const free = (at) =>
    Boolean(bot.blockAt(at.offset(0, 1, 0))?.name.endsWith('air')) && !bot.autocraft.bounds.outside(at)
  const water = places(bot, ['water'], 256)
  /** @param {Vec3} at */
  const wet = (at) => water.some(
    (each) => each.y === at.y && Math.abs(each.x - at.x) <= WET && Math.abs(each.z - at.z) <= WET
  )
  /** @param {Vec3} at */
  const step = ({ x, y, z }) => ({ name, args: { ...more, x, y, z } })
  /** @param {Vec3} at */
  const untried = (at) => !bot.autocraft.failures.tried(step(at))
  const open = places(bot, names, most).filter(free)
  const at = open.find((each) => wet(each) && untried(each)) ?? open.find(untried)
  return at ? step(at) : null
}

module.exports = { CROPS, growing, planting, tilling }
