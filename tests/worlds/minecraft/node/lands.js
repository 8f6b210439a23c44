'use strict'
/** Play scenarios about the world itself, asked from the generator: no server is needed. */
const path = require('node:path')
const { SERVER, need } = require('./lab')
const { createStates } = require(path.join(SERVER, 'states.js'))
const { createGenerator } = require(path.join(SERVER, 'generator'))
const { createOres } = require(path.join(SERVER, 'generator', 'ores.js'))
const { createHash } = require('node:crypto')

const states = createStates(need('prismarine-registry')('1.16.5'))
const HALF = 7 // columns in each direction: 196 columns

/** How often each ore, log and liquid comes at each height. */
function histogram () {
  const { column } = createGenerator(7, states)
  const found = {}
  for (let cx = -HALF; cx < HALF; cx++) {
    for (let cz = -HALF; cz < HALF; cz++) {
      column(cx, cz).states.forEach((state, at) => {
        const name = states.name(state)
        if (!/_ore$|_log$|^water$|^lava$|^bedrock$/.test(name)) return
        found[name] ??= {}
        found[name][at >> 8] = (found[name][at >> 8] ?? 0) + 1
      })
    }
  }
  return { columns: (2 * HALF) ** 2, found }
}

/** Vein count: diamonds that touch, also at a corner, are one vein. Borders of the area may cut one in two. */
function diamondVeins () {
  const { column } = createGenerator(7, states)
  const places = new Set()
  for (let cx = -HALF; cx < HALF; cx++) {
    for (let cz = -HALF; cz < HALF; cz++) {
      column(cx, cz).states.forEach((state, at) => {
        if (states.name(state) === 'diamond_ore') {
          places.add(`${cx * 16 + (at & 15)},${at >> 8},${cz * 16 + ((at >> 4) & 15)}`)
        }
      })
    }
  }
  const diamonds = places.size
  let veins = 0
  for (const start of places) {
    veins++
    const open = [start]
    places.delete(start)
    while (open.length) {
      const [x, y, z] = open.pop().split(',').map(Number)
      for (let i = 0; i < 27; i++) {
        const next = `${x + i % 3 - 1},${y + Math.floor(i / 3) % 3 - 1},${z + Math.floor(i / 9) - 1}`
        if (places.delete(next)) open.push(next)
      }
    }
  }
  return { diamonds, veins, columns: (2 * HALF) ** 2 }
}

/** Blocks of each ore per column where the ground is rock alone: what its veins come to, nothing cut off. */
function solid () {
  const fill = createOres(7, states)
  const ores = {}
  for (let cx = 0; cx < 12; cx++) {
    for (let cz = 0; cz < 12; cz++) {
      const column = new Uint16Array(65536).fill(states.state('stone'))
      fill(column, cx, cz)
      for (const state of column) {
        if (/_ore$/.test(states.name(state))) ores[states.name(state)] = (ores[states.name(state)] ?? 0) + 1
      }
    }
  }
  return { columns: 144, ores }
}

/** The same column made twice, in another order, and with another seed. */
function seeds () {
  const print = (generator, cx, cz) =>
    createHash('sha256')
      .update(Buffer.from(generator.column(cx, cz).states.buffer))
      .digest('hex')
  const one = createGenerator(11, states)
  const first = print(one, 3, -4)
  const two = createGenerator(11, states)
  print(two, 2, -4)
  print(two, 3, -5)
  return { same: first === print(two, 3, -4), other: first === print(createGenerator(12, states), 3, -4) }
}

/** Trees by kind, biomes, caves and liquids over a wide area; and what lies at the spawn point of some seeds. */
function variety () {
  const { column, land } = createGenerator(2, states)
  const biomes = {}
  for (let x = -800; x < 800; x += 16) {
    for (let z = -800; z < 800; z += 16) biomes[land.biome(x, z)] = (biomes[land.biome(x, z)] ?? 0) + 1
  }
  let hollow = 0
  let rock = 0
  for (let cx = -HALF; cx < HALF; cx++) {
    for (let cz = -HALF; cz < HALF; cz++) {
      const blocks = column(cx, cz).states
      for (let at = 11 << 8; at < 40 << 8; at++) blocks[at] === 0 ? hollow++ : rock++
    }
  }
  const spawns = []
  for (let seed = 1; seed <= 8; seed++) {
    const generator = createGenerator(seed, states)
    const [x, y, z] = generator.spawn()
    const cx = x >> 4
    const cz = z >> 4
    const at = (up) => states.name(generator.column(cx, cz).states[((y + up) << 8) | ((z & 15) << 4) | (x & 15)])
    let logs = 0
    for (let i = -1; i <= 1; i++) {
      for (let k = -1; k <= 1; k++) {
        logs += generator.column(cx + i, cz + k).states.filter((state) => /_log$/.test(states.name(state))).length
      }
    }
    spawns.push({ seed, below: at(-1), feet: at(0), head: at(1), logs })
  }
  return { biomes, hollow: hollow / (hollow + rock), spawns }
}

/** Logs of each kind, in the first columns of each biome that are met on a walk east. */
function kinds () {
  const { column, land } = createGenerator(2, states)
  const found = {}
  const visits = {}
  for (let cx = 0; cx < 400; cx++) {
    const biome = land.biome(cx * 16 + 8, 8)
    visits[biome] = (visits[biome] ?? 0) + 1
    if (visits[biome] > 8) continue
    for (const state of column(cx, 0).states) {
      if (/_log$/.test(states.name(state))) found[states.name(state)] = (found[states.name(state)] ?? 0) + 1
    }
  }
  return found
}

module.exports = { histogram, diamondVeins, solid, seeds, variety, kinds }
