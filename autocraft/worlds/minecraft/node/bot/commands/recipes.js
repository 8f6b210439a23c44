'use strict'
/** Crafting recipes of the server's version, and what is missing for them. */
const { amounts } = require('../words')

/** What one recipe takes. @returns {Record<string, number>} */
function ingredients (bot, recipe) {
  const counts = {}
  for (const each of recipe.delta) {
    if (each.count < 0) counts[bot.registry.items[each.id].name] = (counts[bot.registry.items[each.id].name] || 0) - each.count
  }
  return counts
}

/** What of a recipe the inventory lacks. */
function missing (bot, recipe, times = 1) {
  const lacking = {}
  for (const [name, count] of Object.entries(ingredients(bot, recipe))) {
    const less = count * times - bot.inventory.count(bot.registry.itemsByName[name].id)
    if (less > 0) lacking[name] = less
  }
  return lacking
}

/** Each different recipe in words. @returns {string[]} */
function recipeTexts (bot, item) {
  const texts = bot.recipesAll(item.id, null, true).map((recipe) =>
    `${recipe.result.count} from ${amounts(ingredients(bot, recipe))}${recipe.requiresTable ? ' at a crafting_table' : ''}`)
  return [...new Set(texts)].slice(0, 8)
}

/**
 * Of the recipe that can be done most often: how many items it gives `each` time, and how many `times` there is enough
 * for, up to `most`.
 */
function yields (bot, item, most = 64) {
  const can = (recipe) => Math.min(most, ...Object.entries(ingredients(bot, recipe))
    .map(([name, count]) => Math.floor(bot.inventory.count(bot.registry.itemsByName[name].id) / count)))
  const [best] = bot.recipesAll(item.id, null, true).map((recipe) => ({ each: recipe.result.count, times: can(recipe) }))
    .sort((a, b) => b.times - a.times)
  return best || { each: 1, times: 0 }
}

module.exports = { ingredients, missing, recipeTexts, yields }
