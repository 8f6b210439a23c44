'use strict'
/**
 * Search the loaded world for blocks, in sections of 16 x 16 x 16 blocks, the nearest first. A section is skipped if
 * its own palette shows that it has none of the blocks.
 */
const { Vec3 } = require('../shared/need')('vec3')

/** @typedef {{column: any, x: number, y: number, z: number, away: number, palette: number[] | null}} Section */

/** @param {Pick<BlockKind, 'name'> | null | undefined} block */
const isAir = (block) => !block || block.name.endsWith('air')

/**
 * Return the states that a section says it contains, or null if it does not say.
 * @param {any} section @returns {number[] | null}
 */
function paletteOf (section) {
  const { data, palette } = section
  const states = (data && data.palette) || palette || (data && data.value !== undefined ? [data.value] : null)
  return Array.isArray(states) ? states : null
}

/**
 * Return the loaded sections that touch a sphere, the nearest first, each with its distance `away`.
 * @param {Bot} bot @param {Vec3} from @param {number} far @returns {Section[]}
 */
function sections (bot, from, far) {
  /** @param {number} at @param {number} low */
  const gap = (at, low) => Math.max(low - at, at - low - 15, 0)
  const { minY: lowest = 0 } = bot.game
  /** @type {Section[]} */
  const found = []
  for (let cx = (from.x - far) >> 4; cx <= (from.x + far) >> 4; cx++) {
    for (let cz = (from.z - far) >> 4; cz <= (from.z + far) >> 4; cz++) {
      const column = bot.world.getColumn(cx, cz)
      if (!column) continue
      column.sections.forEach((/** @type {any} */ section, /** @type {number} */ index) => {
        const [x, y, z] = [cx * 16, lowest + index * 16, cz * 16]
        const away = Math.hypot(gap(from.x, x), gap(from.y, y), gap(from.z, z))
        if (section && away <= far) found.push({ column, x, y, z, away, palette: paletteOf(section) })
      })
    }
  }
  return found.sort((a, b) => a.away - b.away)
}

/**
 * Call `found` with the state and the place of each block of a section.
 * @param {Section} section @param {(state: number, x: number, y: number, z: number) => void} found
 */
function scan ({ column, x, y, z }, found) {
  const cell = new Vec3(0, 0, 0)
  for (cell.y = y; cell.y < y + 16; cell.y++) {
    for (cell.x = 0; cell.x < 16; cell.x++) {
      for (cell.z = 0; cell.z < 16; cell.z++) found(column.getBlockStateId(cell), x + cell.x, cell.y, z + cell.z)
    }
  }
}

/**
 * Return [x, y, z, state] of blocks of the `wanted` states that the bot knows of, the nearest first. The search ends
 * when no remaining section can contain a nearer block.
 * @param {Bot} bot @param {Vec3} from @param {number} far @param {number} most @param {Set<number>} wanted
 * @param {(at: {x: number, y: number, z: number, state: number}) => boolean} [fits] which of these count
 * @returns {number[][]}
 */
function nearestBlocks (bot, from, far, most, wanted, fits = () => true) {
  /** @param {number[]} a @param {number[]} b */
  const order = (a, b) => a[4] - b[4] || a[1] - b[1] || a[0] - b[0] || a[2] - b[2]
  /** @type {number[][]} */
  let found = []
  let bound = far
  for (const section of sections(bot, from, far)) {
    if (section.away > bound) break
    if (section.palette && !section.palette.some((state) => wanted.has(state))) continue
    scan(section, (state, x, y, z) => {
      if (!wanted.has(state)) return
      const away = Math.hypot(x - from.x, y - from.y, z - from.z)
      if (away > bound || !bot.autocraft.eyes.know(x, y, z) || !fits({ x, y, z, state })) return
      found.push([x, y, z, state, away])
    })
    if (found.length < most) continue
    found = found.sort(order).slice(0, most)
    bound = found[most - 1][4]
  }
  return found.sort(order).map((each) => each.slice(0, 4))
}

/** @type {WeakMap<Registry, Map<number, number[]>>} */
const known = new WeakMap()

/** Return the states of the blocks with these ids. @param {Bot} bot @param {number[]} ids @returns {Set<number>} */
function statesOf (bot, ids) {
  let byId = known.get(bot.registry)
  if (!byId) {
    byId = new Map()
    for (const [state, block] of Object.entries(bot.registry.blocksByStateId)) {
      if (!byId.has(block.id)) byId.set(block.id, [])
      byId.get(block.id)?.push(Number(state))
    }
    known.set(bot.registry, byId)
  }
  return new Set(ids.flatMap((id) => byId.get(id) ?? []))
}

module.exports = { isAir, nearestBlocks, scan, sections, statesOf }
