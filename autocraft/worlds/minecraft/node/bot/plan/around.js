'use strict'
/** Find which kinds of block lie around the bot, in one pass over the loaded world. */
const need = require('../../shared/need')

const { Vec3 } = need('vec3')

const AXES = /** @type {const} */ (['x', 'y', 'z'])
const REFUSED = 64 // so many blocks of one kind that must be kept, and no more of that kind are looked at

/** @typedef {(state: number, x: number, y: number, z: number, far: number) => void} Found */

/**
 * How far away the nearest block of each kind is that may be broken or used.
 * @param {Bot} bot @param {number} radius
 * @param {() => Promise<void>} pause called after each section of 16 x 16 x 16 blocks
 * @returns {Promise<Map<number, number>>} from a block's id to its distance; what is not there is left out
 */
async function kindsAround (bot, radius, pause) {
  const middle = bot.entity.position.floored()
  const states = bot.registry.blocksByStateId
  /** @type {Map<number, number>} */
  const nearest = new Map()
  /** @type {Map<number, number>} */
  const refused = new Map()
  /** @type {Found} */
  const found = (state, x, y, z, far) => {
    const { id } = states[state]
    if (far >= (nearest.get(id) ?? Infinity) || (refused.get(id) ?? 0) >= REFUSED) return
    if (bot.autocraft.bounds.keep(bot.blockAt(new Vec3(x, y, z)))) refused.set(id, (refused.get(id) || 0) + 1)
    else nearest.set(id, far)
  }
  for (const section of sections(bot, middle, radius)) {
    scan(section, middle, radius, states, found)
    await pause()
  }
  return nearest
}

/**
 * The sections within the radius that hold more than air, the nearest first.
 * @param {Bot} bot @param {Vec3} middle @param {number} radius
 */
function sections (bot, middle, radius) {
  const lowest = bot.game.minY || 0
  /** @type {{column: any, at: Point, far: number}[]} */
  const found = []
  for (let cx = (middle.x - radius) >> 4; cx <= (middle.x + radius) >> 4; cx++) {
    for (let cz = (middle.z - radius) >> 4; cz <= (middle.z + radius) >> 4; cz++) {
      const column = bot.world.getColumn(cx, cz)
      if (!column) continue
      column.sections.forEach((/** @type {any} */ section, /** @type {number} */ index) => {
        const at = { x: cx * 16, y: lowest + index * 16, z: cz * 16 }
        const far = Math.hypot(
          ...AXES.map((axis) => Math.max(at[axis] - middle[axis], middle[axis] - at[axis] - 15, 0))
        )
        if (far <= radius && !airOnly(bot, section)) found.push({ column, at, far })
      })
    }
  }
  return found.sort((a, b) => a.far - b.far)
}

/** Whether a section says of itself that it holds air alone. @param {Bot} bot @param {any} section */
function airOnly (bot, section) {
  if (!section) return true
  const { data } = section
  const kinds = (data && data.palette) || section.palette || (data && data.value !== undefined ? [data.value] : null)
  return Boolean(kinds) && kinds.every((/** @type {number} */ state) => isAir(bot.registry.blocksByStateId[state]))
}

/** @param {BlockKind} block */
const isAir = (block) => !block || block.name.endsWith('air')

/**
 * Tell `found` every block of a section that lies within the radius and is not air.
 * @param {{column: any, at: Point}} section @param {Vec3} middle @param {number} radius
 * @param {Registry['blocksByStateId']} states @param {Found} found
 */
function scan ({ column, at }, middle, radius, states, found) {
  const place = new Vec3(0, 0, 0)
  for (place.y = at.y; place.y < at.y + 16; place.y++) {
    for (place.z = 0; place.z < 16; place.z++) {
      for (place.x = 0; place.x < 16; place.x++) {
        const state = column.getBlockStateId(place)
        if (state === 0) continue // air in every version
        const [x, y, z] = [at.x + place.x, place.y, at.z + place.z]
        const far = Math.hypot(x - middle.x, y - middle.y, z - middle.z)
        if (far <= radius && !isAir(states[state])) found(state, x, y, z, far)
      }
    }
  }
}

module.exports = { kindsAround }
