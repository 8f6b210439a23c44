'use strict'
/** Carry out the commands that only read. */
const { observe, entities, round } = require('../observe')
const { around } = require('../sightings')
const { Fault } = require('../../shared/fault')
const { amounts, blockOf, holdings, itemOf, place, plainName } = require('../words')
const { LOOK, targets } = require('./near')
const { recipeTexts } = require('./recipes')
const { smelting } = require('../facts')

const COUNTED = 256 // blocks of a kind that find_block counts

/** @param {Bot} bot */
function look_around (bot, { radius = 16 }) {
  const wide = Math.min(Math.max(1, Math.floor(radius)), 24)
  const near = [...around(bot, wide, Math.min(wide, 12))].sort()
  const living = Object.entries(entities(bot, radius)).map(([name, far]) => `${name} (${far} blocks)`)
  return {
    text: [
      `Blocks within ${wide}: ${near.join(', ') || 'none'}`,
      `Entities within ${radius}: ${living.join(', ') || 'none'}`
    ].join('\n')
  }
}

/** @param {Bot} bot @param {{name: string, radius?: number}} parts */
function find_block (bot, { name, radius = LOOK }) {
  const block = blockOf(bot, name)
  const wide = Math.min(radius, 128)
  const found = targets(bot, [block.id], wide, COUNTED)
  if (!found.length) throw new Fault(`No ${block.name} within ${wide} blocks, please explore first`)
  const places = found.slice(0, 8).map((at) => `${place(at)}, ${round(at.distanceTo(bot.entity.position))} blocks away`)
  const count = `${found.length}${found.length === COUNTED ? ' or more' : ''}`
  return { text: `${block.name} at ${places.join('; ')}${found.length > 8 ? ` (8 of ${count} shown)` : ''}` }
}

/** @param {Bot} bot @param {{name: string, radius?: number}} parts */
function find_entity (bot, { name, radius = LOOK }) {
  /** @type {[number, Entity][]} */
  const near = Object.values(bot.entities)
    .filter((each) => each !== bot.entity && each.position && (each.name === plainName(name) || each.username === name))
    .map((each) => [each.position.distanceTo(bot.entity.position), each])
  const found = near.filter(([far]) => far <= radius).sort((a, b) => a[0] - b[0]).slice(0, 8)
  if (!found.length) throw new Fault(`No ${name} within ${radius} blocks, please explore first`)
  return {
    text: found
      .map(([far, each]) => `${each.username || each.name} at ${place(each.position)}, ${round(far)} blocks away`)
      .join('; ')
  }
}

/** @param {Bot} bot */
function show_inventory (bot) {
  return {
    text: `Inventory (${bot.inventory.slots.slice(9, 45).filter(Boolean).length}/36): ${amounts(holdings(bot))}`
  }
}

/** @param {Bot} bot @param {{name: string}} parts */
function search_recipe (bot, { name }) {
  const item = itemOf(bot, name)
  const made = Object.entries(smelting(bot))
    .filter(([, output]) => output === item.name)
    .map(([input]) => `smelt ${input}`)
  const texts = [...recipeTexts(bot, item), ...made]
  return {
    text: texts.length
      ? `${item.name}: ${texts.join('; or ')}`
      : `${item.name} has no recipe: it is found, mined or dropped`
  }
}

/**
 * Spare these kinds of items: the bot neither eats them by itself nor lays them in its way.
 * @param {Bot} bot @param {{names: string[]}} parts
 */
function spare (bot, { names }) {
  bot.autocraft.spared = names
}

/**
 * Learn that another bot of the run has placed a block, and what for, or that it is gone.
 * @param {Bot} bot @param {{at: string, why: Purpose | null}} parts
 */
function share (bot, { at, why }) {
  bot.autocraft.journal.share(at, why)
}

module.exports = { share, spare, observe, look_around, find_block, find_entity, show_inventory, search_recipe }
