'use strict'
/**
 * Print what the planner's one pass over some real columns of a version finds, and how often it pauses, as {"found":
 * {name: distance}, "pauses", "looks"}: node around.js BOT_FOLDER VERSION.
 */
const path = require('node:path')
const need = require(path.join(process.argv[2], '../shared/need.js'))
const { kindsAround } = require(path.join(process.argv[2], 'plan', 'around.js'))
const { Vec3 } = need('vec3')

const registry = need('prismarine-registry')(process.argv[3])
const Column = need('prismarine-chunk')(registry)
const lowest = registry.version['>=']('1.18') ? -64 : 0
const columns = new Map()
for (let cx = -5; cx <= 5; cx++) {
  for (let cz = -5; cz <= 5; cz++) {
    columns.set(`${cx},${cz}`, new Column({ minY: lowest, worldHeight: lowest ? 384 : 256 }))
  }
}

const put = (name, x, y, z) => {
  const { defaultState, minStateId, id } = registry.blocksByName[name]
  columns.get(`${x >> 4},${z >> 4}`).setBlockStateId(new Vec3(x & 15, y, z & 15), defaultState ?? minStateId ?? id << 4)
}
for (let x = -80; x < 80; x++) for (let z = -80; z < 80; z++) put('stone', x, 60, z)
put('gold_block', 10, 64, 0)
put('gold_block', 0, 64, 20)
put('diamond_block', 64, 64, 0)
put('emerald_block', 65, 64, 0) // too far
put('chest', 3, 64, 4) // must be kept
put('chest', 0, 64, -12)

const bot = {
  registry,
  entity: { position: new Vec3(0.5, 64, 0.5) },
  game: { minY: lowest },
  world: { getColumn: (cx, cz) => columns.get(`${cx},${cz}`), getBlockStateId: () => 0 },
  blockAt: (at) => at,
  autocraft: { eyes: { know: () => true }, bounds: { keep: (at) => at.x === 3 && at.z === 4 ? 'it is protected' : '' } }
}
let pauses = 0
let looks = 0
for (const column of columns.values()) {
  const { getBlockStateId } = column
  column.getBlockStateId = (at) => { looks++; return getBlockStateId.call(column, at) }
}
kindsAround(bot, 64, async () => { pauses++ }).then((nearest) => {
  const found = Object.fromEntries([...nearest].map(([id, far]) => [registry.blocks[id].name, far]))
  console.log(JSON.stringify({ found, pauses, looks }))
})
