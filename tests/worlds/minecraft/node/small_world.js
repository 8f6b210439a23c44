'use strict'
/**
 * A small world of facts with a bot in it, for the planner: grass, and what a scene puts there. A scene is JSON: version,
 * dimension, height, difficulty, time, food, health, hand (what it holds), inventory {name: count}, slots (every stack of it, [[name, count], …], in place of
 * `inventory`), blocks {name: [[x, y, z], …]}, mobs [name, …], grave {x, y, z, age, items, dimension}, chests {place: contents},
 * players {name: [x, y, z] or null},
 * held [name, …], failed [{name, args, why, at, from}, …], done [{name, args}, …] (which succeeded then), worn {name: uses}, unchanged [{name, args}, …] (which succeeded and changed nothing), ripe (whether wheat is), sight (seen or loaded), sea (whether there is water instead of grass in the west),
 * work [[x, y, z], …] (what commands have placed).
 */
const path = require('node:path')

const folder = path.resolve(process.argv[2])
const need = require(path.join(folder, '../shared/need.js'))
const { Failures, stateOf } = require(path.join(folder, 'plan', 'failures.js'))
const { Lava } = require(path.join(folder, 'lava.js'))
const { find } = require(path.join(folder, 'names.js'))
const { mendRecipes } = require(path.join(folder, 'patches', 'recipes.js'))
const { eyes, isOpen } = require(path.join(folder, 'sight.js'))
const { Vec3 } = need('vec3')

const registries = {}
function registryOf (version) {
  if (!registries[version]) mendRecipes(registries[version] = need('prismarine-registry')(version))
  return registries[version]
}

/** Return a bot in a scene. Another bot of the same `ground` has the same land. */
function botIn (given, ground = null) {
  const scene = { version: '1.16.5', dimension: 'overworld', height: 64, time: 1000, food: 20, health: 20, ...given }
  const registry = registryOf(scene.version)
  const Block = need('prismarine-block')(registry)
  const Item = need('prismarine-item')(registry)
  const { Recipe } = need('prismarine-recipe')(registry)
  const deep = registry.version['>=']('1.18')
  const columns = ground?.columns ?? landOf(scene, registry, deep)
  const columnAt = (x, z) => columns.get(`${x >> 4},${z >> 4}`)
  const stacks = scene.slots ?? Object.entries(scene.inventory || {})
  const items = stacks.map(([name, count]) => {
    const item = new Item(registry.itemsByName[name].id, count)
    return scene.worn?.[name] ? Object.assign(item, { durabilityUsed: scene.worn[name] }) : item
  })
  const position = new Vec3(0.5, scene.height, 0.5)
  const work = (scene.work ?? []).map((at) => new Vec3(...at))
  const failures = new Failures()
  const bot = {
    registry,
    columns,
    version: scene.version,
    entity: { position },
    physics: {},
    players: Object.fromEntries(Object.entries(scene.players || {}).map(([username, at]) =>
      [username, { username, entity: at && { username, position: new Vec3(...at) } }])),
    entities: Object.fromEntries([...scene.mobs || [], ...Object.keys(scene.drops || {})].map((name, id) => {
      const lies = scene.drops?.[name]
      const getDroppedItem = () => lies ? { name, count: lies } : null
      return [id, { id, name: lies ? 'item' : name, position: position.offset(5, 0, id), getDroppedItem }]
    })),
    game: {
      dimension: scene.dimension, difficulty: scene.difficulty, gameMode: scene.mode ?? 'survival', minY: deep ? -64 : 0,
      height: deep ? 384 : 256
    },
    time: { timeOfDay: scene.time, age: 100 },
    food: scene.food,
    health: scene.health,
    heldItem: items.find(({ name }) => name === scene.hand) ?? null,
    world: {
      getColumn: (cx, cz) => columns.get(`${cx},${cz}`),
      getBlockStateId: (at) => columnAt(at.x, at.z)?.getBlockStateId(new Vec3(at.x & 15, at.y, at.z & 15))
    },
    blockAt: (at) => {
      const p = at.floored()
      const column = columnAt(p.x, p.z)
      if (!column) return null
      const block = Block.fromStateId(column.getBlockStateId(new Vec3(p.x & 15, p.y, p.z & 15)), 0)
      block.position = p
      return block
    },
    findBlocks: ({ matching, maxDistance }) => Object.entries(scene.blocks || {})
      .filter(([name]) => matching.includes(find(registry.blocksByName, name).id))
      .flatMap(([, places]) => places.map((at) => new Vec3(...at)))
      .filter((at) => at.distanceTo(position) <= maxDistance),
    inventory: {
      slots: [...Array(9).fill(null), ...items], items: () => items,
      count: (id) => items.reduce((sum, item) => sum + (item.type === id ? item.count : 0), 0)
    },
    recipesAll: (id, metadata) => Recipe.find(id, metadata),
    canSeeBlock: ({ position: at }) => isOpen(eyes(bot), at.offset(0.5, 0.5, 0.5), (each) =>
      bot.blockAt(each)?.boundingBox === 'empty'),
    look: async () => {},
    autocraft: {
      failures,
      options: { sight: scene.sight },
      prey: { fled: new Map(), killed: new Set() },
      hands: { unanswered: scene.unanswered ?? 0 },
      bounds: {
        keep: () => '', spare: () => false, outside: () => '',
        stays: ({ position }) => work.some((at) => at.equals(position)) ? 'a command placed it' : ''
      },
      places: { near: (name) => scene.remembered?.[name] ? new Vec3(...scene.remembered[name]) : null },
      journal: { placed: () => false, broken: [], put: 0 },
      sightings: {
        thrown: new Set(), grave: scene.grave ?? null, deaths: [], chests: new Map(Object.entries(scene.chests ?? {})),
        held: new Set(scene.held ?? [])
      }
    }
  }
  bot.autocraft.lava = new Lava(bot)
  require(path.join(folder, 'eyes.js'))(bot)
  failures.pass(bot.time.age)
  for (const each of scene.unchanged || []) failures.succeed(bot, each, stateOf(bot))
  for (const each of scene.failed || []) {
    const from = each.from ? new Vec3(...each.from) : position
    failures.add(bot, each, each.why ?? 'it failed', each.at ? new Vec3(...each.at) : position, from, each.danger)
  }
  for (const each of scene.done || []) failures.succeed(bot, each, '')
  return bot
}

/** Return the columns of a scene. */
function landOf (scene, registry, deep) {
  const Column = need('prismarine-chunk')(registry)
  const columns = new Map()
  for (let cx = -5; cx <= 5; cx++) {
    for (let cz = -5; cz <= 5; cz++) {
      columns.set(`${cx},${cz}`, new Column({ minY: deep ? -64 : 0, worldHeight: deep ? 384 : 256 }))
    }
  }
  columns.put = (name, x, y, z) => {
    const { defaultState, minStateId, maxStateId, id } = find(registry.blocksByName, name)
    const state = scene.ripe && name === 'wheat' ? maxStateId : defaultState ?? minStateId ?? id << 4
    columns.get(`${x >> 4},${z >> 4}`).setBlockStateId(new Vec3(x & 15, y, z & 15), state)
  }
  for (let x = -80; x < 80; x++) {
    for (let z = -80; z < 80; z++) columns.put(scene.sea && x < 8 ? 'water' : 'grass_block', x, 63, z)
  }
  for (const [name, places] of Object.entries(scene.blocks || {})) for (const at of places) columns.put(name, ...at)
  return columns
}

module.exports = { botIn, folder, need }
