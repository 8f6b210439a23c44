'use strict'
/**
 * Craft in grids of 2 x 2 and 3 x 3 by minecraft-data's recipes. Different planks may be mixed if each kind alone would
 * do.
 */
const { less } = require('../stacks')
const { place } = require('../windows')

const CRAFTING_WINDOW = 11
/** @type {Record<string, string>} */
const LEFTOVERS = { water_bucket: 'bucket', lava_bucket: 'bucket', milk_bucket: 'bucket', honey_bottle: 'glass_bottle' }

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { registry } = serv
  const book = readRecipes(registry)

  /** @param {(Stack | null)[]} list the grid, row by row @param {number} width @returns {Stack | null} what it makes */
  function make (list, width) {
    const cells = list.map((stack) => stack ? registry.itemsByName[stack.name].id : 0)
    const filled = cells.filter((id) => id !== 0)
    if (filled.length === 0) return null
    const shape = trim(rows(cells, width))
    const found = book.exact.get(shapeKey(shape)) ?? book.exact.get(setKey(filled)) ??
      book.mixed.get(shapeKey(shape.map((row) => row.map(book.general))))
    return found ? { name: registry.items[found.id].name, count: found.count } : null
  }

  serv.craftingResult = (list, width) => ({
    get: () => make(list, width),
    set: () => {},
    take: () => list.forEach((stack, i) => {
      if (!stack) return
      const left = LEFTOVERS[stack.name]
      list[i] = left && stack.count === 1 ? { name: left, count: 1 } : less(stack)
    })
  })

  serv.onUse('crafting_table', (player, at) => {
    const list = new Array(9).fill(null)
    const places = [serv.craftingResult(list, 3)]
    for (let i = 0; i < 9; i++) places.push(place(list, i))
    player.openWindow({
      type: CRAFTING_WINDOW, title: 'Crafting', places, grid: [1, 10], gridList: list, at, block: 'crafting_table'
    })
  })
}

/** @param {number[]} cells @param {number} width */
function rows (cells, width) {
  const result = []
  for (let i = 0; i < cells.length; i += width) result.push(cells.slice(i, i + width))
  return result
}

/** Cut empty rows and columns from the edges. @param {number[][]} shape */
function trim (shape) {
  const first = shape.findIndex((row) => row.some(Boolean))
  const kept = shape.slice(first, shape.findLastIndex((row) => row.some(Boolean)) + 1)
  const columns = kept[0].map((_, x) => kept.some((row) => Boolean(row[x])))
  return kept.map((row) => row.slice(columns.indexOf(true), columns.lastIndexOf(true) + 1))
}

/** @param {number[][]} shape */
const shapeKey = (shape) => shape.map((row) => row.join(',')).join(';')
/** @param {number[]} ids */
const setKey = (ids) => 'any:' + [...ids].sort((a, b) => a - b).join(',')

/**
 * @param {Registry} registry
 * @returns {{exact: Map<string, any>, mixed: Map<string, any>, general: (id: number) => number}} results by the key of
 * a shape, its mirror image or a set;
 *   mixed: by the shape with oak for any planks, where all kinds of planks make the same
 */
function readRecipes (registry) {
  const planks = new Set(registry.itemsArray.filter((item) => item.name.endsWith('_planks')).map((item) => item.id))
  const oak = registry.itemsByName.oak_planks.id
  /** @param {number} id */
  const general = (id) => planks.has(id) ? oak : id
  const exact = new Map()
  const mixed = new Map()
  const kinds = new Map()
  /** @param {import('minecraft-data').RecipeItem | undefined} cell */
  const idOf = (cell) => Math.max(0, (typeof cell === 'object' ? cell?.id : cell) ?? 0)
  for (const { inShape, ingredients, result } of Object.values(registry.recipes).flat()) {
    if (!inShape) {
      exact.set(setKey((ingredients ?? []).map(idOf)), result)
      continue
    }
    const width = Math.max(...inShape.map((row) => row.length))
    const shape = trim(inShape.map((row) => Array.from({ length: width }, (_, x) => idOf(row[x]))))
    exact.set(shapeKey(shape), result)
    const mirror = shapeKey(shape.map((row) => row.toReversed()))
    if (!exact.has(mirror)) exact.set(mirror, result)
    const key = shapeKey(shape.map((row) => row.map(general)))
    const seen = kinds.get(key + result.id) ?? 0
    kinds.set(key + result.id, seen + 1)
    if (seen + 1 >= planks.size) mixed.set(key, result)
  }
  return { exact, mixed, general }
}
