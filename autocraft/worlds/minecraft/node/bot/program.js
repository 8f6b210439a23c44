'use strict'
/**
 * Read what a program of the model asks for, by name, as plain values: `read(bot, {name, args})`. Nothing here has an
 * effect. `autocraft/sandbox/node/facade/` makes Voyager's objects from these values.
 */
const need = require('../shared/need')
const { Fault } = require('../shared/fault')
const { nearestBlocks, scan, sections } = require('./columns')
const { burns, smelting } = require('./facts')
const { find: named } = require('./names')
const { EYES } = require('./sight')
const { itemOf, place, plainName, wornItem } = require('./words')
const { yields } = require('./commands/recipes')

const { Vec3 } = need('vec3')

const SIDE = 8
const MOST = 2048
const FARTHEST = 256

/**
 * Return a place from three numbers. Throws a Fault if one is not finite.
 * @param {Bot} bot @param {number} x @param {number} y @param {number} z
 */
function at (bot, x, y, z) {
  if (![x, y, z].every(Number.isFinite)) throw new Fault('a place needs three numbers', 'invalid')
  return new Vec3(x, y, z)
}

/** @param {Point} v */
const plain = (v) => ({ x: v.x, y: v.y, z: v.z })
/** @param {Omit<Partial<Item>, 'slot'> & {slot: number | null}} item */
const row = (item) => [
  item.slot, item.type, item.count, item.metadata || 0, item.durabilityUsed || 0, item.customName || null
]

/** @param {Bot} bot */
function now (bot) {
  const me = bot.entity
  const { timeOfDay, day, age, isDay, moonPhase, doDaylightCycle } = bot.time
  const { gameMode, dimension, difficulty, hardcore, levelType, minY, height, maxPlayers } = bot.game
  return {
    ...entity(me),
    equipment: equipment(bot),
    isInWater: Boolean(me.isInWater),
    isInLava: Boolean(me.isInLava),
    eyeHeight: me.eyeHeight || EYES,
    username: bot.username,
    health: bot.health,
    food: bot.food,
    saturation: bot.foodSaturation,
    oxygen: bot.oxygenLevel ?? 20,
    experience: { ...bot.experience },
    time: { timeOfDay, day, age: Number(age), isDay, moonPhase, doDaylightCycle },
    game: { gameMode, dimension, difficulty, hardcore, levelType, minY, height, maxPlayers },
    isSleeping: Boolean(bot.isSleeping),
    isRaining: Boolean(bot.isRaining),
    thunder: bot.thunderState || 0,
    spawnPoint: bot.spawnPoint ? plain(bot.spawnPoint) : plain(me.position),
    quickBarSlot: bot.quickBarSlot
  }
}

/** Return what the bot wears: hand, off-hand, feet, legs, torso, head, in the order of mineflayer. @param {Bot} bot */
function equipment (bot) {
  return ['hand', 'off-hand', 'feet', 'legs', 'torso', 'head'].map((name) => {
    const item = wornItem(bot, name)
    return item ? row(item) : null
  })
}

/** @param {Entity} each */
function entity (each) {
  let dropped = null
  try {
    const item = each.name === 'item' ? each.getDroppedItem() : null
    dropped = item ? row({ ...item, slot: null }) : null
  } catch {}
  return {
    id: each.id,
    type: each.type,
    name: each.name,
    mobType: each.mobType ?? each.displayName,
    kind: each.kind,
    username: each.username,
    displayName: each.displayName,
    objectType: each.objectType,
    position: plain(each.position),
    velocity: plain(each.velocity),
    yaw: each.yaw,
    pitch: each.pitch,
    onGround: Boolean(each.onGround),
    height: each.height,
    width: each.width,
    health: each.health,
    metadata: (each.metadata || []).map((value) =>
      ['number', 'boolean', 'string'].includes(typeof value) ? value : null
    ),
    equipment: (each.equipment || []).map((item) => (item ? row({ ...item, slot: null }) : null)),
    dropped
  }
}

/** @param {Bot} bot */
function entities (bot) {
  return Object.values(bot.entities).filter((each) => each !== bot.entity && each.position && each.velocity).map(entity)
}

/** @param {Bot} bot */
function players (bot) {
  return Object.values(bot.players).map(({ username, uuid, ping, gamemode }) => ({ username, uuid, ping, gamemode }))
}

/** @param {Bot} bot */
const inventory = (bot) => bot.inventory.slots.map((item, slot) => item && row({ ...item, slot })).filter(Boolean)

/** Return the ticks of the game by the bot's own clock, since the server sends its age only once a second. */
const time = () => Math.floor(Date.now() / 50)

// ---------------------------------------------------------------- blocks

/**
 * Return the states of the blocks in a cube with a side of 8 blocks, or null if it is not loaded. If all are the same,
 * `cells` is empty.
 * @param {Bot} bot @param {number} x @param {number} y @param {number} z
 */
function cube (bot, x, y, z) {
  const base = at(bot, x, y, z).floored()
  if (!bot.world.getColumn(base.x >> 4, base.z >> 4)) return null
  const palette = []
  const cells = []
  for (let dy = 0; dy < SIDE; dy++) {
    for (let dz = 0; dz < SIDE; dz++) {
      for (let dx = 0; dx < SIDE; dx++) {
        const state = bot.world.getBlockStateId(base.offset(dx, dy, dz)) || 0
        let index = palette.indexOf(state)
        if (index < 0) index = palette.push(state) - 1
        cells.push(index)
      }
    }
  }
  return { palette, cells: palette.length > 1 ? cells : [] }
}

/** Return what is true of every block of one state. @param {Bot} bot @param {number} id */
function state (bot, id) {
  const block = blockOfState(bot, id)
  const {
    type, name, displayName, metadata, hardness, boundingBox, diggable, material, transparent, stackSize, harvestTools,
    shapes
  } = block
  const properties = block.getProperties ? block.getProperties() : {}
  const drops = (bot.registry.blocks[type] || {}).drops || []
  return {
    id: type, name, displayName, metadata, hardness, boundingBox, diggable, material, transparent, stackSize,
    harvestTools, shapes, properties, drops
  }
}

/** @param {Bot} bot @param {number} id */
function blockOfState (bot, id) {
  if (!bot.registry.blocksByStateId[id]) throw new Fault(`there is no block with the state ${id}`, 'invalid')
  return need('prismarine-block')(bot.registry).fromStateId(id, 0)
}

/**
 * Return the milliseconds that digging takes with a tool (an item's id) or with the bare hand.
 * @param {Bot} bot @param {number} id @param {number | null} type
 */
const digTime = (bot, id, type) => blockOfState(bot, id).digTime(type, false, false, false, [], {})

/** @param {Bot} bot @param {number} x @param {number} y @param {number} z */
function placeOf (bot, x, y, z) {
  const block = bot.blockAt(at(bot, x, y, z))
  if (!block) throw new Fault(`${place({ x, y, z })} is not loaded`)
  const { id, name, temperature, rainfall } = block.biome || {}
  return { biome: { id, name: name || 'unknown', temperature, rainfall }, light: block.light, skyLight: block.skyLight }
}

/** @param {number} far */
const radius = (far) => Math.min(Math.max(1, Number(far) || 16), FARTHEST)

/**
 * Return the states that may be found within a radius: those of all sections that it touches.
 * @param {Bot} bot @param {number} far @param {number} x @param {number} y @param {number} z
 */
function kinds (bot, far, x, y, z) {
  const found = new Set()
  for (const section of sections(bot, at(bot, x, y, z).floored(), radius(far))) {
    if (section.palette) for (const state of section.palette) found.add(state)
    else scan(section, (state) => found.add(state))
  }
  return [...found]
}

/**
 * Return [x, y, z, state] of blocks of these states, the nearest first. `layers` gives, for some states, the only
 * heights that count. The search goes by section, and ends when no remaining section can contain a nearer block.
 * @param {Bot} bot @param {number[]} states @param {number} far @param {number} count @param {number} x
 * @param {number} y @param {number} z @param {Record<string, number[]>} layers
 */
function find (bot, states, far, count, x, y, z, layers) {
  const heights = new Map(Object.entries(layers || {}).map(([state, each]) => [Number(state), new Set(each)]))
  const wanted = new Set(states.filter((state) => heights.get(state)?.size !== 0))
  /** @param {{y: number, state: number}} at */
  const fits = ({ y: height, state }) => heights.get(state)?.has(height) !== false
  return nearestBlocks(bot, at(bot, x, y, z).floored(), radius(far), Math.min(Math.max(1, count), MOST), wanted, fits)
}

/** @param {Bot} bot @param {number} x @param {number} y @param {number} z */
function sees (bot, x, y, z) {
  const block = bot.blockAt(at(bot, x, y, z))
  return Boolean(block && bot.canSeeBlock(block))
}

/** @param {Bot} bot @param {number} far */
function cursor (bot, far) {
  const block = bot.blockAtCursor(radius(far))
  return block ? plain(block.position) : null
}

/** @param {Bot} bot @param {number} x @param {number} y @param {number} z */
const chest = (bot, x, y, z) => {
  const held = bot.autocraft.sightings.chests.get(place(at(bot, x, y, z)))
  return held && typeof held === 'object' ? held : null
}

// ---------------------------------------------------------------- what the game knows

const TABLES = new Set([
  'items', 'itemsByName', 'blocks', 'blocksByName', 'foods', 'foodsByName', 'entities', 'entitiesByName', 'recipes',
  'biomes', 'biomesByName', 'enchantmentsByName', 'effectsByName', 'materials'
])
/** @type {Record<string, string[]>} */
const FIELDS = {
  items: ['id', 'name', 'displayName', 'stackSize', 'maxDurability', 'enchantCategories', 'repairWith'],
  blocks: [
    'id', 'name', 'displayName', 'hardness', 'resistance', 'stackSize', 'diggable', 'material', 'transparent',
    'boundingBox', 'harvestTools', 'drops', 'minStateId', 'maxStateId', 'defaultState', 'emitLight', 'filterLight'
  ]
}

/**
 * Return a table of minecraft-data, and the function that keeps the offered fields of its entries. Throws a Fault for
 * another table.
 * @param {Bot} bot @param {string} name
 */
function tableOf (bot, name) {
  const table = TABLES.has(name) && /** @type {Record<string, any>} */ (bot.registry)[name]
  if (!table) throw new Fault(`mcData has no ${name}`, 'invalid')
  const fields = FIELDS[name.replace(/ByName$/, '')]
  return {
    table,
    trim: (/** @type {any} */ value) =>
      fields && value ? Object.fromEntries(fields.map((each) => [each, value[each]])) : value
  }
}

/**
 * Return one entry, also by an older or newer name of the same thing, or null if there is none.
 * @param {Bot} bot @param {string} name @param {string} key
 */
function data (bot, name, key) {
  const { table, trim } = tableOf(bot, name)
  const found = name.endsWith('ByName')
    ? named(table, plainName(key))
    : Object.hasOwn(table, key)
      ? table[key]
      : undefined
  return found === undefined ? null : trim(found) ?? null
}

/** Return a whole table. @param {Bot} bot @param {string} name */
function table (bot, name) {
  const { table: known, trim } = tableOf(bot, name)
  return Object.fromEntries(Object.entries(known).map(([key, value]) => [key, trim(value)]))
}

/** @param {Bot} bot */
const version = (bot) => ({
  minecraftVersion: bot.registry.version.minecraftVersion,
  majorVersion: bot.registry.version.majorVersion,
  type: 'pc'
})

/** @param {Bot} bot @param {string} name */
function recipes (bot, name) {
  /** @type {null} before 1.13 a number beside the name; programs see today's names */
  const metadata = null
  return bot.recipesAll(itemOf(bot, name).id, null, true).map((each) => ({
    result: { id: each.result.id, count: each.result.count, metadata },
    requiresTable: each.requiresTable,
    delta: each.delta.map(({ id, count }) => ({ id, count, metadata })),
    inShape: each.inShape ? each.inShape.map((line) => line.map((cell) => ({ id: cell.id, count: cell.count }))) : null,
    ingredients: each.ingredients ? each.ingredients.map(({ id, count }) => ({ id, count })) : null
  }))
}

/**
 * Return how many items one use of the best recipe gives, and how often the ingredients allow it, up to `most`.
 * @param {Bot} bot @param {string} name @param {number} most
 */
function craftable (bot, name, most) { return yields(bot, itemOf(bot, name), most) }

/**
 * Return how many of an input there are, or fewer if a fuel is named that is not enough for all.
 * @param {Bot} bot @param {string} name @param {string} fuel
 */
function smeltable (bot, name, fuel) {
  const item = itemOf(bot, name)
  const inputs = smelting(bot)[item.name] ? bot.inventory.count(item.id) : 0
  if (!fuel) return inputs
  const burning = itemOf(bot, fuel)
  return Math.min(inputs, Math.floor(bot.inventory.count(burning.id) * burns(burning.name)))
}

/** Return how many blocks of each name the newest command broke. Return none the second time. @param {Bot} bot */
function broke (bot) {
  /** @type {Counts} */
  const counts = {}
  for (const { name } of bot.autocraft.journal.news()) counts[name] = (counts[name] || 0) + 1
  return counts
}

/** @type {Record<string, (bot: Bot, ...args: any[]) => unknown>} */
const reads = {
  now, entities, players, inventory, time, cube, state, digTime, place: placeOf, kinds, find, sees, cursor, chest, data,
  table, version, recipes, craftable, smeltable, broke
}

/** @param {Bot} bot @param {{name: string, args: any[]}} request */
function read (bot, { name, args }) {
  if (!Object.hasOwn(reads, name)) throw new Fault(`programs cannot read ${name}`, 'invalid')
  try {
    return reads[name](bot, ...(args || []))
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault(`the read ${name} was given wrong arguments: ${error.message}`, 'invalid')
  }
}

module.exports = { read }
