'use strict'
/**
 * Mend the recipes of the versions for which minecraft-data 3.117.0 knows one kind of wood or stone alone. They take
 * those of another version, as far as they have the items. The table is changed in place, because prismarine-recipe
 * 1.5.0 keeps it.
 */
const need = require('../../shared/need')

/** From which version on, before which, and whose recipes are valid for these too. */
const DONORS = [['1.8', '1.10', '1.10.2'], ['1.20.5', '1.21', '1.21.1']]

/** @param {Registry} registry */
function mendRecipes ({ version, itemsByName, recipes }) {
  const [, , donor] = DONORS.find(([from, to]) => version['>='](from) && version['<'](to)) ?? []
  if (!donor) return
  const other = need('minecraft-data')(donor)
  /**
   * Return a part of a recipe of the donor, with the numbers that its items have here.
   * @param {any} part @returns {any}
   */
  const translated = (part) => {
    if (part === null || part === -1) return part
    if (Array.isArray(part)) return part.map(translated)
    if (typeof part === 'object') return { ...part, id: translated(part.id) }
    const item = itemsByName[other.items[part]?.name]
    if (!item) throw new Missing()
    return item.id
  }
  for (const [id, all] of Object.entries(other.recipes)) {
    const known = all.flatMap((recipe) => {
      try {
        const parts = Object.entries(recipe).map(([key, part]) => [key, translated(part)])
        return /** @type {any} */ ([Object.fromEntries(parts)])
      } catch (error) {
        if (error instanceof Missing) return []
        throw error
      }
    })
    if (known.length) recipes[itemsByName[other.items[Number(id)].name].id] = known
  }
}

/** Is thrown for an item that the version does not have. */
class Missing extends Error {}

module.exports = { mendRecipes }
