'use strict'
/**
 * Give the sources of items that no recipe makes: mined from which block, dropped by which mob, filled into a bucket;
 * and where and when they are there. minecraft-data does not have these facts for every version.
 */
const need = require('../../shared/need')

const LOOT = '1.16.5' // whose drops are those of every version

/** Item to [block, how many one block gives]; below 1 a chance. @type {Record<string, [string, number]>} */
const MINED = {
  cobblestone: ['stone', 1], cobbled_deepslate: ['deepslate', 1], dirt: ['grass_block', 1], flint: ['gravel', 0.1],
  clay_ball: ['clay', 4], snowball: ['snow', 1], melon_slice: ['melon', 5], wheat_seeds: ['short_grass', 0.12],
  apple: ['oak_leaves', 0.005], coal: ['coal_ore', 1], diamond: ['diamond_ore', 1], emerald: ['emerald_ore', 1],
  redstone: ['redstone_ore', 4], lapis_lazuli: ['lapis_ore', 6], raw_iron: ['iron_ore', 1], raw_gold: ['gold_ore', 1],
  raw_copper: ['copper_ore', 3], quartz: ['nether_quartz_ore', 1], gold_nugget: ['nether_gold_ore', 4],
  glowstone_dust: ['glowstone', 3], carrot: ['carrots', 2], potato: ['potatoes', 2], cocoa_beans: ['cocoa', 2],
  sweet_berries: ['sweet_berry_bush', 2]
}

/** Blocks that lie about in the world and drop themselves. */
const NATURAL = new RegExp(
  '^((?!stripped_).*_log|log2?|(crimson|warped)_stem|dirt|sand|red_sand|gravel|granite|diorite|andesite|tuff|' +
  'calcite|basalt|blackstone|netherrack|soul_sand|soul_soil|obsidian|cactus|sugar_cane|bamboo|pumpkin|kelp|' +
  '.*_mushroom|.*_tulip|dandelion|poppy|blue_orchid|allium|azure_bluet|oxeye_daisy|cornflower|' +
  'lily_of_the_valley|sunflower|lilac|rose_bush|peony|lily_pad|sea_pickle|mossy_cobblestone|end_stone|' +
  'ancient_debris|iron_ore|gold_ore)$'
)

/** Blocks that lie about in the world and drop themselves to shears alone. */
const SHEARED = /^(.*_leaves|leaves2?|vine|(short_)?grass|tallgrass|fern|seagrass|dead_?bush|cob?web)$/
const SAPLING = 0.05 // of one block of leaves

/** The mobs that the bot hunts; minecraft-data tells what each drops. */
const HUNTED = [
  'cow', 'pig', 'sheep', 'chicken', 'rabbit', 'squid', 'cod', 'salmon', 'pufferfish', 'tropical_fish', 'zombie',
  'spider', 'skeleton', 'creeper', 'slime', 'phantom', 'witch', 'enderman', 'blaze', 'ghast', 'magma_cube',
  'wither_skeleton'
]

/** How many of an item a mob gives where minecraft-data is wrong, by minecraft.wiki. @type {Record<string, number>} */
const GIVEN = {
  'cow beef': 2, 'pig porkchop': 2, 'sheep mutton': 1.5, 'sheep white_wool': 1, 'rabbit rabbit': 0.5,
  'rabbit rabbit_hide': 0.5, 'spider spider_eye': 0.3, 'enderman ender_pearl': 0.5, 'slime slime_ball': 0.7,
  'squid ink_sac': 2, 'blaze blaze_rod': 0.5, 'ghast ghast_tear': 0.5, 'magma_cube magma_cream': 0.3,
  'phantom phantom_membrane': 0.5, 'wither_skeleton coal': 0.3, 'cod bone_meal': 0.05
}

/** Item to what a bucket is filled with: a block, or a mob that gives it. @type {Record<string, string>} */
const FILLED = { water_bucket: 'water', lava_bucket: 'lava', milk_bucket: 'cow' }

/** What mobs leave lying about while they live. @type {Record<string, string>} */
const LAID = { egg: 'chicken' }

/** Seconds that fighting a mob may cost, by the harm it does; others do none. @type {Record<string, number>} */
const DANGER = {
  zombie: 60, husk: 60, drowned: 60, spider: 80, skeleton: 150, stray: 150, slime: 60, creeper: 200, witch: 200,
  enderman: 400, phantom: 200, blaze: 600, ghast: 600, magma_cube: 300, wither_skeleton: 600
}

/** Seconds until what is rare is found. @type {Record<string, number>} */
const RARE = {
  obsidian: 600, emerald_ore: 400, melon: 400, ancient_debris: 900, carrots: 400, potatoes: 400, vine: 300,
  lily_pad: 300, sweet_berry_bush: 300, cocoa: 600, sea_pickle: 600, mossy_cobblestone: 600, cobweb: 600,
  pufferfish: 400, tropical_fish: 400, witch: 600, phantom: 900
}

/** Where blocks and mobs are that are not in the overworld. @type {[string, RegExp][]} */
const DIMENSIONS = [
  ['nether', new RegExp(
    '^(nether|soul_(sand|soil)|glowstone|quartz_ore|ancient_debris|(?:gilded_)?blackstone|basalt|crimson|warped|' +
    'shroomlight|blaze$|ghast$|magma_cube$|wither_skeleton$|piglin|hoglin$|strider$)'
  )],
  ['end', /^(end_stone|chorus|purpur|shulker|ender_dragon)/]
]

/**
 * The heights between which an ore lies, and that at which one is likely to find it, before 1.18 and since.
 * @type {Record<string, [number, number, number][]>}
 */
const HEIGHTS = {
  coal_ore: [[0, 127, 45], [0, 192, 45]], iron_ore: [[0, 63, 40], [-24, 72, 16]],
  gold_ore: [[0, 31, 24], [-64, 32, -16]], copper_ore: [[0, 96, 45], [-16, 112, 45]],
  lapis_ore: [[0, 30, 16], [-64, 64, 0]],
  redstone_ore: [[0, 15, 12], [-64, 15, -56]], diamond_ore: [[0, 15, 12], [-64, 14, -56]],
  emerald_ore: [[4, 31, 24], [-16, 320, 90]], lava: [[0, 11, 11], [-64, -54, -54]]
}

/** Blocks below the surface at which there is rock nearly everywhere, though nobody sees it. */
const SOIL = 8

/** Blocks that lie inside the ground, so that they are looked for at any height. */
const INSIDE = /stone|_ore|granite|diorite|andesite|deepslate|tuff|calcite|gravel|dirt|clay|obsidian|debris|amethyst/

/**
 * The sources of an item: blocks with how many each gives and the tool that it takes, and mobs.
 * @param {Bot} bot @param {string} item
 * @returns {{blocks: [string, number, string?][], mobs: [string, number][], filled: string, laid: string}}
 */
function sourcesOf (bot, item) {
  /** @param {Record<string, any>} table */
  const own = (table) => (Object.hasOwn(table, item) ? [table[item]] : [])
  // since 1.17 an ore drops its raw metal
  const ores = bot.registry.itemsByName.raw_iron ? ['iron_ore', 'gold_ore'] : []
  /** @type {[string, number, string?][]} */
  const itself = NATURAL.test(item) && !ores.includes(item) ? [[item, 1]] : []
  if (SHEARED.test(item)) itself.push([item, 1, 'shears'])
  if (item.endsWith('_sapling')) itself.push([item.replace('sapling', 'leaves'), SAPLING])
  return {
    blocks: [...itself, ...own(MINED)],
    mobs: droppersOf(item),
    filled: own(FILLED)[0] || '',
    laid: own(LAID)[0] || ''
  }
}

/** The mobs that drop each item. @type {Map<string, [string, number][]> | null} */
let droppers = null

/** Return the mobs that drop an item, each with how many it gives. @param {string} item */
function droppersOf (item) {
  if (!droppers) {
    droppers = new Map()
    /** @param {string} mob @param {string} name @param {number} count */
    const add = (mob, name, count) => {
      droppers?.set(name, [...droppers.get(name) ?? [], [mob, GIVEN[`${mob} ${name}`] ?? count]])
    }
    /** @type {any} */
    const { entityLootArray } = need('minecraft-data')(LOOT)
    for (const { entity, drops } of entityLootArray) {
      if (!HUNTED.includes(entity)) continue
      for (const { item: name, dropChance } of drops) add(entity, name, dropChance)
    }
    add('sheep', 'white_wool', 1)
  }
  return droppers.get(item) ?? (item === 'wool' ? droppers.get('white_wool') : null) ?? []
}

/** Whether a block or a mob is in the dimension where the bot is. @param {Bot} bot @param {string} name */
function isHere (bot, name) {
  const here = String(bot.game.dimension).replace(/^minecraft:/, '').replace(/^the_/, '')
  const found = DIMENSIONS.find(([, names]) => names.test(name))
  return (found ? found[0] : 'overworld') === (here === 'nether' || here === 'end' ? here : 'overworld')
}

/**
 * The height to look for a block at, or null where it may lie at the bot's height; `surface` is that of the ground.
 * @param {Bot} bot @param {string} block @param {number} surface
 */
function heightFor (bot, block, surface) {
  const { y } = bot.entity.position
  if (Object.hasOwn(HEIGHTS, block)) {
    const [low, , best] = HEIGHTS[block][bot.registry.version['>=']('1.18') ? 1 : 0]
    return y > best + 10 || y < low ? best : null
  }
  if (block === 'stone' && bot.autocraft.options.sight === 'seen' && y > surface - SOIL) return surface - SOIL
  return !INSIDE.test(block) && y < surface - 8 ? surface : null
}

module.exports = { DANGER, RARE, heightFor, isHere, sourcesOf }
