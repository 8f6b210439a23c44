'use strict'
/**
 * Place veins with the sizes, counts and heights of Minecraft 1.16. A vein is a row of balls between two points, the
 * thickest in the middle, as minecraft.wiki describes Minecraft's own ore feature. The code is ours.
 */
const { hash, hashText, Random } = require('../random')

/**
 * `size` is that of a vein; `count` is veins per chunk. They lie from y `low` to below `high`, or around `middle`, at
 * most `spread` away.
 */
const VEINS = [
  { block: 'dirt', size: 33, count: 10, low: 0, high: 256 },
  { block: 'gravel', size: 33, count: 8, low: 0, high: 256 },
  { block: 'granite', size: 33, count: 10, low: 0, high: 80 },
  { block: 'diorite', size: 33, count: 10, low: 0, high: 80 },
  { block: 'andesite', size: 33, count: 10, low: 0, high: 80 },
  { block: 'coal_ore', size: 17, count: 20, low: 0, high: 128 },
  { block: 'iron_ore', size: 9, count: 20, low: 0, high: 64 },
  { block: 'gold_ore', size: 9, count: 2, low: 0, high: 32 },
  { block: 'redstone_ore', size: 8, count: 8, low: 0, high: 16 },
  { block: 'diamond_ore', size: 8, count: 1, low: 0, high: 16 },
  { block: 'lapis_ore', size: 7, count: 1, middle: 16, spread: 16 }
]

/** @param {number} seed @param {States} states */
function createOres (seed, states) {
  const rock = new Set(['stone', 'granite', 'diorite', 'andesite'].map((name) => states.state(name)))
  const veins = VEINS.map((vein) => ({ ...vein, id: states.state(vein.block), key: hash(seed, hashText(vein.block)) }))

  /** @param {Uint16Array} column is changed @param {number} cx @param {number} cz */
  return function fill (column, cx, cz) {
    for (const vein of veins) {
      for (let dz = -1; dz <= 1; dz++) {
        for (let dx = -1; dx <= 1; dx++) {
          for (let i = 0; i < vein.count; i++) placeVein(column, cx, cz, cx + dx, cz + dz, vein, i)
        }
      }
    }
  }

  /**
   * @param {Uint16Array} column @param {number} cx @param {number} cz @param {number} ox @param {number} oz
   * @param {any} vein @param {number} i
   */
  function placeVein (column, cx, cz, ox, oz, vein, i) {
    const random = new Random(hash(vein.key, ox, oz, i))
    const x = ox * 16 + random.int(16) - cx * 16
    const z = oz * 16 + random.int(16) - cz * 16
    const y = vein.spread
      ? vein.middle - vein.spread + random.int(vein.spread) + random.int(vein.spread)
      : random.between(vein.low, vein.high - 1)
    const reach = vein.size / 8 + vein.size / 16 + 2
    if (x < -reach || z < -reach || x > 15 + reach || z > 15 + reach) return
    const angle = random.next() * Math.PI
    const dx = Math.sin(angle) * vein.size / 8
    const dz = Math.cos(angle) * vein.size / 8
    const y0 = y + random.int(3) - 2
    const y1 = y + random.int(3) - 2
    for (let step = 0; step < vein.size; step++) {
      const t = step / vein.size
      const radius = ((Math.sin(Math.PI * t) + 1) * random.next() * vein.size / 16 + 1) / 2
      ball(column, x + dx - 2 * dx * t, y0 + (y1 - y0) * t, z + dz - 2 * dz * t, radius, vein.id)
    }
  }

  /**
   * @param {Uint16Array} column @param {number} x @param {number} y @param {number} z @param {number} r
   * @param {number} id
   */
  function ball (column, x, y, z, r, id) {
    for (let j = Math.max(0, Math.floor(y - r)); j <= Math.min(255, Math.floor(y + r)); j++) {
      const b = (j + 0.5 - y) / r
      if (b * b >= 1) continue
      for (let k = Math.max(0, Math.floor(z - r)); k <= Math.min(15, Math.floor(z + r)); k++) {
        const c = (k + 0.5 - z) / r
        if (b * b + c * c >= 1) continue
        for (let i = Math.max(0, Math.floor(x - r)); i <= Math.min(15, Math.floor(x + r)); i++) {
          const a = (i + 0.5 - x) / r
          const at = (j << 8) | (k << 4) | i
          if (a * a + b * b + c * c < 1 && rock.has(column[at])) column[at] = id
        }
      }
    }
  }
}

module.exports = { createOres }
