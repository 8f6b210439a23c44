'use strict'
/**
 * Find things under the names of other versions: what was called otherwise before 1.13 or since 1.17 is found under the
 * name that people know, and entities carry today's names in every version.
 */

const need = require('../shared/need')

/** Names that people and Voyager's programs use, by what the registries call them. @type {Record<string, string>} */
const OTHER_NAMES = {
  leather_cap: 'leather_helmet', leather_tunic: 'leather_chestplate', leather_pants: 'leather_leggings',
  lapis_lazuli_ore: 'lapis_ore', wood: 'oak_log', log: 'oak_log', planks: 'oak_planks', workbench: 'crafting_table'
}

/** One kind under two names, each of its own versions; whichever the server has is meant. */
const TWINS = [
  ['raw_iron', 'iron_ore'], ['raw_gold', 'gold_ore'], ['cobbled_deepslate', 'cobblestone'], ['deepslate', 'stone'],
  ['grass', 'short_grass'], ['grass_path', 'dirt_path'], ['scute', 'turtle_scute'], ['oak_sign', 'sign'],
  ['sugar_cane', 'reeds'], ['cobweb', 'web'], ['dead_bush', 'deadbush'], ['lily_pad', 'waterlily'],
  ['melon', 'melon_block'], ['bricks', 'brick_block'], ['nether_bricks', 'nether_brick'],
  ['stone_bricks', 'stonebrick'], ['spawner', 'mob_spawner'], ['snow', 'snow_layer'],
  ['nether_quartz_ore', 'quartz_ore'], ['note_block', 'noteblock'], ['powered_rail', 'golden_rail'],
  ['magma_block', 'magma'], ['slime_block', 'slime'], ['terracotta', 'hardened_clay'],
  ['jack_o_lantern', 'lit_pumpkin'], ['end_stone_bricks', 'end_bricks'], ['popped_chorus_fruit', 'chorus_fruit_popped'],
  ['glistering_melon_slice', 'speckled_melon'], ['melon_slice', 'melon'], ['firework_rocket', 'fireworks'],
  ['repeater', 'unpowered_repeater'], ['comparator', 'unpowered_comparator']
]

/**
 * The numbers that the names of 1.13 stood for before; minecraft-data has them by number and kind, as "5:0".
 * @type {Map<string, number[]>|null}
 */
let numbers = null

/**
 * Before 1.13 the kind of wood, wool and the like was a number beside the name, so all kinds have one name.
 * @template {{id: number}} T @param {Record<string, T>} table of a registry, by name @param {string} name of today
 * @returns {T | undefined}
 */
function once (table, name) {
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

/**
 * @template {{id: number}} T @param {Record<string, T>} table of a registry, by name @param {string} name already plain
 * @returns {T | undefined}
 */
function find (table, name) {
  /** @param {string} key */
  const own = (key) => Object.hasOwn(table, key) ? table[key] : undefined
  const old = Object.hasOwn(table, 'planks') // a registry from before 1.13
  const known = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : name
  if (old && name === 'short_grass') return own('tallgrass')
  const found = own(name) || own(known)
  if (found) return found
  const ore = /^deepslate_(.+_ore)$/.exec(name)
  if (ore) return find(table, ore[1])
  const before = old && (once(table, known) || (known.endsWith('_bed') ? own('bed') : undefined))
  if (before) return before
  for (const pair of TWINS) {
    const other = pair.includes(name) ? own(pair[pair[0] === name ? 1 : 0]) : undefined
    if (other) return other
  }
  return undefined
}

/**
 * What an item of before 1.13 is called today, by the number of its kind too; '' where that is its own name.
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
 * The number of the kind that today's name means before 1.13, or null.
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

/** Give every entity that appears the name of today: "PigZombie" of 1.8 is a zombie_pigman. @param {Bot} bot */
function names (bot) {
  bot.on('entitySpawn', (entity) => {
    if (!entity.name || entity.type === 'player') return
    const plain = entity.name.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/\s+/g, '_').toLowerCase()
    entity.name = ENTITIES[plain] || plain
  })
}

module.exports = { names, nameToday, kindOf, find }
