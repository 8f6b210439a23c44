'use strict'
/** Find crafting recipes of the server's version, and what is missing for them. */
const { amounts } = require('../words')

/** Return what one recipe takes, by name. @param {Bot} bot @param {Recipe} recipe @returns {Record<string, number>} */
function ingredients (bot, recipe) {
  /** @type {Counts} */
  const counts = {}
  for (const { name, count } of parts(bot, recipe)) counts[name] = (counts[name] || 0) + count
  return counts
}

/**
 * Return what one recipe takes, and how many the inventory has `there` of each. Before 1.13 the kind of wood is a
 * number beside the name.
 * @param {Bot} bot @param {Recipe} recipe
 */
function parts (bot, recipe) {
  return costsOf(recipe).map(({ id, metadata, count }) =>
    ({ name: bot.registry.items[id].name, count, there: bot.inventory.count(id, metadata) }))
}

/**
 * Return what a recipe takes. The `delta` of prismarine-recipe 1.5.0 leaves out wool that is dyed to wool, and all of a
 * recipe that leaves something over, such as the buckets of a cake.
 * @param {Recipe} recipe
 */
function costsOf ({ inShape, ingredients }) {
  const counts = new Map()
  for (const { id, metadata } of inShape?.flat() ?? ingredients ?? []) {
    if (id !== -1) counts.set(id, { id, metadata, count: (counts.get(id)?.count ?? 0) + 1 })
  }
  return [...counts.values()]
}

/** Return what the inventory lacks for a recipe. @param {Bot} bot @param {Recipe} recipe */
function missing (bot, recipe, times = 1) {
  /** @type {Counts} */
  const lacking = {}
  for (const { name, count, there } of parts(bot, recipe)) {
    if (count * times > there) lacking[name] = (lacking[name] || 0) + count * times - there
  }
  return lacking
}

/** Tell whether a recipe takes all that is there of something. @param {Bot} bot @param {Recipe} recipe */
const usesUp = (bot, recipe) => parts(bot, recipe).some(({ count, there }) => count === there)

/** Return a text for each different recipe of an item. @param {Bot} bot @param {ItemKind} item @returns {string[]} */
function recipeTexts (bot, item) {
  const texts = bot.recipesAll(item.id, null, true).map((recipe) => {
    const where = recipe.requiresTable ? ' at a crafting_table' : ''
    return `${recipe.result.count} from ${amounts(ingredients(bot, recipe))}${where}`
  })
  return [...new Set(texts)].slice(0, 8)
}

/**
 * Find the recipe that can be done most often. Return how many items it gives `each` time, and how many `times` the
 * ingredients allow, up to `most`.
 * @param {Bot} bot @param {ItemKind} item
 */
function yields (bot, item, most = 64) {
  /** @param {Recipe} recipe */
  const can = (recipe) => Math.min(most, ...parts(bot, recipe).map(({ count, there }) => Math.floor(there / count)))
  const [best] = bot
    .recipesAll(item.id, null, true)
    .map((recipe) => ({ each: recipe.result.count, times: can(recipe) }))
    .sort((a, b) => b.times - a.times)
  return best || { each: 1, times: 0 }
}

module.exports = { ingredients, missing, recipeTexts, usesUp, yields }
