'use strict'
/**
 * Carry out clicks in windows: plain left and right ones, shift and the number keys, and what a grid of ingredients
 * makes.
 */

/**
 * A grid's result by recipes of minecraft-data, or null.
 * @param {any} recipes @param {any} Item @param {any[]} cells row by row @param {number} wide
 */
function result (recipes, Item, cells, wide) {
  const rows = []
  for (let at = 0; at < cells.length; at += wide) rows.push(cells.slice(at, at + wide))
  const filled = rows.map((row) => row.some(Boolean))
  const columns = [...Array(wide).keys()].filter((x) => rows.some((row) => row[x]))
  if (!columns.length) return null
  const grid = rows
    .slice(filled.indexOf(true), filled.lastIndexOf(true) + 1)
    .map((row) => row.slice(columns[0], columns.at(-1) + 1))
  for (const recipe of Object.values(recipes).flat()) {
    if (recipe.inShape ? same(recipe.inShape, grid) : loose(recipe.ingredients, cells.filter(Boolean))) {
      return new Item(recipe.result.id, recipe.result.count, recipe.result.metadata || 0)
    }
  }
  return null
}

const idOf = (wanted) =>
  Array.isArray(wanted) ? wanted[0] : wanted !== null && typeof wanted === 'object' ? wanted.id : wanted
function fits (wanted, item) {
  const id = idOf(wanted)
  if (id === null || id === undefined || id === -1) return !item
  const exact = typeof wanted === 'object' && !Array.isArray(wanted) && wanted.metadata >= 0 ? wanted.metadata : null
  return Boolean(item) && item.type === id && (exact === null || item.metadata === exact)
}

const same = (shape, grid) => shape.length === grid.length &&
  shape.every((row, y) => row.length === grid[y].length && row.every((wanted, x) => fits(wanted, grid[y][x])))

function loose (wanted, items) {
  if (!wanted || wanted.length !== items.length) return false
  const left = [...items]
  return wanted.every((each) => {
    const at = left.findIndex((item) => fits(each, item))
    return at >= 0 && left.splice(at, 1)
  })
}

const like = (a, b) => a && b && a.type === b.type && a.metadata === b.metadata

/**
 * Move a stack out of a chest or furnace into the pack, as a click with shift does: onto stacks like it, then into free
 * slots. Vanilla starts at the pack's end, but for the input and the fuel of a furnace.
 * @param {any} window @param {number} slot @param {any} Item
 */
function shift (window, slot, Item) {
  const { slots, first } = window
  const order = [...Array(slots.length - first).keys()].map((at) => at + first)
  if (window.kind !== 'furnace' || slot === window.output) order.reverse()
  for (const free of [false, true]) {
    for (const at of order) {
      const [from, to] = [slots[slot], slots[at]]
      if (!from || (free ? to : !like(to, from))) continue
      const moved = Math.min(from.count, 64 - (to ? to.count : 0))
      if (moved) slots[at] = new Item(from.type, (to ? to.count : 0) + moved, from.metadata, from.nbt)
      slots[slot] = moved < from.count ? new Item(from.type, from.count - moved, from.metadata, from.nbt) : null
    }
  }
  return true
}

/**
 * Carries out one click; returns false for one that this window does not know.
 * @param {any} window kind, slots, first (that of the pack), cursor, grid or null, output (index or -1), take() after
 * something was taken out of the output, toss(item)
 * @param {{slot: number, mouseButton: number, mode: number}} packet @param {any} Item
 */
function click (window, { slot, mouseButton: button, mode }, Item) {
  const { slots } = window
  const count = (item, by) => (by > 0 ? new Item(item.type, by, item.metadata, item.nbt) : null)
  if (slot === -999) {
    if (mode === 0 && window.cursor) {
      const thrown = button === 0 ? window.cursor.count : 1
      window.toss(count(window.cursor, thrown))
      window.cursor = count(window.cursor, window.cursor.count - thrown)
    }
    return mode === 0
  }
  const there = slots[slot]
  if (mode === 2) {
    const hot = slots.length - (slots.length === 46 && window.id === 0 ? 10 : 9) + button
    ;[slots[slot], slots[hot]] = [slots[hot], there]
    return true
  }
  if (mode === 4) {
    if (!there) return true
    const thrown = button === 0 ? 1 : there.count
    window.toss(count(there, thrown))
    slots[slot] = count(there, there.count - thrown)
    return true
  }
  if (mode === 1) return !window.grid && slot < window.first && shift(window, slot, Item)
  if (mode !== 0) return false
  if (slot === window.output) {
    if (!there || (window.cursor && (!like(there, window.cursor) || there.count + window.cursor.count > 64))) {
      return true
    }
    window.cursor = count(there, there.count + (window.cursor ? window.cursor.count : 0))
    slots[slot] = null
    window.take()
    return true
  }
  if (!window.cursor) {
    const taken = there ? (button === 0 ? there.count : Math.ceil(there.count / 2)) : 0
    window.cursor = there ? count(there, taken) : null
    slots[slot] = there ? count(there, there.count - taken) : null
  } else if (!there || like(there, window.cursor)) {
    const put = Math.min(button === 0 ? window.cursor.count : 1, 64 - (there ? there.count : 0))
    slots[slot] = count(window.cursor, (there ? there.count : 0) + put)
    window.cursor = count(window.cursor, window.cursor.count - put)
  } else {
    [slots[slot], window.cursor] = [window.cursor, there]
  }
  return true
}

module.exports = { click, result, like }
