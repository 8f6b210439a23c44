'use strict'
/**
 * Dig caves: winding tunnels where two noises are both near zero, and wider caverns below. Below y 11 they are filled
 * with lava, as in Minecraft.
 */
const { hash, hashText } = require('../random')
const { Noise } = require('./noise')
const { SEA } = require('./land')

const STEP = 4 // blocks between two samples; the values between them are interpolated
const TOP = 112
const LAVA_TOP = 10

/** @param {Land} land @param {Record<string, number>} ids */
function createCaves (land, ids) {
  const one = new Noise(hash(land.seed, hashText('cave one')))
  const two = new Noise(hash(land.seed, hashText('cave two')))
  const room = new Noise(hash(land.seed, hashText('room')))
  const side = 16 / STEP + 1
  const layers = TOP / STEP + 1
  const samples = new Float32Array(side * side * layers)

  /** @param {number} cx @param {number} cz */
  function sample (cx, cz) {
    let i = 0
    for (let j = 0; j < layers; j++) {
      for (let k = 0; k < side; k++) {
        for (let l = 0; l < side; l++) {
          const x = cx * 16 + l * STEP
          const y = j * STEP
          const z = cz * 16 + k * STEP
          const a = one.at3(x / 42, y / 26, z / 42)
          const b = two.at3(x / 42, y / 26, z / 42)
          const tunnel = 0.011 - (a * a + b * b)
          const hall = (room.at3(x / 60, y / 28, z / 60) - 0.52 - y / 250) * 0.1
          samples[i++] = Math.max(tunnel, hall)
        }
      }
    }
  }

  /** @param {number} x @param {number} y @param {number} z */
  function openness (x, y, z) {
    const fx = x / STEP
    const fy = y / STEP
    const fz = z / STEP
    const i = Math.floor(fx)
    const j = Math.floor(fy)
    const k = Math.floor(fz)
    const u = fx - i
    const v = fy - j
    const w = fz - k
    /** @param {number} dx @param {number} dy @param {number} dz */
    const at = (dx, dy, dz) => samples[((j + dy) * side + k + dz) * side + i + dx]
    const low = (at(0, 0, 0) * (1 - u) + at(1, 0, 0) * u) * (1 - w) + (at(0, 0, 1) * (1 - u) + at(1, 0, 1) * u) * w
    const high = (at(0, 1, 0) * (1 - u) + at(1, 1, 0) * u) * (1 - w) + (at(0, 1, 1) * (1 - u) + at(1, 1, 1) * u) * w
    return low * (1 - v) + high * v
  }

  /**
   * Dig the caves of a column.
   * @param {Uint16Array} states @param {Int16Array} heights of the ground, z * 16 + x @param {number} cx
   * @param {number} cz
   */
  return function carve (states, heights, cx, cz) {
    sample(cx, cz)
    for (let z = 0; z < 16; z++) {
      for (let x = 0; x < 16; x++) {
        const h = heights[z * 16 + x]
        let top = Math.min(h - 6, TOP - 1)
        if (h > SEA + 1 && land.mouth(cx * 16 + x, cz * 16 + z, h)) top = Math.min(h, TOP - 1)
        for (let y = 5; y <= top; y++) {
          if (openness(x, y, z) > 0) states[(y << 8) | (z << 4) | x] = y <= LAVA_TOP ? ids.lava : ids.air
        }
      }
    }
  }
}

module.exports = { createCaves }
