'use strict'
/** Craft by one recipe. */
const { Fault, reasonOf } = require('../../shared/fault')
const { knows } = require('../mode')
const { kindOf } = require('../names')
const { difference, holdings, itemOf, plainName } = require('../words')
const { FULL, fits, news } = require('./gather')
const { ingredients, missing, usesUp } = require('./recipes')
const { atStation } = require('./station')

/** How much each silence of the server says; the second is mineflayer's word for a click that must be answered. */
/** @type {[string, number][]} */
const SILENCES = [['did not answer', 1], ['respond to transaction', 2]]

/** @param {Bot} bot @param {{name: string, count?: number}} parts @param {Task} task */
async function craft_item (bot, { name, count = 1 }, task) {
  const item = itemOf(bot, name)
  if (!knows(bot, item.name)) throw new Fault(`This bot does not know how to make ${item.name}`)
  const recipe = choose(bot, item, count, plainName(name))
  const times = Math.ceil(count / recipe.result.count)
  if (recipe.requiresTable) {
    const takes = Object.fromEntries(Object.entries(ingredients(bot, recipe)).map(([each, one]) => [each, one * times]))
    return atStation(bot, { name: 'crafting_table', what: `make ${item.name}`, takes }, task,
      (table) => make(bot, item, recipe, times, table, task))
  }
  task.say('Craft without a crafting table')
  return make(bot, item, recipe, times, null, task)
}

/**
 * Do a recipe so many times.
 * @param {Bot} bot @param {ItemKind} item @param {Recipe} recipe @param {number} times @param {Block | null} table
 * @param {Task} task
 */
async function make (bot, item, recipe, times, table, task) {
  task.say(`I can make ${item.name}`)
  const before = holdings(bot)
  let made = 0
  try {
    for (; made < times; made++) {
      task.progress = `recipe ${made + 1} of ${times} for ${item.name}`
      if (!fits(bot.inventory, { ...item, type: item.id, count: recipe.result.count }) && !usesUp(bot, recipe)) {
        throw new Fault(FULL)
      }
      await bot.autocraft.hands.use(task, async () => {
        await bot.autocraft.hands.clicks(task, bot.craft(recipe, 1, table), 20, 'crafting')
        await task.ticks(2)
      })
      bot.autocraft.hands.unanswered = -1
    }
  } catch (error) {
    task.goOnAfter(error)
    await task.ticks(5) // in which the server gives back what lay in the table
    const why = reasonOf(error).replace(/^Error: /, '')
    bot.autocraft.hands.unanswered += SILENCES.find(([words]) => why.includes(words))?.[1] ?? 0
    throw new Fault(`I cannot do the recipe for ${item.name} ${times} times (${why}). ${news(bot, before)}`)
  }
  const change = difference(before, holdings(bot))
  if (!(change[item.name] > 0)) {
    throw new Fault(`I cannot do the recipe for ${item.name} ${times} times: nothing was made. ${news(bot, before)}`)
  }
  return `I did the recipe for ${item.name} ${times} times. ${news(bot, before)}`
}

/**
 * Return the recipe to use. All its ingredients must be there; recipes of the named kind, without a table, and of the
 * commonest wood come first. Throws a Fault that says what is missing.
 * @param {Bot} bot @param {ItemKind} item @param {number} count @param {string} name
 */
function choose (bot, item, count, name) {
  const kind = kindOf(bot.registry, item, name)
  /** @param {{recipe: Recipe}} parts */
  const other = ({ recipe }) => Number(kind !== null && recipe.result.metadata !== kind)
  /** @param {{lacking: Counts}} parts */
  const rare = ({ lacking }) =>
    Object.keys(lacking).filter((each) => /^(?!oak_).*_(planks|log|wood|slab)$/.test(each)).length
  const each = bot.recipesAll(item.id, null, true)
    .map((recipe) => ({ recipe, lacking: missing(bot, recipe, Math.ceil(count / recipe.result.count)) }))
    .sort((a, b) => sum(a.lacking) - sum(b.lacking) || other(a) - other(b) ||
      Number(a.recipe.requiresTable) - Number(b.recipe.requiresTable) || rare(a) - rare(b))
  if (!each.length) throw new Fault(`${item.name} has no recipe: it is found, mined, smelted or dropped`)
  const [best] = each
  const wanted = Object.entries(best.lacking).map(([name, less]) => `${less} more ${name}`).join(', ')
  if (wanted) throw new Fault(`I cannot make ${item.name} because I need: ${wanted}`)
  return best.recipe
}

/** @param {Counts} counts */
const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0)

module.exports = { craft_item }
