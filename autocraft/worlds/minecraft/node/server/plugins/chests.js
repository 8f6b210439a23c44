'use strict'
/**
 * Open chests of 27 slots, two chests side by side as one of 54, and barrels. When one is broken, its contents fall to
 * the ground.
 */
const { place } = require('../windows')

const ROWS_3 = 2 // window types of the protocol
const ROWS_6 = 5
/** @type {Record<string, [number, number]>} */
// the step to the right half, seen from the left half
const SIDES = { north: [1, 0], south: [-1, 0], east: [0, 1], west: [0, -1] }

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { world } = serv
  /** @param {number} x @param {number} y @param {number} z */
  const slotsAt = (x, y, z) => {
    const name = serv.key(x, y, z)
    if (!world.things.has(name)) world.things.set(name, { kind: 'chest', x, y, z, slots: new Array(27).fill(null) })
    return world.things.get(name).slots
  }
  /** @param {(Stack | null)[]} slots */
  const places = (slots) => slots.map((_, i) => place(slots, i))

  for (const block of ['chest', 'trapped_chest', 'barrel']) {
    serv.onUse(block, (player, at) => {
      const { x, y, z } = at
      const other = otherHalf(x, y, z)
      const halves = [[x, z], ...(other ? [other] : [])]
      if (block !== 'barrel' && halves.some(([i, k]) => blocked(i, y + 1, k))) return
      if (other && serv.states.properties(world.get(x, y, z)).type === 'left') halves.reverse()
      const all = halves.flatMap(([i, k]) => places(slotsAt(i, y, k)))
      player.openWindow({
        type: other ? ROWS_6 : ROWS_3,
        title: other ? 'Large Chest' : block === 'barrel' ? 'Barrel' : 'Chest',
        places: all,
        at,
        block
      })
    })
  }

  /** @param {number} x @param {number} y @param {number} z */
  function blocked (x, y, z) {
    const { block } = serv.states
    return world.solidAt(x, y, z) && block(world.get(x, y, z)).filterLight > 0
  }

  /**
   * @param {number} x @param {number} y @param {number} z
   * @returns {number[]|null} x, z of the chest that this one is joined with
   */
  function otherHalf (x, y, z) {
    const state = world.get(x, y, z)
    const { type, facing } = serv.states.properties(state)
    if (type !== 'left' && type !== 'right') return null
    const [dx, dz] = SIDES[facing].map((d) => type === 'left' ? d : -d)
    return world.name(x + dx, y, z + dz) === world.name(x, y, z) ? [x + dx, z + dz] : null
  }

  /** Join a new chest with a single one beside it that faces the same way. */
  serv.joinChest = (x, y, z) => {
    const name = world.name(x, y, z)
    const { facing } = serv.states.properties(world.get(x, y, z))
    for (const type of ['left', 'right']) {
      const sign = type === 'left' ? 1 : -1
      const [dx, dz] = SIDES[facing].map((d) => d * sign)
      const beside = world.get(x + dx, y, z + dz)
      const there = serv.states.name(beside) === name ? serv.states.properties(beside) : {}
      if (there.facing !== facing || there.type !== 'single') continue
      world.set(x, y, z, serv.states.state(name, { facing, type }))
      world.set(x + dx, y, z + dz, serv.states.state(name, { facing, type: type === 'left' ? 'right' : 'left' }))
      return
    }
  }

  serv.on('blockChanged', (x, y, z, before, after) => {
    if (serv.states.name(before) === serv.states.name(after)) return
    part(x, y, z, before)
    const thing = world.things.get(serv.key(x, y, z))
    if (!thing) return
    world.things.delete(serv.key(x, y, z))
    for (const stack of thing.slots ?? []) if (stack) serv.dropItem({ x: x + 0.5, y: y + 0.5, z: z + 0.5 }, stack)
  })

  /**
   * Make the other half of a broken double chest a single chest.
   * @param {number} x @param {number} y @param {number} z @param {number} before
   */
  function part (x, y, z, before) {
    if (!['chest', 'trapped_chest'].includes(serv.states.name(before))) return
    const { type, facing } = serv.states.properties(before)
    if (type === 'single') return
    const [dx, dz] = SIDES[facing].map((d) => type === 'left' ? d : -d)
    if (world.name(x + dx, y, z + dz) === serv.states.name(before)) {
      world.set(x + dx, y, z + dz, serv.states.state(serv.states.name(before), { facing }))
    }
  }
}
