'use strict'
/**
 * Change blocks with time: crops, saplings, sugar cane, cactus, farmland, grass, leaves that lost their trunk, fire.
 */
const { tree, KINDS } = require('../generator/trees')

/** @type {Record<string, number>} */
const RIPE = { wheat: 7, carrots: 7, potatoes: 7, beetroots: 3, pumpkin_stem: 7, melon_stem: 7 }
const NEAR = 4 // columns from a player
const PER_SECTION = 3 // blocks that are tried in each 16 x 16 x 16 per tick, as in Minecraft
const LEAF_REACH = 5

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { world, states } = serv
  const random = serv.random('growth')
  /** @type {(Point & {at: number})[]} */
  const falling = [] // leaves that will decay: {x, y, z, at}
  serv.fallingLeaves = falling

  serv.onTick((tick) => {
    const done = new Set()
    for (const player of serv.players) {
      const px = Math.floor(player.position.x) >> 4
      const pz = Math.floor(player.position.z) >> 4
      for (let cx = px - NEAR; cx <= px + NEAR; cx++) {
        for (let cz = pz - NEAR; cz <= pz + NEAR; cz++) {
          const column = world.columns.get(`${cx},${cz}`)
          if (!column || done.has(column)) continue
          done.add(column)
          touch(column)
        }
      }
    }
    for (let i = falling.length - 1; i >= 0; i--) {
      if (falling[i].at > tick) continue
      const [{ x, y, z }] = falling.splice(i, 1)
      if (decays(x, y, z)) serv.breakBlock(x, y, z)
    }
  })

  /** @param {{cx: number, cz: number, states: Uint16Array}} parts */
  function touch ({ cx, cz, states: blocks }) {
    for (let section = 0; section < 8; section++) {
      for (let n = 0; n < PER_SECTION; n++) {
        const at = (section << 12) | random.int(4096)
        const state = blocks[at]
        if (!growing[state]) continue
        grow[states.name(state)](cx * 16 + (at & 15), at >> 8, cz * 16 + ((at >> 4) & 15), state)
      }
    }
  }

  /** @type {Record<string, (x: number, y: number, z: number, state: number) => void>} */
  const grow = {
    farmland: (x, y, z, state) => {
      const { moisture } = states.properties(state)
      if (wet(x, y, z)) world.set(x, y, z, states.state('farmland', { moisture: 7 }))
      else if (moisture > 0) world.set(x, y, z, states.state('farmland', { moisture: moisture - 1 }))
      else if (!RIPE[world.name(x, y + 1, z)]) world.set(x, y, z, states.state('dirt'))
    },
    sugar_cane: (x, y, z) => taller('sugar_cane', x, y, z),
    cactus: (x, y, z) => taller('cactus', x, y, z),
    grass_block: (x, y, z) => {
      if (world.opaque[world.get(x, y + 1, z)]) { world.set(x, y, z, states.state('dirt')); return }
      const [i, j, k] = [x + random.between(-1, 1), y + random.between(-2, 1), z + random.between(-1, 1)]
      if (world.name(i, j, k) === 'dirt' && !world.opaque[world.get(i, j + 1, k)]) {
        world.set(i, j, k, states.state('grass_block'))
      }
    },
    fire: (x, y, z) => world.set(x, y, z, 0)
  }
  for (const crop of Object.keys(RIPE)) {
    grow[crop] = (x, y, z, state) => {
      if (random.chance(1 / (Math.floor(25 / fertility(x, y, z)) + 1))) older(crop, x, y, z, state, 1)
    }
  }
  for (const kind of Object.keys(KINDS)) {
    grow[`${kind}_sapling`] = (x, y, z) => {
      if (random.chance(1 / 14)) plantTree(kind, x, y, z)
    }
  }

  /** Whether a state changes with time, by state. Most do not, and each tick tries some two thousand blocks. */
  const growing = world.opaque.map((_, state) => (states.block(state)?.name ?? '') in grow ? 1 : 0)

  /**
   * @param {string} crop @param {number} x @param {number} y @param {number} z @param {number} state
   * @param {number} by
   */
  function older (crop, x, y, z, state, by) {
    const { age } = states.properties(state)
    if (age < RIPE[crop]) world.set(x, y, z, states.state(crop, { age: Math.min(RIPE[crop], age + by) }))
    else if (crop.endsWith('_stem')) bear(crop, x, y, z)
    return age < RIPE[crop]
  }

  /** @param {string} stem @param {number} x @param {number} y @param {number} z */
  function bear (stem, x, y, z) {
    const [dx, dz] = random.pick([[1, 0], [-1, 0], [0, 1], [0, -1]])
    if (world.get(x + dx, y, z + dz) === 0 && world.solidAt(x + dx, y - 1, z + dz)) {
      world.set(x + dx, y, z + dz, states.state(stem.slice(0, -5)))
    }
  }

  /** @param {number} x @param {number} y @param {number} z */
  function wet (x, y, z) {
    for (let dx = -4; dx <= 4; dx++) {
      for (let dz = -4; dz <= 4; dz++) {
        if (world.name(x + dx, y, z + dz) === 'water' || world.name(x + dx, y + 1, z + dz) === 'water') return true
      }
    }
    return false
  }

  /**
   * Return Minecraft's points for the ground: 2 for farmland under the crop, or 4 if it is wet; a quarter of that for
   * each neighbour.
   * @param {number} x @param {number} y @param {number} z
   */
  function fertility (x, y, z) {
    let points = 1
    for (let dx = -1; dx <= 1; dx++) {
      for (let dz = -1; dz <= 1; dz++) {
        const state = world.get(x + dx, y - 1, z + dz)
        if (states.name(state) !== 'farmland') continue
        points += (states.properties(state).moisture > 0 ? 3 : 1) / (dx === 0 && dz === 0 ? 1 : 4)
      }
    }
    return points
  }

  /** @param {string} name @param {number} x @param {number} y @param {number} z */
  function taller (name, x, y, z) {
    if (world.get(x, y + 1, z) !== 0 || !random.chance(1 / 16)) return
    let height = 1
    while (world.name(x, y - height, z) === name) height++
    if (height < 3) world.set(x, y + 1, z, states.state(name))
  }

  /**
   * @param {string} kind @param {number} x @param {number} y @param {number} z
   * @returns {boolean} whether there was room
   */
  function plantTree (kind, x, y, z) {
    const blocks = tree(kind, random)
    const trunk = blocks.filter(([i, , k, what]) => what === 'log' && i === 0 && k === 0)
    if (
      trunk.some(
        ([, j]) => j > 0 && ![0].includes(world.get(x, y + j, z)) && !world.name(x, y + j, z).endsWith('_leaves')
      )
    ) {
      return false
    }
    for (const [i, j, k, what] of blocks) {
      const free =
        world.get(x + i, y + j, z + k) === 0 ||
        (what === 'log' && /_(leaves|sapling)$/.test(world.name(x + i, y + j, z + k)))
      if (free) world.set(x + i, y + j, z + k, states.state(`${kind}_${what}`))
    }
    return true
  }

  /** Use bone meal on a block. @returns {boolean} whether it did anything */
  serv.growNow = (x, y, z) => {
    const state = world.get(x, y, z)
    const name = states.name(state)
    if (RIPE[name]) return older(name, x, y, z, state, random.between(2, 5))
    if (name.endsWith('_sapling')) return random.chance(0.45) ? plantTree(name.slice(0, -8), x, y, z) || true : true
    if (name !== 'grass_block' || world.get(x, y + 1, z) !== 0) return false
    world.set(x, y + 1, z, states.state('grass'))
    return true
  }

  /** @param {number} x @param {number} y @param {number} z */
  function decays (x, y, z) {
    const state = world.get(x, y, z)
    if (!states.name(state).endsWith('_leaves') || states.properties(state).persistent === 'true') return false
    for (let j = -LEAF_REACH; j <= LEAF_REACH; j++) {
      for (let i = -4; i <= 4; i++) {
        for (let k = -4; k <= 4; k++) {
          if (Math.abs(i) + Math.abs(j) + Math.abs(k) <= 6 && /_log$/.test(world.name(x + i, y + j, z + k))) {
            return false
          }
        }
      }
    }
    return true
  }

  serv.on('blockChanged', (x, y, z, before) => {
    if (!/_log$/.test(states.name(before))) return
    for (let j = -LEAF_REACH; j <= LEAF_REACH; j++) {
      for (let i = -4; i <= 4; i++) {
        for (let k = -4; k <= 4; k++) {
          if (decays(x + i, y + j, z + k)) {
            falling.push({ x: x + i, y: y + j, z: z + k, at: serv.clock.tick + random.between(20, 300) })
          }
        }
      }
    }
  })
}
