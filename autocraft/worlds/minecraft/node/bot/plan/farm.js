'use strict'
/** Grow crops: what stands near, whether it is ripe, and what a field needs next. */

/** Crop item to its seed, the block that grows, and the age at which it is ripe. @type {Record<string, Crop>} */
const CROPS = {
  wheat: { seed: 'wheat_seeds', block: 'wheat', ripe: 7 }, carrot: { seed: 'carrot', block: 'carrots', ripe: 7 },
  potato: { seed: 'potato', block: 'potatoes', ripe: 7 },
  beetroot: { seed: 'beetroot_seeds', block: 'beetroots', ripe: 3 }
}
const LOOK = 32
const WET = 4 // blocks to water within which a field stays wet

/** @typedef {{seed: string, block: string, ripe: number}} Crop */

/** @param {Bot} bot @param {string[]} names @param {number} [count] @returns {Vec3[]} */
function places (bot, names, count = 64) {
  const matching = names.map((name) => bot.registry.blocksByName[name]).filter(Boolean).map(({ id }) => id)
  return bot.findBlocks({ matching, maxDistance: LOOK, count })
}

/** The crops of a kind near the bot, and which of them are ripe. @param {Bot} bot @param {Crop} crop */
function growing (bot, crop) {
  const all = places(bot, [crop.block])
  const ripe = all.filter((at) => {
    const block = bot.blockAt(at)
    return block && Number(block.getProperties?.().age ?? block.metadata) >= crop.ripe
  })
  return { all, ripe }
}

/**
 * What makes one more plant grow: a seed on free farmland, else ground that is tilled, beside water where there is
 * some, since it grows faster there; null without ground.
 * @param {Bot} bot @param {string} seed @returns {{name: string, args: Record<string, any>} | null}
 */
function planting (bot, seed) {
  /** @param {Vec3} at */
  const free = (at) =>
    Boolean(bot.blockAt(at.offset(0, 1, 0))?.name.endsWith('air')) && !bot.autocraft.bounds.outside(at)
  const water = places(bot, ['water'], 256)
  /** @param {Vec3} at */
  const wet = (at) => water.some(
    (each) => each.y === at.y && Math.abs(each.x - at.x) <= WET && Math.abs(each.z - at.z) <= WET
  )
  /** @param {string[]} names @param {number} most */
  const best = (names, most) => {
    const open = places(bot, names, most).filter(free)
    return open.find(wet) || open[0]
  }
  const field = best(['farmland'], 64)
  if (field) return { name: 'sow', args: { name: seed, x: field.x, y: field.y, z: field.z } }
  const soil = best(['grass_block', 'dirt'], 2048)
  return soil ? { name: 'till', args: { x: soil.x, y: soil.y, z: soil.z } } : null
}

module.exports = { CROPS, growing, planting }
