'use strict'
/**
 * Plant what stands on the ground of a new column: trees, grass, flowers, cactus, sugar cane, pumpkins. Fill pools of
 * lava.
 */
const { hash, hashText, Random } = require('../random')
const { BIOMES, SEA } = require('./land')
const { KINDS, tree } = require('./trees')

const FLOWERS = ['dandelion', 'poppy', 'oxeye_daisy', 'cornflower', 'azure_bluet']

/** @param {Land} land @param {States} states */
function createPlants (land, states) {
  const key = hash(land.seed, hashText('plants'))
  const soft = new Set(['air', 'grass', 'snow'].map((name) => states.state(name)))
  const ids = Object.fromEntries(
    ['air', 'grass', 'fern', 'cactus', 'sugar_cane', 'pumpkin', 'dead_bush', 'lava', 'stone', 'brown_mushroom'].map(
      (n) => [n, states.state(n)]
    )
  )
  const flowers = FLOWERS.map((name) => states.state(name))
  /** @type {Record<string, Record<'log' | 'leaves', number>>} */
  const wood = {}
  for (const kind of Object.keys(KINDS)) {
    wood[kind] = { log: states.state(`${kind}_log`), leaves: states.state(`${kind}_leaves`) }
  }

  /**
   * @param {number} cx @param {number} cz
   * @returns {[number, number, number]|null} where the pool of lava of a chunk lies, and its y
   */
  function pool (cx, cz) {
    const random = new Random(hash(key, cx, cz, 3))
    if (!random.chance(1 / 40)) return null
    const x = cx * 16 + random.between(5, 10)
    const z = cz * 16 + random.between(5, 10)
    const y = land.height(x, z)
    if (y <= SEA + 1) return null
    for (let dz = -4; dz <= 4; dz++) {
      for (let dx = -4; dx <= 4; dx++) if (land.height(x + dx, z + dz) < y) return null
    }
    return [x, y, z]
  }

  /** @param {number} cx @param {number} cz */
  function * treesOf (cx, cz) {
    const random = new Random(hash(key, cx, cz, 1))
    const hole = pool(cx, cz)
    /** @type {[number, number][]} */
    const planted = []
    for (let i = 0; i < 12; i++) {
      const x = cx * 16 + random.int(16)
      const z = cz * 16 + random.int(16)
      const look = new Random(hash(key, x, z, 2))
      const h = land.height(x, z)
      const { trees, kinds, top } = BIOMES[land.biome(x, z, h)]
      if (i >= trees || top !== 'grass_block' || h <= SEA || land.mouth(x, z, h)) continue
      if (hole && Math.abs(hole[0] - x) < 6 && Math.abs(hole[2] - z) < 6) continue
      if (planted.some(([a, b]) => Math.abs(a - x) < 3 && Math.abs(b - z) < 3)) continue
      planted.push([x, z])
      yield { x, y: h + 1, z, kind: look.pick(kinds), look }
    }
  }

  /** @param {Uint16Array} column @param {number} cx @param {number} cz */
  function plantTrees (column, cx, cz) {
    for (let dz = -1; dz <= 1; dz++) {
      for (let dx = -1; dx <= 1; dx++) {
        for (const { x, y, z, kind, look } of treesOf(cx + dx, cz + dz)) {
          for (const [i, j, k, what] of tree(kind, look)) {
            const lx = x + i - cx * 16
            const lz = z + k - cz * 16
            if (lx < 0 || lz < 0 || lx > 15 || lz > 15 || y + j > 255) continue
            const at = ((y + j) << 8) | (lz << 4) | lx
            if (what === 'log' || soft.has(column[at])) column[at] = wood[kind][what]
          }
        }
      }
    }
  }

  /** @param {Uint16Array} column @param {number} cx @param {number} cz */
  function pourLava (column, cx, cz) {
    const hole = pool(cx, cz)
    if (!hole) return
    const [x, y, z] = hole
    for (let dz = -3; dz <= 3; dz++) {
      for (let dx = -3; dx <= 3; dx++) {
        if (dx * dx + dz * dz > 9) continue
        const foot = ((z + dz - cz * 16) << 4) | (x + dx - cx * 16)
        column[((y - 1) << 8) | foot] = ids.stone
        column[(y << 8) | foot] = ids.lava
        for (let up = 1; up < 8; up++) column[((y + up) << 8) | foot] = ids.air
      }
    }
  }

  /** @param {Uint16Array} column @param {Int16Array} heights @param {number} cx @param {number} cz */
  function scatter (column, heights, cx, cz) {
    const random = new Random(hash(key, cx, cz, 4))
    for (let i = 0; i < 24; i++) {
      const x = random.int(16)
      const z = random.int(16)
      const roll = random.next()
      const h = heights[z * 16 + x]
      const biome = land.biome(cx * 16 + x, cz * 16 + z, h)
      const ground = column[(h << 8) | (z << 4) | x]
      const at = ((h + 1) << 8) | (z << 4) | x
      if (column[at] !== ids.air) continue
      if (ground === states.state('grass_block')) {
        if (i < BIOMES[biome].grass) {
          column[at] =
            roll < 0.8
              ? ids.grass
              : roll < 0.97
                ? random.pick(flowers)
                : biome === 'plains'
                  ? ids.pumpkin
                  : ids.brown_mushroom
        }
      } else if (biome === 'desert' && h > SEA && i < 5) {
        if (roll < 0.5) column[at] = ids.dead_bush
        else if (free(column, x, z, h + 1)) {
          for (let up = 0; up < 1 + ((roll * 100) % 3); up++) column[at + (up << 8)] = ids.cactus
        }
      } else if (biome === 'beach' && h === SEA - 1 && roll < 0.6 && wet(column, x, z, h)) {
        for (let up = 0; up < 3; up++) column[at + (up << 8)] = ids.sugar_cane
      }
    }
  }

  /** @param {Uint16Array} column @param {number} x @param {number} z @param {number} y */
  function free (column, x, z, y) {
    return (
      x > 0 &&
      z > 0 &&
      x < 15 &&
      z < 15 &&
      [-1, 1, -16, 16].every((step) => column[((y << 8) | (z << 4) | x) + step] === ids.air)
    )
  }

  /** @param {Uint16Array} column @param {number} x @param {number} z @param {number} y */
  function wet (column, x, z, y) {
    const water = states.state('water')
    return (
      x > 0 &&
      z > 0 &&
      x < 15 &&
      z < 15 &&
      [-1, 1, -16, 16].some((step) => column[((y << 8) | (z << 4) | x) + step] === water)
    )
  }

  /** @param {Uint16Array} column @param {Int16Array} heights @param {number} cx @param {number} cz */
  return function plant (column, heights, cx, cz) {
    plantTrees(column, cx, cz)
    pourLava(column, cx, cz)
    scatter(column, heights, cx, cz)
  }
}

module.exports = { createPlants }
