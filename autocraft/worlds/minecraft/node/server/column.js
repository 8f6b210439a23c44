'use strict'
/** Encode a column of the world for the protocol of 1.16.5. The index of a state is y << 8 | z << 4 | x. */

/** @param {Uint16Array} states @returns {{bitMap: number, chunkData: Buffer}} */
function encodeColumn (states) {
  let bitMap = 0
  const parts = []
  for (let section = 0; section < 16; section++) {
    const blocks = states.subarray(section * 4096, (section + 1) * 4096)
    let filled = 0
    for (let i = 0; i < 4096; i++) if (blocks[i] !== 0) filled++
    if (filled === 0) continue
    bitMap |= 1 << section
    parts.push(encodeSection(blocks, filled))
  }
  return { bitMap, chunkData: Buffer.concat(parts) }
}

/** @param {Uint16Array} blocks @param {number} filled */
function encodeSection (blocks, filled) {
  const places = new Map()
  for (const state of blocks) if (!places.has(state)) places.set(state, places.size)
  const needed = Math.max(4, Math.ceil(Math.log2(places.size)))
  const direct = needed > 8
  const bits = direct ? 15 : needed
  const head = [filled >> 8, filled & 255, bits]
  if (!direct) {
    varint(head, places.size)
    for (const state of places.keys()) varint(head, state)
  }
  const each = Math.floor(64 / bits)
  const longs = Math.ceil(4096 / each)
  varint(head, longs)
  const data = Buffer.alloc(longs * 8)
  for (let long = 0; long < longs; long++) {
    let low = 0
    let high = 0
    for (let k = 0; k < each && long * each + k < 4096; k++) {
      const state = blocks[long * each + k]
      const value = direct ? state : places.get(state)
      const at = k * bits
      if (at >= 32) {
        high |= value << (at - 32)
      } else {
        low |= value << at
        if (at + bits > 32) high |= value >>> (32 - at)
      }
    }
    data.writeInt32BE(high, long * 8)
    data.writeInt32BE(low, long * 8 + 4)
  }
  return Buffer.concat([Buffer.from(head), data])
}

/** @param {number[]} bytes @param {any} value */
function varint (bytes, value) {
  while (value > 127) {
    bytes.push((value & 127) | 128)
    value >>>= 7
  }
  bytes.push(value)
}

/**
 * Encode the light of the sky: full above the highest block that stops light, none below. Only a person's client uses
 * it.
 * @param {Uint16Array} states @param {Uint8Array} opaque by state @returns {{skyLightMask: number, data: Buffer}}
 */
function encodeLight (states, opaque) {
  const tops = new Int16Array(256)
  for (let foot = 0; foot < 256; foot++) {
    let y = 255
    while (y >= 0 && !opaque[states[(y << 8) | foot]]) y--
    tops[foot] = y
  }
  const parts = []
  for (let section = 0; section < 18; section++) {
    const part = Buffer.alloc(2050)
    part[0] = 0x80 // 2048 as a varint
    part[1] = 0x10
    for (let i = 0; i < 4096; i++) {
      const y = (section - 1) * 16 + (i >> 8)
      if (y >= tops[i & 255]) part[2 + (i >> 1)] |= i & 1 ? 0xf0 : 0x0f
    }
    parts.push(part)
  }
  return { skyLightMask: 0x3ffff, data: Buffer.concat(parts) }
}

module.exports = { encodeColumn, encodeLight }
