'use strict'
/** Collect what a model is shown: Voyager's fields, as plain values. Python puts them into words. */
const { meals } = require('./facts')
const { nameToday } = require('./names')
const { LOOK, positions } = require('./commands/near')
const { around } = require('./sightings')
const { holdings, place, possessions, wornItem } = require('./words')

const NOT_ALIVE = ['item', 'experience_orb', 'arrow']

/** @param {Bot} bot */
function observe (bot) {
  const me = bot.entity
  const inventory = holdings(bot)
  const { deaths, grave } = bot.autocraft.sightings
  const voxels = around(bot, 8, 2)
  /** @param {string} name */
  const slot = (name) => wornItem(bot, name)?.name ?? null
  return {
    health: round(bot.health),
    food: bot.food,
    meals: meals(bot, inventory),
    saturation: round(bot.foodSaturation),
    oxygen: bot.oxygenLevel,
    position: { x: round(me.position.x), y: round(me.position.y), z: round(me.position.z) },
    biome: biome(bot),
    time: timeOfDay(bot.time.timeOfDay),
    age: bot.time.age,
    voxels: [...voxels],
    seen: [...bot.autocraft.sightings.blocks].filter((name) => !voxels.has(name) && !(name in inventory)),
    entities: entities(bot, LOOK),
    players: players(bot),
    inventory,
    held: [...bot.autocraft.sightings.held],
    today: today(bot),
    used: bot.inventory.slots.slice(9, 45).filter(Boolean).length,
    equipment: {
      head: slot('head'), chest: slot('torso'), legs: slot('legs'), feet: slot('feet'),
      hand: bot.heldItem ? bot.heldItem.name : null, off_hand: slot('off-hand')
    },
    chests: chests(bot),
    grave,
    deaths,
    places: bot.autocraft.places.all,
    in_water: Boolean(me.isInWater),
    in_lava: Boolean(me.isInLava),
    on_ground: Boolean(me.onGround),
    mode: bot.game.gameMode,
    dimension: bot.game.dimension
  }
}

/**
 * Return kinds of entities with the distance of the nearest one, sorted by it. Items are left out; players have their
 * names.
 * @param {Bot} bot @param {number} radius
 */
function entities (bot, radius) {
  const nearest = new Map()
  for (const each of Object.values(bot.entities)) {
    if (each === bot.entity || !each.position || !each.name || NOT_ALIVE.includes(each.name)) continue
    const name = each.type === 'player' ? `player ${each.username}` : each.name
    const far = each.position.distanceTo(bot.entity.position)
    if (far <= radius && far < (nearest.get(name) ?? Infinity)) nearest.set(name, far)
  }
  return Object.fromEntries([...nearest].sort((a, b) => a[1] - b[1]).map(([name, far]) => [name, round(far)]))
}

/** Return the other players of the server, each with its place, or null if it is out of sight. @param {Bot} bot */
function players (bot) {
  const others = Object.values(bot.players).filter(({ username }) => username !== bot.username)
  return Object.fromEntries(others.map(({ username, entity }) => {
    const at = entity?.position
    return [username, at ? { x: round(at.x), y: round(at.y), z: round(at.z) } : null]
  }))
}

/**
 * Return what the inventory holds on a server from before 1.13, by today's names, since goals may use these.
 * @param {Bot} bot
 */
function today (bot) {
  /** @type {Counts} */
  const counts = {}
  for (const item of possessions(bot)) {
    const name = nameToday(bot.registry, item)
    if (name) counts[name] = (counts[name] || 0) + item.count
  }
  return counts
}

/** Return the chests that were opened, and those in sight as Unknown. @param {Bot} bot */
function chests (bot) {
  const ids = ['chest', 'trapped_chest', 'barrel']
    .map((name) => bot.registry.blocksByName[name])
    .filter(Boolean)
    .map((block) => block.id)
  for (const at of positions(bot, ids, 16, 99)) {
    if (!bot.autocraft.sightings.chests.has(place(at))) bot.autocraft.sightings.chest(at, 'Unknown')
  }
  return Object.fromEntries(bot.autocraft.sightings.chests)
}

/**
 * Return the name of the biome by the server's own list. prismarine-block uses the list of another version, and mostly
 * returns an empty name.
 * @param {Bot} bot
 */
function biome (bot) {
  if (!bot.blockAt(bot.entity.position)) return 'unknown' // not loaded
  const id = bot.world.getBiome(bot.entity.position)
  const found = bot.registry.biomes && bot.registry.biomes[id]
  return (found && found.name) || 'unknown'
}

/** @param {number} time of the day in ticks */
function timeOfDay (time) {
  if (time < 1000) return 'sunrise'
  if (time < 6000) return 'day'
  if (time < 12000) return 'noon'
  if (time < 13000) return 'sunset'
  return time < 18000 ? 'night' : 'midnight'
}

/** @param {any} value */
const round = (value) => Math.round((value ?? 0) * 10) / 10

module.exports = { NOT_ALIVE, entities, observe, round }
