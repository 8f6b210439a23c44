'use strict'
// Stacks of items as plain values {name, count, wear?}; the protocol's form is made only when one is sent.

/** @param {object} registry @param {Function} Item of prismarine-item */
function createStacks (registry, Item) {
  const stackSize = (stack) => registry.itemsByName[stack.name].stackSize
  const durability = (stack) => registry.itemsByName[stack.name].maxDurability ?? 0
  const same = (a, b) => a.name === b.name && (a.wear ?? 0) === (b.wear ?? 0)
  const id = (stack) => stack ? registry.itemsByName[stack.name].id : null

  /** @returns {object} the slot as prismarine-item writes it */
  function wire (stack) {
    if (!stack) return Item.toNotch(null)
    const item = new Item(id(stack), stack.count)
    if (stack.wear) item.durabilityUsed = stack.wear
    return Item.toNotch(item)
  }

  /**
   * Puts as much of a stack as fits into the given places, onto equal stacks first.
   * @param {Array<{get: Function, set: Function, fits?: Function, most?: number}>} places
   * @returns {number} how many were left over
   */
  function store (stack, places) {
    let left = stack.count
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

  return { stackSize, durability, same, id, wire, store }
}

/** @returns {object|null} the stack with n fewer */
function less (stack, n = 1) {
  return stack.count > n ? { ...stack, count: stack.count - n } : null
}

module.exports = { createStacks, less }
