'use strict'
/**
 * Carry out a click in a window by the rules of Minecraft's inventory, on plain values. The result goes into the
 * window, into the player's cursor, and into the list of dropped stacks.
 */
const { less } = require('./stacks')

const OUTSIDE = -999

/**
 * @param {GameWindow} window @param {Player} player @param {Stacks} tools
 * @param {{slot: number, button: number, mode: number}} asked
 * @returns {Stack[]} stacks that fall to the ground
 */
function click (window, player, tools, { slot, button, mode }) {
  const target = window.places[slot]
  if (mode === 5) return drag(window, player, tools, slot, button)
  player.drag = undefined
  if (slot === OUTSIDE) return mode === 0 ? dropCursor(player, button) : []
  if (!target) return []
  switch (mode) {
    case 0:
      if (target.take) takeResult(target, player, tools)
      else if (button === 0) leftClick(target, player, tools)
      else if (button === 1) rightClick(target, player, tools)
      return []
    case 1: return shiftClick(window, slot, target, tools)
    case 2: return numberClick(window, target, button, tools)
    case 4: return dropFrom(target, player, button)
    case 6: gather(window, player, tools)
  }
  return []
}

/** @param {Place} target @param {Stack} stack */
const fits = (target, stack) => !target.fits || target.fits(stack)
/** @param {Place} target @param {Stack} stack @param {Stacks} tools */
const room = (target, stack, tools) => Math.min(tools.stackSize(stack), target.most ?? 64)

/** @param {Player} player @param {number} button @returns {Stack[]} */
function dropCursor (player, button) {
  if (!player.cursor) return []
  const count = button === 0 ? player.cursor.count : 1
  const fallen = { ...player.cursor, count }
  player.cursor = less(player.cursor, count)
  return [fallen]
}

/** @param {Place} target @param {Player} player @param {Stacks} tools */
function leftClick (target, player, tools) {
  const there = target.get()
  const held = player.cursor
  if (!held) {
    player.cursor = there ?? null
    target.set(null)
  } else if (!fits(target, held)) {
    // the stack stays at the cursor
  } else if (!there || tools.same(there, held)) {
    put(target, player, tools, held.count)
  } else if (held.count <= room(target, held, tools)) {
    target.set(held)
    player.cursor = there
  }
}

/** @param {Place} target @param {Player} player @param {Stacks} tools */
function rightClick (target, player, tools) {
  const there = target.get()
  const held = player.cursor
  if (!held) {
    if (!there) return
    const taken = Math.ceil(there.count / 2)
    player.cursor = { ...there, count: taken }
    target.set(less(there, taken))
  } else if (!there || tools.same(there, held)) {
    if (fits(target, held)) put(target, player, tools, 1)
  } else {
    leftClick(target, player, tools)
  }
}

/** @param {Place} target @param {Player} player @param {Stacks} tools @param {number} wanted */
function put (target, player, tools, wanted) {
  const there = target.get()
  const held = player.cursor
  if (!held) return
  const moved = Math.min(wanted, room(target, held, tools) - (there?.count ?? 0))
  if (moved <= 0) return
  target.set({ ...held, count: (there?.count ?? 0) + moved })
  player.cursor = less(held, moved)
}

/** @param {Place} target @param {Player} player @param {Stacks} tools */
function takeResult (target, player, tools) {
  const made = target.get()
  if (!made) return
  const held = player.cursor
  if (held && (!tools.same(held, made) || held.count + made.count > tools.stackSize(made))) return
  player.cursor = { ...made, count: made.count + (held?.count ?? 0) }
  target.take?.()
}

/** @param {GameWindow} window @param {number} slot @param {Place} target @param {Stacks} tools @returns {Stack[]} */
function shiftClick (window, slot, target, tools) {
  const places = shiftTargets(window, slot)
  if (!target.take) {
    const there = target.get()
    if (!there) return []
    const left = tools.store(there, places.filter((p) => fits(p, there)))
    target.set(left ? { ...there, count: left } : null)
    return []
  }
  const first = target.get()
  for (let made = first; first && made && tools.same(made, first); made = target.get()) {
    const space = places.reduce((sum, p) => sum + spaceFor(p, made, tools), 0)
    if (space < made.count) break
    tools.store(made, places)
    target.take()
    if (target.once) break
  }
  return []
}

/** @param {Place} target @param {Stack} stack @param {Stacks} tools */
function spaceFor (target, stack, tools) {
  const there = target.get()
  if (!there) return fits(target, stack) ? room(target, stack, tools) : 0
  return tools.same(there, stack) ? room(target, stack, tools) - there.count : 0
}

/**
 * Return where shift-click sends a stack: between box and inventory, or between inventory and quick bar.
 * @param {GameWindow} window @param {number} slot
 */
function shiftTargets (window, slot) {
  const [from, to] = window.inventory
  const main = window.places.slice(from, window.quick)
  const quick = window.places.slice(window.quick, to)
  if (slot < from || slot >= to) return [...quick.toReversed(), ...main.toReversed()]
  const box =
    window.id === 0
      ? window.places.slice(5, 9)
      : window.places
          .slice(0, window.own)
          .filter((p, i) => !p.take && !p.output && !(window.grid && i >= window.grid[0] && i < window.grid[1]))
  return slot < window.quick
    ? [...box, ...(window.id === 0 || !box.length ? quick : [])]
    : [...box, ...(window.id === 0 || !box.length ? main : [])]
}

/** @param {GameWindow} window @param {Place} target @param {number} button @param {Stacks} tools @returns {Stack[]} */
function numberClick (window, target, button, tools) {
  if (button < 0 || button > 8) return []
  const quick = window.places[window.quick + button]
  const there = target.get()
  const mine = quick.get()
  if (quick === target) return []
  if (target.take) {
    if (!there || mine) return []
    quick.set(there)
    target.take()
  } else if (!mine || (fits(target, mine) && mine.count <= room(target, mine, tools))) {
    target.set(mine ?? null)
    quick.set(there ?? null)
  }
  return []
}

/** @param {Place} target @param {Player} player @param {number} button @returns {Stack[]} */
function dropFrom (target, player, button) {
  const there = target.get()
  if (!there || player.cursor) return []
  const count = button === 0 && !target.take ? 1 : there.count
  if (target.take) target.take()
  else target.set(less(there, count))
  return [{ ...there, count }]
}

/** @param {GameWindow} window @param {Player} player @param {Stacks} tools */
function gather (window, player, tools) {
  if (!player.cursor) return
  const most = tools.stackSize(player.cursor)
  for (const target of window.places) {
    const there = target.get()
    if (target.take || !there || !tools.same(there, player.cursor)) continue
    const moved = Math.min(there.count, most - player.cursor.count)
    if (moved <= 0) continue
    player.cursor = { ...player.cursor, count: player.cursor.count + moved }
    target.set(less(there, moved))
  }
}

/**
 * Handle dragging: button 0 or 4 begins, 1 or 5 adds a slot, 2 or 6 ends. The left button shares evenly, the right
 * button gives one item to each slot.
 * @param {GameWindow} window @param {Player} player @param {Stacks} tools @param {number} slot @param {number} button
 * @returns {Stack[]}
 */
function drag (window, player, tools, slot, button) {
  if (button === 0 || button === 4) {
    player.drag = { one: button === 4, places: [] }
  } else if ((button === 1 || button === 5) && player.drag) {
    const target = window.places[slot]
    if (target && !target.take && !target.output && !player.drag.places.includes(target)) {
      player.drag.places.push(target)
    }
  } else if ((button === 2 || button === 6) && player.drag) {
    const { one, places } = player.drag
    player.drag = undefined
    const share = player.cursor && places.length ? (one ? 1 : Math.floor(player.cursor.count / places.length)) : 0
    for (const target of places) {
      const held = player.cursor
      const there = target.get()
      if (held && share > 0 && fits(target, held) && (!there || tools.same(there, held))) {
        put(target, player, tools, share)
      }
    }
  }
  return []
}

module.exports = { click }
