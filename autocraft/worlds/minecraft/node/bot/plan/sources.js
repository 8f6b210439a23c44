'use strict'
/**
 * Give the sources of items that no recipe makes: mined from which block, dropped by which mob, filled into a bucket;
 * and where they are.
 */
const { danger, heights, seconds } = require('../corrections.json')
const { find } = require('../names')
const { blocksByDrop, dimensionOf, isInside, mobsByDrop } = require('../nature')

/** @type {Record<string, number[][]>} */
const HEIGHTS = heights
/** @type {Record<string, number>} */
const DANGER = danger
const SEARCH = 60 // seconds until a source that is not in sight is found
/** Seconds until what is rare is found; Infinity for what the bot does not look for. @type {Record<string, any>} */
const RARE = Object.fromEntries(
  Object.entries(seconds).flatMap(([each, names]) => names.map((name) => [name, Number(each)])))

/** Item to what a bucket is filled with: a block, or a mob that gives it. @type {Record<string, string>} */
const FILLED = { water_bucket: 'water', lava_bucket: 'lava', milk_bucket: 'cow' }

/** What mobs leave lying about while they live. @type {Record<string, string>} */
const LAID = { egg: 'chicken' }

/** Blocks below the surface at which there is rock nearly everywhere, though nobody sees it. */
const SOIL = 8

/**
 * Return the sources of an item: blocks with how many each gives and the tool that it takes, and mobs.
 * @param {Bot} bot @param {string} item
 */
const sourcesOf = ({ registry }, item) => ({
  blocks: blocksByDrop(registry).get(item) ?? [],
  mobs: mobsByDrop(registry).get(item) ?? [],
  filled: FILLED[item] ?? '',
  laid: LAID[item] ?? ''
})

/** Return the seconds that fighting a mob may cost, by the harm it does. @param {string} mob */
const dangerOf = (mob) => DANGER[mob] ?? 0

/** Return the seconds until a block or a mob that is not in sight is found. @param {string} name */
const searchFor = (name) => find(RARE, name) ?? SEARCH

/** Tell whether a block or a mob is in the dimension where the bot is. @param {Bot} bot @param {string} name */
function isHere (bot, name) {
  const here = String(bot.game.dimension).replace(/^minecraft:/, '').replace(/^the_/, '')
  return dimensionOf(name) === (here === 'nether' || here === 'end' ? here : 'overworld')
}

/**
 * The height to look for a block at, or null where it may lie at the bot's height; `surface` is that of the ground.
 * @param {Bot} bot @param {string} block @param {number} surface
 */
function heightFor (bot, block, surface) {
  const { y } = bot.entity.position
  if (Object.hasOwn(HEIGHTS, block)) {
    const [low, best] = HEIGHTS[block][bot.registry.version['>=']('1.18') ? 1 : 0]
    return y > best + 10 || y < low ? best : null
  }
  if (block === 'stone' && bot.autocraft.options.sight === 'seen' && y > surface - SOIL) return surface - SOIL
  return !isInside(bot.registry, block) && y < surface - 8 ? surface : null
}

module.exports = { dangerOf, heightFor, isHere, searchFor, sourcesOf }
