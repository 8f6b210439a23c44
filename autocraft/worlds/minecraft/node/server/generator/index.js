'use strict'
/**
 * Make a column of the world from the seed: ground, caves, ores, plants, in this order. The same seed makes the same
 * world.
 */
const { createLand, BIOMES, SEA } = require('./land')
const { createCaves } = require('./caves')
const { createOres } = require('./ores')
const { createPlants } = require('./plants')
const { hash, hashText } = require('../random')

/**
 * Make a generator of columns. The index of a state in a column is y << 8 | z << 4 | x; a column has one biome for each
 * 4 x 4 x 4 blocks.
 * @param {number} seed a 32-bit integer @param {States} states
 */
function createGenerator (seed, states) {
  const land = createLand(seed)
  const ids = Object.fromEntries(['air', 'stone', 'bedrock', 'water', 'lava'].map((name) => [name, states.state(name)]))
  /** @type {Record<string, {top: number, under: number}>} */
  const ground = {}
  for (const [name, biome] of Object.entries(BIOMES)) {
    ground[name] = { top: states.state(biome.top), under: states.state(biome.under) }
  }
  const carve = createCaves(land, ids)
  const fillOres = createOres(seed, states)
  const plant = createPlants(land, states)
  const bedrock = hash(seed, hashText('bedrock'))

  /** @param {number} cx @param {number} cz */
  function column (cx, cz) {
    const blocks = new Uint16Array(65536)
    const heights = new Int16Array(256)
    const biomes = new Int32Array(1024)
    for (let z = 0; z < 16; z++) {
      for (let x = 0; x < 16; x++) {
        const h = land.height(cx * 16 + x, cz * 16 + z)
        const name = land.biome(cx * 16 + x, cz * 16 + z, h)
        heights[z * 16 + x] = h
        layer(blocks, x, z, h, ground[name], hash(bedrock, cx * 16 + x, cz * 16 + z))
        if (x % 4 === 0 && z % 4 === 0) {
          for (let y = 0; y < 64; y++) biomes[(y << 4) | (z << 0) | (x >> 2)] = BIOMES[name].id
        }
      }
    }
    fillOres(blocks, cx, cz)
    carve(blocks, heights, cx, cz)
    plant(blocks, heights, cx, cz)
    return { states: blocks, biomes }
  }

  /**
   * @param {Uint16Array} blocks @param {number} x @param {number} z @param {number} h
   * @param {{top: number, under: number}} ground @param {number} rough
   */
  function layer (blocks, x, z, h, { top, under }, rough) {
    const foot = (z << 4) | x
    for (let y = 0; y <= h; y++) {
      const deep = y === 0 || (y < 5 && (rough >>> (y * 4)) % 5 >= y)
      blocks[(y << 8) | foot] = deep ? ids.bedrock : y === h ? top : y > h - 4 ? under : ids.stone
    }
    for (let y = h + 1; y < SEA; y++) blocks[(y << 8) | foot] = ids.water
  }

  /** @returns {[number, number, number]} x, y, z of a block of air on dry land near the middle, in or beside a wood */
  function spawn () {
    for (let ring = 0; ring < 40; ring++) {
      for (let i = -ring; i <= ring; i++) {
        for (const [cx, cz] of [[i, -ring], [i, ring], [-ring, i], [ring, i]]) {
          const x = cx * 16 + 8
          const z = cz * 16 + 8
          const h = land.height(x, z)
          if (h <= SEA || h >= 85 || !['forest', 'birch_forest'].includes(land.biome(x, z, h)) || land.mouth(x, z, h)) {
            continue
          }
          if (isFree(column(cx, cz).states, h)) return [x, h + 1, z]
        }
      }
    }
    return [8, Math.max(land.height(8, 8), SEA) + 1, 8]
  }

  /**
   * @param {Uint16Array} blocks @param {number} h
   * @returns {boolean} whether the middle of a column has grass with nothing on it for a few blocks
   */
  function isFree (blocks, h) {
    const foot = (8 << 4) | 8
    return (
      blocks[(h << 8) | foot] === ground.forest.top &&
      [1, 2, 3].every((up) => blocks[((h + up) << 8) | foot] === ids.air)
    )
  }

  return { column, spawn, land }
}

module.exports = { createGenerator }
