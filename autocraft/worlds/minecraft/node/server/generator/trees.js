'use strict'
/** Describe trees as lists of blocks around the foot of the trunk, for the generator and for saplings. */

/**
 * A block of a tree: its offset from the first block above the ground, and what it is.
 * @typedef {[number, number, number, 'log' | 'leaves']} Part
 */

/**
 * What each kind of tree looks like; `low` and `high` limit the height of the trunk.
 * @type {Record<string, {
 *   low: number, high: number, crown: (height: number, random: Random) => Part[], wide?: boolean
 * }>}
 */
const KINDS = {
  oak: { low: 4, high: 6, crown: round },
  birch: { low: 5, high: 7, crown: round },
  spruce: { low: 6, high: 9, crown: cone },
  jungle: { low: 7, high: 11, crown: round },
  acacia: { low: 5, high: 7, crown: flat },
  dark_oak: { low: 6, high: 8, crown: round, wide: true }
}

/**
 * @param {string} kind a name of KINDS @param {Random} random
 * @returns {Part[]} logs come last
 */
function tree (kind, random) {
  const { low, high, crown, wide } = KINDS[kind]
  const height = random.between(low, high)
  const blocks = crown(height, random)
  const feet = wide ? [[0, 0], [1, 0], [0, 1], [1, 1]] : [[0, 0]]
  if (wide) for (const [x, y, z, what] of [...blocks]) blocks.push([x + 1, y, z + 1, what])
  for (let y = 0; y < height; y++) {
    for (const [x, z] of feet) blocks.push([x, y, z, 'log'])
  }
  return blocks
}

/**
 * @param {Part[]} blocks @param {number} y @param {number} radius
 * @param {Random} random
 */
function disc (blocks, y, radius, random) {
  for (let x = -radius; x <= radius; x++) {
    for (let z = -radius; z <= radius; z++) {
      const corner = Math.abs(x) === radius && Math.abs(z) === radius
      if (!corner || (radius > 1 && random.chance(0.4))) blocks.push([x, y, z, 'leaves'])
    }
  }
}

/** @param {number} height @param {Random} random @returns {Part[]} */
function round (height, random) {
  /** @type {Part[]} */
  const blocks = []
  disc(blocks, height - 3, 2, random)
  disc(blocks, height - 2, 2, random)
  disc(blocks, height - 1, 1, random)
  disc(blocks, height, 1, random)
  return blocks
}

/** @param {number} height @param {Random} random @returns {Part[]} */
function cone (height, random) {
  /** @type {Part[]} */
  const blocks = [[0, height, 0, 'leaves']]
  for (let y = height - 1, radius = 1; y >= 2; y--) {
    disc(blocks, y, radius, random)
    radius = radius === 2 ? 1 : 2
  }
  return blocks
}

/** @param {number} height @param {Random} random @returns {Part[]} */
function flat (height, random) {
  /** @type {Part[]} */
  const blocks = []
  disc(blocks, height - 1, 3, random)
  disc(blocks, height, 2, random)
  return blocks
}

module.exports = { tree, KINDS }
