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

const SHORE = 64 // height of the land at the sea
const LOWEST = -64
const HIGHEST = 320

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

/**
 * Return the seconds until a block or a mob that is not in sight is found, with the way to the height where it lies.
 * @param {Bot} bot @param {string} name
 */
function searchFor (bot, name) {
  const height = heightFor(bot, name, SHORE)
  return (find(RARE, name) ?? SEARCH) + (height === null ? 0 : Math.abs(height - bot.entity.position.y))
}

/** Tell whether a block or a mob is in the dimension where the bot is. @param {Bot} bot @param {string} name */
function isHere (bot, name) {
  const here = String(bot.game.dimension).replace(/^minecraft:/, '').replace(/^the_/, '')
  return dimensionOf(name) === (here === 'nether' || here === 'end' ? here : 'overworld')
}

/**
 * Return the lowest and the highest height at which to look for a block or a mob, and the best one. Return an empty
 * list for what may be anywhere.
 * @param {Bot} bot @param {string} name @param {number} [surface] height of the ground; by default that at the sea
 * @returns {number[]}
 */
function layerOf (bot, name, surface = SHORE) {
  if (Object.hasOwn(HEIGHTS, name)) {
    const [low, best] = HEIGHTS[name][bot.registry.version['>=']('1.18') ? 1 : 0]
    return [low, best + 10, best]
  }
  if (name === 'stone' && bot.autocraft.options.sight === 'seen') return [LOWEST, surface - SOIL, surface - SOIL]
  if (isInside(bot.registry, name) || dimensionOf(name) !== 'overworld') return []
  return [surface - 8, HIGHEST, surface]
}

/**
 * Return the height to look for a block at. Return null where it may lie at the bot's height.
 * @param {Bot} bot @param {string} block @param {number} surface height of the ground
 */
function heightFor (bot, block, surface) {
  const { y } = bot.entity.position
  const [low, high, best] = layerOf(bot, block, surface)
  return y < low || y > high ? best : null
}

module.exports = { dangerOf, heightFor, isHere, layerOf, searchFor, sourcesOf }
