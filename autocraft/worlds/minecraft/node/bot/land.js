'use strict'
/** See the land as a builder does: layers of a box, and flat places. */
const need = require('../shared/need')
const { Fault } = require('../shared/fault')
const { isAir } = require('./columns')
const { place } = require('./words')

const { Vec3 } = need('vec3')

const MOST_CELLS = 8192
const [AIR, UNSEEN] = [-1, -2] // the cells of a survey that have no kind; building/layers.py reads them
const GROWTH = /(_log|_leaves|_stem|_wood|bamboo|mushroom_block|_wart_block|cactus)$/
const LIQUID = /^(water|lava|bubble_column|kelp|kelp_plant|seagrass|tall_seagrass)$/
const STEP = 1 // blocks that a walk climbs from one column to the next
const DROP = 3

/** @typedef {{y: number, free: boolean, dry: boolean}} Ground the uppermost solid block of a column */

/**
 * Return the lowest corner of a box, the kinds of its blocks, and for each cell of its layers the number of its kind.
 * @param {Bot} bot @param {{x1: number, y1: number, z1: number, x2: number, y2: number, z2: number}} parts
 */
function survey (bot, { x1, y1, z1, x2, y2, z2 }) {
  const low = new Vec3(Math.min(x1, x2), Math.min(y1, y2), Math.min(z1, z2))
  const high = new Vec3(Math.max(x1, x2), Math.max(y1, y2), Math.max(z1, z2))
  const cells = (high.x - low.x + 1) * (high.y - low.y + 1) * (high.z - low.z + 1)
  if (cells > MOST_CELLS) throw new Fault(`the box has ${cells} blocks: survey at most ${MOST_CELLS} at once`)
  /** @type {Map<string, number>} */
  const kinds = new Map()
  /** @param {Block | null} block */
  const kindOf = (block) => {
    if (!block || !bot.autocraft.eyes.know(block.position.x, block.position.y, block.position.z)) return UNSEEN
    if (isAir(block)) return AIR
    if (!kinds.has(block.name)) kinds.set(block.name, kinds.size)
    return /** @type {number} */ (kinds.get(block.name))
  }
  const layers = []
  const at = new Vec3(0, 0, 0)
  for (at.y = low.y; at.y <= high.y; at.y++) {
    const rows = []
    for (at.z = low.z; at.z <= high.z; at.z++) {
      const row = []
      for (at.x = low.x; at.x <= high.x; at.x++) row.push(kindOf(bot.blockAt(at)))
      rows.push(row)
    }
    layers.push(rows)
  }
  return { low: [low.x, low.y, low.z], kinds: [...kinds.keys()], layers }
}

/** Return the ground of a column, or null if none is loaded. @param {Bot} bot @param {number} x @param {number} z */
function groundOf (bot, x, z) {
  const at = new Vec3(x, Math.floor(bot.entity.position.y) + 24, z)
  let free = true
  let dry = true
  for (const low = at.y - 64; at.y > low; at.y--) {
    const block = bot.blockAt(at)
    if (!block) return null
    if (LIQUID.test(block.name)) dry = false
    else if (GROWTH.test(block.name)) free = false
    else if (block.boundingBox === 'block') return { y: at.y, free, dry }
  }
  return null
}

/**
 * Return places for a rectangle of ground, the best first: dry, free of trees, and on the way from the bot over the
 * land. A place costs what is dug away or is missing below it, and the way there.
 * @param {Bot} bot @param {number} width @param {number} depth @param {number} radius
 */
function sites (bot, width, depth, radius) {
  const here = bot.entity.position.floored()
  /** @type {Map<string, Ground | null>} */
  const known = new Map()
  /** @param {number} x @param {number} z */
  const ground = (x, z) => {
    const key = `${x},${z}`
    if (!known.has(key)) known.set(key, groundOf(bot, x, z))
    return known.get(key) ?? null
  }
  const reached = walkable(here, radius + Math.max(width, depth), ground)
  const found = []
  for (let x = here.x - radius; x <= here.x + radius - width + 1; x++) {
    for (let z = here.z - radius; z <= here.z + radius - depth + 1; z++) {
      if (!reached.has(`${x},${z}`)) continue
      const columns = []
      for (let dx = 0; dx < width; dx++) for (let dz = 0; dz < depth; dz++) columns.push(ground(x + dx, z + dz))
      const at = levelOf(bot, x, z, columns)
      if (!at) continue
      const away = Math.hypot(x + width / 2 - here.x, z + depth / 2 - here.z)
      found.push({ ...at, away, cost: at.dig + 3 * at.missing + away / 2 })
    }
  }
  return found.sort((a, b) => a.cost - b.cost || a.x - b.x || a.z - b.z)
}

/**
 * Return how high a rectangle of ground lies, and what is above and missing below, or null if nothing can stand there.
 * @param {Bot} bot @param {number} x @param {number} z @param {(Ground | null)[]} columns
 */
function levelOf (bot, x, z, columns) {
  /** @type {Map<number, number>} */
  const heights = new Map()
  for (const column of columns) {
    if (!column || !column.free || !column.dry) return null
    heights.set(column.y, (heights.get(column.y) ?? 0) + 1)
  }
  const [[y]] = [...heights].sort((a, b) => b[1] - a[1] || a[0] - b[0])
  const at = new Vec3(x, y, z)
  if (bot.autocraft.bounds.outside(at)) return null
  let [dig, missing] = [0, 0]
  for (const [height, count] of heights) {
    if (Math.abs(height - y) > 2) return null
    dig += count * Math.max(0, height - y)
    missing += count * Math.max(0, y - height)
  }
  return { x, y, z, dig, missing }
}

/**
 * Return the columns to which the bot can walk over the land.
 * @param {Vec3} here @param {number} far @param {(x: number, z: number) => Ground | null} ground
 */
function walkable (here, far, ground) {
  const first = `${here.x},${here.z}`
  const reached = new Map([[first, here.y - 1]])
  const open = [[here.x, here.z]]
  for (let cell = open.shift(); cell; cell = open.shift()) {
    const [x, z] = cell
    const from = reached.get(`${x},${z}`) ?? 0
    for (const [nx, nz] of [[x + 1, z], [x - 1, z], [x, z + 1], [x, z - 1]]) {
      const key = `${nx},${nz}`
      if (reached.has(key) || Math.abs(nx - here.x) > far || Math.abs(nz - here.z) > far) continue
      const next = ground(nx, nz)
      if (!next || !next.dry || next.y > from + STEP || next.y < from - DROP) continue
      reached.set(key, next.y)
      open.push([nx, nz])
    }
  }
  return reached
}

/** @param {Bot} bot @param {{width: number, depth: number, radius: number}} parts */
function find_site (bot, { width, depth, radius }) {
  const found = sites(bot, width, depth, radius)
  if (!found.length) {
    throw new Fault(
      `No flat, dry place of ${width}x${depth} without trees within ${radius} blocks that the bot can walk to: ` +
      'explore, or look for a smaller one'
    )
  }
  /** @type {typeof found} */
  const apart = []
  for (const each of found) {
    const far = apart.every(({ x, z }) => Math.hypot(x - each.x, z - each.z) > Math.max(width, depth))
    if (far) apart.push(each)
    if (apart.length === 3) break
  }
  const lines = apart.map(({ x, y, z, dig, missing, away }) => {
    const uneven = [dig && `${dig} blocks are above it`, missing && `${missing} are missing below`].filter(Boolean)
    return `from ${place({ x, y, z })} to ${place({ x: x + width - 1, y, z: z + depth - 1 })}, ${Math.round(away)} ` +
      `blocks away${uneven.length ? `; ${uneven.join(', ')}` : ''}`
  })
  return { text: `Ground of ${width}x${depth}: ${lines.join(' | ')}`, sites: apart }
}

module.exports = { survey, find_site }
