'use strict'
/**
 * Mend the recipes of 1.8 and 1.9 in minecraft-data 3.117.0, which lack tools and accept no wood but oak. Those of 1.10
 * are valid for them too, since the numbers of items are the same. The table is changed in place, because
 * prismarine-recipe 1.5.0 keeps it.
 */
const need = require('../../shared/need')

/** @param {Registry} registry */
function mendRecipes (registry) {
  if (!registry.version['<']('1.10')) return
  /** @param {import('minecraft-data').Recipe} recipe */
  const known = (recipe) => (recipe.ingredients || recipe.inShape?.flat() || [])
    .every((part) => part === null || registry.items[typeof part === 'object' ? part.id : part])
  for (const [id, all] of Object.entries(need('minecraft-data')('1.10.2').recipes)) {
    if (registry.items[Number(id)]) registry.recipes[Number(id)] = all.filter(known)
  }
}

module.exports = { mendRecipes }
