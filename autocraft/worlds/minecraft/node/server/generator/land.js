'use strict'
/** Compute height and biome of every place from the seed alone, for the other parts of the generator. */
const { hash, hashText } = require('../random')
const { Noise } = require('./noise')

const SEA = 63 // the highest block of water is at SEA - 1

/**
 * `trees` is how many trees are tried per chunk; `kinds` lists their kinds, each as often as its share.
 * @type {Record<string, {id: number, top: string, under: string, trees: number, kinds: string[], grass: number}>}
 */
const BIOMES = {
  ocean: { id: 0, top: 'gravel', under: 'gravel', trees: 0, kinds: [], grass: 0 },
  beach: { id: 16, top: 'sand', under: 'sand', trees: 0, kinds: [], grass: 0 },
  plains: { id: 1, top: 'grass_block', under: 'dirt', trees: 1, kinds: ['oak'], grass: 14 },
  forest: { id: 4, top: 'grass_block', under: 'dirt', trees: 9, kinds: ['oak', 'oak', 'oak', 'birch'], grass: 6 },
  birch_forest: { id: 27, top: 'grass_block', under: 'dirt', trees: 9, kinds: ['birch'], grass: 6 },
  dark_forest: {
    id: 29, top: 'grass_block', under: 'dirt', trees: 10, kinds: ['dark_oak', 'dark_oak', 'oak'], grass: 4
  },
  taiga: { id: 5, top: 'grass_block', under: 'dirt', trees: 9, kinds: ['spruce'], grass: 5 },
  savanna: { id: 35, top: 'grass_block', under: 'dirt', trees: 2, kinds: ['acacia'], grass: 20 },
  jungle: { id: 21, top: 'grass_block', under: 'dirt', trees: 12, kinds: ['jungle', 'jungle', 'oak'], grass: 12 },
  desert: { id: 2, top: 'sand', under: 'sand', trees: 0, kinds: [], grass: 0 },
  mountains: { id: 3, top: 'stone', under: 'stone', trees: 0, kinds: [], grass: 0 }
}

/** @param {number} seed a 32-bit integer */
function createLand (seed) {
  /** @param {string} name */
  const noise = (name) => new Noise(hash(seed, hashText(name)))
  const broad = noise('broad')
  const fine = noise('fine')
  const ridge = noise('ridge')
  const warmth = noise('warmth')
  const damp = noise('damp')
  const mouths = noise('mouths')

  /** @param {number} x @param {number} z @returns {number} y of the highest solid block of the ground */
  function height (x, z) {
    const base = 69 + 16 * broad.octaves2(x / 220, z / 220, 3)
    const hills = 4 * fine.octaves2(x / 48, z / 48, 2)
    const peak = Math.max(0, ridge.octaves2(x / 300, z / 300, 2) - 0.25)
    return Math.max(40, Math.min(120, Math.floor(base + hills + 110 * peak * peak + 20 * peak)))
  }

  /** @param {number} x @param {number} z @returns {string} a name of BIOMES */
  function biome (x, z, h = height(x, z)) {
    if (h < SEA - 4) return 'ocean'
    if (h <= SEA) return 'beach'
    if (h > 92) return 'mountains'
    const t = warmth.octaves2(x / 260, z / 260, 2)
    const w = damp.octaves2(x / 260, z / 260, 2)
    if (t > 0.2) return w < -0.08 ? 'desert' : w < 0.1 ? 'savanna' : 'jungle'
    if (t < -0.22) return 'taiga'
    if (w < -0.12) return 'plains'
    if (w > 0.24) return 'dark_forest'
    return t < -0.05 && w > 0.05 ? 'birch_forest' : 'forest'
  }

  /** @param {number} x @param {number} z @param {number} h @returns {boolean} whether caves may open to the sky here */
  function mouth (x, z, h) {
    return h > SEA + 2 && mouths.at2(x / 70, z / 70) > 0.42
  }

  return { seed, height, biome, mouth }
}

module.exports = { createLand, BIOMES, SEA }
