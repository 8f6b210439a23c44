'use strict'
/**
 * Mend the recipes of the versions for which minecraft-data 3.119.0 knows one kind of wood, stone or wool alone: they
 * take those of other versions, as far as they have the items. The table is changed in place, because
 * prismarine-recipe 1.5.0 keeps it.
 */
const need = require('../../shared/need')

/** Versions from one on and before another, and a version whose recipes are valid for them too. */
const DONORS = [['1.8', '1.10', '1.10.2'], ['1.20.5', '1.21', '1.21.1'], ['1.20.5', '', '1.20.4']]
const FEW = 2

/**
 * Take the recipes of the donors. Those of a later version replace the version's own. Those of an earlier one join a
 * FEW of an item, if both know one of them: then the recipes of that item were not changed since.
 * @param {Registry} registry
 */
function mendRecipes ({ version, itemsByName, recipes }) {
  for (const [from, to, donor] of DONORS) {
    if (!version['>='](from) || (to && !version['<'](to))) continue
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
    for (const [id, given] of Object.entries(other.recipes)) {
      const known = given.flatMap((recipe) => {
        try {
          const parts = Object.entries(recipe).map(([key, part]) => [key, translated(part)])
          return /** @type {any} */ ([Object.fromEntries(parts)])
        } catch (error) {
          if (error instanceof Missing) return []
          throw error
        }
      })
      if (!known.length) continue
      const { id: here } = itemsByName[other.items[Number(id)].name]
      const own = version['<'](donor) ? [] : recipes[here] ?? []
      const all = new Map([...own, ...known].map((recipe) => [textOf(recipe), recipe]))
      const same = all.size < own.length + known.length
      if (!own.length || (same && own.length <= FEW)) recipes[here] = [...all.values()]
    }
  }
}

/** Return what a recipe takes and gives, as a text. @param {any} recipe */
const textOf = ({ inShape, ingredients, result }) => JSON.stringify([inShape ?? [...ingredients].sort(), result.count])

/** Is thrown for an item that the version does not have. */
class Missing extends Error {}

module.exports = { mendRecipes }
