'use strict'
/**
 * Handle stacks of items as plain values {name, count, wear?}. A stack takes the protocol's form only when it is sent.
 */

/** @param {Registry} registry @param {typeof import('prismarine-item').Item} Item */
function createStacks (registry, Item) {
  /** @param {Stack} stack */
  const stackSize = (stack) => registry.itemsByName[stack.name].stackSize
  /** @param {Stack} stack */
  const durability = (stack) => registry.itemsByName[stack.name].maxDurability ?? 0
  /** @param {Stack} a @param {Stack} b */
  const same = (a, b) => a.name === b.name && (a.wear ?? 0) === (b.wear ?? 0)
  /** @param {string} name of an item */
  const idOf = (name) => registry.itemsByName[name].id
  /** @param {Stack | null} stack */
  const id = (stack) => stack ? idOf(stack.name) : null

  /** @param {Stack | null} stack @returns {object} the slot as prismarine-item writes it */
  function wire (stack) {
    if (!stack) return Item.toNotch(null)
    const item = new Item(idOf(stack.name), stack.count)
    if (stack.wear) item.durabilityUsed = stack.wear
    return Item.toNotch(item)
  }

  /**
   * Put as much of a stack as fits into the given places, onto equal stacks first.
   * @param {Stack} stack @param {Place[]} places
   * @returns {number} how many were left over
   */
  function store (stack, places) {
    let left = stack.count
    /** @param {Place} place */
    const most = (place) => Math.min(stackSize(stack), place.most ?? 64)
    for (const place of places) {
      const there = place.get()
      if (left === 0 || !there || !same(there, stack) || there.count >= most(place)) continue
      const moved = Math.min(left, most(place) - there.count)
      place.set({ ...there, count: there.count + moved })
      left -= moved
    }
    for (const place of places) {
      if (left === 0) break
      if (place.get() || (place.fits && !place.fits(stack))) continue
      const moved = Math.min(left, most(place))
      place.set({ ...stack, count: moved })
      left -= moved
    }
    return left
  }

  return { stackSize, durability, same, id, idOf, wire, store }
}

/** @param {Stack} stack @param {number} [n] @returns {Stack | null} the stack with n fewer */
function less (stack, n = 1) {
  return stack.count > n ? { ...stack, count: stack.count - n } : null
}

module.exports = { createStacks, less }
