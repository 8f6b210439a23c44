'use strict'
/** Raise what a plan gathers above its needs: a second command later costs more than a few items now. */
const { burns } = require('../facts')

/**
 * Blocks to mine at least, times to repeat a recipe beyond the need, and items to smelt at least: where many plans
 * follow, and for others.
 */
const MANY = { mined: 24, crafted: 4, smelted: 8 }
const FEW = { mined: 8, crafted: 2, smelted: 8 }
const GATHERED = new Set(['mine', 'kill'])

/** @typedef {import('./steps').Use} Use */

/**
 * Raise the first use of a plan if others take what it gives, or are of the same source. The stock, the blocks near and
 * the fuel limit it.
 * @param {Bot} bot @param {Counts} stock @param {Use[]} uses ingredients first @param {typeof MANY} most
 * @returns {Use[]}
 */
function withSpare (bot, stock, uses, { mined, crafted, smelted }) {
  const [next, ...others] = uses
  if (!next) return uses
  const same = uses.filter((use) => use === next || isSame(next, use))
  const first = { ...next, times: Math.max(...same.map(({ times }) => times)) }
  if (first.way.search || !others.some(({ way }) => Object.hasOwn(way.takes, first.name))) return [first, ...others]
  const { way, times, fuel } = first
  /** Return how many of an item the whole plan leaves. @param {string} name */
  const rest = (name) => uses.reduce((sum, each) => sum - (each.way.takes[name] || 0) * each.times, stock[name] || 0)
  const inputs = Object.entries(way.takes).map(([name, count]) => Math.floor(rest(name) / count))
  /** @type {Record<string, () => number>} */
  const more = {
    mine: () => Math.min(mined, inSight(bot, way.from, mined)) - times,
    craft: () => Math.min(crafted, ...inputs),
    smelt: () => Math.min(smelted - times, ...inputs, Math.floor(rest(fuel) * burns(fuel)) - times)
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

/** Return how many blocks of a kind are near. @param {Bot} bot @param {string} name @param {number} most */
function inSight (bot, name, most) {
  const { id } = bot.registry.blocksByName[name]
  return bot.findBlocks({ matching: [id], maxDistance: 32, count: most }).length
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

module.exports = { FEW, MANY, usesLeft, withSpare }
