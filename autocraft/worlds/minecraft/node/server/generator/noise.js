'use strict'
/**
 * Compute gradient noise in two and three dimensions, from -1 to 1, from a shuffled table. Written for this project.
 */
const { Random } = require('../random')

/** @param {number} t */
const fade = (t) => t * t * t * (t * (t * 6 - 15) + 10)

class Noise {
  /** @param {number} seed a 32-bit integer */
  constructor (seed) {
    const random = new Random(seed)
    const order = Array.from({ length: 256 }, (_, i) => i)
    for (let i = 255; i > 0; i--) {
      const j = random.int(i + 1)
      const kept = order[i]
      order[i] = order[j]
      order[j] = kept
    }
    this.table = new Uint8Array(512)
    for (let i = 0; i < 512; i++) this.table[i] = order[i & 255]
  }

  /** @param {number} x @param {number} z */
  at2 (x, z) {
    return this.at3(x, 0.5, z) * 1.4
  }

  /** @param {number} x @param {number} y @param {number} z */
  at3 (x, y, z) {
    const t = this.table
    const X = Math.floor(x)
    const Y = Math.floor(y)
    const Z = Math.floor(z)
    x -= X
    y -= Y
    z -= Z
    const u = fade(x)
    const v = fade(y)
    const w = fade(z)
    const a = t[X & 255] + (Y & 255)
    const b = t[(X + 1) & 255] + (Y & 255)
    const aa = t[a] + (Z & 255)
    const ab = t[(a + 1) & 511] + (Z & 255)
    const ba = t[b] + (Z & 255)
    const bb = t[(b + 1) & 511] + (Z & 255)
    return mix(w,
      mix(v, mix(u, slope(t[aa], x, y, z), slope(t[ba], x - 1, y, z)),
        mix(u, slope(t[ab], x, y - 1, z), slope(t[bb], x - 1, y - 1, z))),
      mix(v, mix(u, slope(t[(aa + 1) & 511], x, y, z - 1), slope(t[(ba + 1) & 511], x - 1, y, z - 1)),
        mix(u, slope(t[(ab + 1) & 511], x, y - 1, z - 1), slope(t[(bb + 1) & 511], x - 1, y - 1, z - 1))))
  }

  /**
   * Return several octaves of `at2`, each half as strong and twice as fine as the one before.
   * @param {number} x @param {number} z @param {number} count
   */
  octaves2 (x, z, count) {
    let sum = 0
    let strength = 1
    let whole = 0
    for (let i = 0; i < count; i++) {
      sum += this.at2(x, z) * strength
      whole += strength
      strength /= 2
      x = x * 2 + 17.3
      z = z * 2 - 9.1
    }
    return sum / whole
  }
}

/** @param {number} t @param {number} a @param {number} b */
const mix = (t, a, b) => a + t * (b - a)

/**
 * Return the slope along one of the twelve directions to the edges of a cube. Four of them have two codes.
 * @param {number} code @param {number} x @param {number} y @param {number} z
 */
function slope (code, x, y, z) {
  switch (code & 15) {
    case 0: case 12: return x + y
    case 1: case 13: return y - x
    case 2: return x - y
    case 3: return -x - y
    case 4: return x + z
    case 5: return z - x
    case 6: return x - z
    case 7: return -x - z
    case 8: return y + z
    case 9: case 14: return z - y
    case 10: return y - z
    default: return -y - z
  }
}

module.exports = { Noise }
