'use strict'
/**
 * Build the stand-in's small world: flat stone and grass, with a tree, rock, a table, a chest, a furnace and a guarded
 * block.
 */
const { need } = require('./forms')
const { Vec3 } = need('vec3')

const GROUND = 63
/** What stands where, by today's names; names that a version has not are looked up as it calls them. */
const THINGS = [
  ...[64, 65, 66].map((y) => [[4, y, 0], 'oak_log']),
  ...[
    [4, 64, 3],
    [5, 64, 3],
    [4, 64, 4]
  ].map((at) => [at, 'stone']),
  [[-3, 64, 0], 'crafting_table'],
  [[-3, 64, 3], 'chest'],
  [[-3, 64, -3], 'furnace'],
  [[7, 64, 7], 'hay_block'],
  [[6, 64, 3], 'iron_ore']
]
const OLD = { oak_log: 'log', oak_planks: 'planks', grass_block: 'grass' }

/** @param {any} registry */
module.exports = function scene (registry) {
  const Chunk = need('prismarine-chunk')(registry)
  const tall = registry.supportFeature('tallWorld')
  const shape = tall ? { minY: -64, worldHeight: 384 } : undefined
  const columns = new Map()

  // Since 1.20.5 a biome's number is its place in the list that the server sends.
  const sent = registry.loginPacket?.dimensionCodec?.['minecraft:worldgen/biome']?.entries
  const plains = sent ? sent.findIndex(({ key }) => key === 'minecraft:plains') : registry.biomesByName.plains.id

  /** A block or item by today's name. */
  const named = (table, name) => registry[table][name] || registry[table][OLD[name]]
  const stateOf = (name) => {
    const block = named('blocksByName', name)
    return block.defaultState ?? block.minStateId ?? block.id << 4
  }

  function columnAt (x, z) {
    const key = `${x},${z}`
    if (!columns.has(key)) columns.set(key, made())
    return columns.get(key)
  }

  function made () {
    const chunk = new Chunk(shape)
    for (let x = 0; x < 16; x++) {
      for (let z = 0; z < 16; z++) {
        for (let y = GROUND - 3; y < GROUND + 4; y++) chunk.setBiome(new Vec3(x, y, z), plains)
        for (let y = GROUND - 3; y <= GROUND; y++) {
          chunk.setBlockStateId(new Vec3(x, y, z), stateOf(y < GROUND ? 'stone' : 'grass_block'))
        }
        for (let y = GROUND; y < GROUND + 16; y++) chunk.setSkyLight(new Vec3(x, y, z), 15)
      }
    }
    return chunk
  }

  const inside = (at) => new Vec3(at.x & 15, at.y, at.z & 15)
  const get = (at) => columnAt(at.x >> 4, at.z >> 4).getBlockStateId(inside(at)) || 0
  const set = (at, state) => columnAt(at.x >> 4, at.z >> 4).setBlockStateId(inside(at), state)
  const kind = (at) => registry.blocksByStateId[get(at)]
  for (const [at, name] of THINGS) set(new Vec3(...at), stateOf(name))
  return { columnAt, get, set, kind, named, stateOf, spawn: new Vec3(0.5, GROUND + 1, 0.5), Vec3 }
}
