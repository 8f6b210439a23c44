'use strict'
/** Raise what a plan gathers above its needs. Where many plans follow, a second command costs more than a few items. */
const { burns } = require('../facts')
const { LOOK } = require('../commands/near')
const { holdings } = require('../words')

const MINED = 24 // items to mine at least
const CRAFTED = 8 // times to repeat a recipe beyond the need
const SMELTED = 24 // items to smelt at least
const WORN = 0.2 // of what a tool lasts, with less than which it may break on the way
const GATHERED = new Set(['mine', 'kill'])

/** @typedef {import('./steps').Use} Use */

/**
 * Raise the first use of a plan if others take what it gives, if it gives that only by chance, or if others are of the
 * same source. The stock, the blocks near and the fuel limit it.
 * @param {Bot} bot @param {Counts} stock @param {Use[]} uses ingredients first
 * @returns {Use[]}
 */
function withSpare (bot, stock, uses) {
  const [next, ...others] = uses
  if (!next) return uses
  const same = uses.filter((use) => use === next || isSame(next, use))
  const first = { ...next, times: Math.max(...same.map(({ times }) => times)) }
  const { way, times, fuel } = first
  if (way.search || !(way.gives < 1 || others.some((use) => Object.hasOwn(use.way.takes, first.name)))) {
    return [first, ...others]
  }
  /** Return how many of an item the whole plan leaves. @param {string} name */
  const rest = (name) => uses.reduce((sum, each) => sum - (each.way.takes[name] || 0) * each.times, stock[name] || 0)
  const inputs = Object.entries(way.takes).map(([name, count]) => Math.floor(rest(name) / count))
  /** @type {Record<string, () => number>} */
  const more = {
    mine: () => Math.min(Math.ceil(MINED / way.gives), inSight(bot, way.from)) - times,
    craft: () => Math.min(CRAFTED, ...inputs),
    smelt: () => Math.min(SMELTED - times, ...inputs, Math.floor(rest(fuel) * burns(fuel)) - times)
  }
  const by = Math.max(0, more[way.kind]?.() ?? 0)
  return [{ ...first, times: times + by }, ...others]
}

/**
 * Tell whether two uses are of the same source, such as a cow for beef and for leather.
 * @param {Use} one @param {Use} two
 */
const isSame = ({ way }, { way: { kind, from, tools } }) => GATHERED.has(kind) && way.kind === kind &&
  way.from === from && String(way.tools) === String(tools)

/** Return how many blocks of a kind are near, at most MINED. @param {Bot} bot @param {string} name */
function inSight (bot, name) {
  const { id } = bot.registry.blocksByName[name]
  return bot.findBlocks({ matching: [id], maxDistance: LOOK, count: MINED }).length
}

/**
 * Return how many blocks of a kind the bot's tools can still break; Infinity if no tool is needed, or none is there.
 * @param {Bot} bot @param {string} name
 */
function usesLeft (bot, name) {
  const { harvestTools } = bot.registry.blocksByName[name]
  const tools = bot.inventory.items().filter((item) => harvestTools?.[item.type])
  const left = tools.reduce((sum, item) => sum + (item.maxDurability || Infinity) - (item.durabilityUsed || 0), 0)
  return left || Infinity
}

/** Return what the bot carries without tools that soon break: in a mine it would find no way out. @param {Bot} bot */
function lasting (bot) {
  const all = holdings(bot)
  for (const { name, maxDurability = 0, durabilityUsed } of bot.inventory.items()) {
    if (maxDurability - (durabilityUsed || 0) < WORN * maxDurability) all[name]--
  }
  return all
}

module.exports = { lasting, usesLeft, withSpare }
