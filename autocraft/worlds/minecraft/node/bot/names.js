'use strict'
/**
 * Find items, blocks and entities of other versions. What had another name before 1.13 or since 1.17 is found under the
 * name that people know. Entities have today's names in every version.
 */

const need = require('../shared/need')

/**
 * `other_names` are names that people and Voyager's programs use, each with the registry's name. `twins` are pairs of
 * names for one kind, each of other versions: the name that the server has is meant. The rules of a policy read them
 * too.
 * @type {{other_names: Record<string, string>, twins: string[][]}}
 */
const SAME_THINGS = require('./same_things.json')

/**
 * The numbers that the names of 1.13 had before. minecraft-data lists them by number and kind, such as "5:0".
 * @type {Map<string, number[]>|null}
 */
let numbers = null

/**
 * Return the entry that had a name before 1.13, or undefined. Then the kind of wood or wool was a number beside the
 * name, so all kinds had one name.
 * @template {{id: number}} T @param {Record<string, T>} table of a registry, by name @param {string} name of today
 * @returns {T | undefined}
 */
function entryBefore113 (table, name) {
  if (!numbers) {
    numbers = new Map()
    const { items, blocks } = need('minecraft-data').legacy.pc
    for (const [key, value] of [...Object.entries(items), ...Object.entries(blocks)]) {
      const plain = value.replace(/^minecraft:|\[.*$/g, '')
      numbers.set(plain, [...numbers.get(plain) || [], parseInt(key)])
    }
  }
  const ids = numbers.get(name) || []
  return ids.length ? Object.values(table).find((each) => ids.includes(each.id)) : undefined
}

/** Return the registry's name for one that people use. @param {string} name already plain */
const nameMeant = (name) => Object.hasOwn(SAME_THINGS.other_names, name) ? SAME_THINGS.other_names[name] : name

/**
 * Return the entry with a name, or with another name of the same thing, or undefined.
 * @template {{id: number}} T @param {Record<string, T>} table of a registry, by name @param {string} name already plain
 * @returns {T | undefined}
 */
function find (table, name) {
  /** @param {string} key */
  const own = (key) => Object.hasOwn(table, key) ? table[key] : undefined
  const old = Object.hasOwn(table, 'planks') // a registry from before 1.13
  const known = nameMeant(name)
  if (old && name === 'short_grass') return own('tallgrass')
  const found = own(name) || own(known)
  if (found) return found
  const ore = /^deepslate_(.+_ore)$/.exec(name)
  if (ore) return find(table, ore[1])
  const before = old && (entryBefore113(table, known) || (known.endsWith('_bed') ? own('bed') : undefined))
  if (before) return before
  for (const pair of SAME_THINGS.twins) {
    const other = pair.includes(name) ? own(pair[pair[0] === name ? 1 : 0]) : undefined
    if (other) return other
  }
  return undefined
}

/**
 * Return today's name of an item from before 1.13, by its number and the number of its kind, or '' if the name is
 * unchanged.
 * @param {Registry} registry @param {{type: number, metadata: number, name: string}} item
 */
function nameToday (registry, { type, metadata, name }) {
  if (!Object.hasOwn(registry.itemsByName, 'planks')) return ''
  const { items } = need('minecraft-data').legacy.pc
  const found = items[`${type}:${metadata || 0}`] || items[`${type}:0`] || ''
  const today = found.replace('minecraft:', '')
  return today === name ? '' : today
}

/**
 * Return the number of the kind that today's name meant before 1.13, or null.
 * @param {Registry} registry @param {ItemKind} item @param {string} name
 */
function kindOf (registry, item, name) {
  for (let metadata = 0; metadata < 16; metadata++) {
    if (nameToday(registry, { type: item.id, metadata, name: item.name }) === name) return metadata
  }
  return null
}

/** @type {Record<string, string>} */
const ENTITIES = {
  pig_zombie: 'zombie_pigman', lava_slime: 'magma_cube', mushroom_cow: 'mooshroom', ozelot: 'ocelot',
  villager_golem: 'iron_golem', entity_horse: 'horse', snow_man: 'snow_golem', snowman: 'snow_golem',
  wither_boss: 'wither', xp_orb: 'experience_orb', xporb: 'experience_orb', item_stack: 'item',
  evocation_illager: 'evoker', vindication_illager: 'vindicator', 'iron_golem}': 'iron_golem', thrown_egg: 'egg'
}

/** Return today's name of an entity: zombie_pigman for "PigZombie" of 1.8. @param {string} name */
function nameOfEntity (name) {
  const plain = name.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/\s+/g, '_').toLowerCase()
  return ENTITIES[plain] || plain
}

/** Give every entity that appears its name of today. @param {Bot} bot */
function names (bot) {
  bot.on('entitySpawn', (entity) => {
    if (entity.name && entity.type !== 'player') entity.name = nameOfEntity(entity.name)
  })
}

module.exports = { names, nameMeant, nameOfEntity, nameToday, kindOf, find }
