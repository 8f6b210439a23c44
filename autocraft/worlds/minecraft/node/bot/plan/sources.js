'use strict'
/**
 * Give the sources of items that no recipe makes: mined from which block, dropped by which mob, filled into a bucket;
 * and where and when they are there. minecraft-data does not have these facts for every version.
 */

/** Item to [block, how many one block gives]; below 1 a chance. @type {Record<string, [string, number]>} */
const MINED = {
  cobblestone: ['stone', 1], cobbled_deepslate: ['deepslate', 1], dirt: ['grass_block', 1], flint: ['gravel', 0.1],
  clay_ball: ['clay', 4], snowball: ['snow', 1], melon_slice: ['melon', 5], wheat_seeds: ['short_grass', 0.12],
  apple: ['oak_leaves', 0.005], coal: ['coal_ore', 1], diamond: ['diamond_ore', 1], emerald: ['emerald_ore', 1],
  redstone: ['redstone_ore', 4], lapis_lazuli: ['lapis_ore', 6], raw_iron: ['iron_ore', 1], raw_gold: ['gold_ore', 1],
  raw_copper: ['copper_ore', 3], quartz: ['nether_quartz_ore', 1], gold_nugget: ['nether_gold_ore', 4],
  glowstone_dust: ['glowstone', 3], carrot: ['carrots', 2], potato: ['potatoes', 2]
}

/** Blocks that lie about in the world and drop themselves. */
const NATURAL = new RegExp(
  '^((?!stripped_).*_log|log2?|(crimson|warped)_stem|dirt|sand|red_sand|gravel|granite|diorite|andesite|tuff|' +
  'calcite|basalt|blackstone|netherrack|soul_sand|soul_soil|obsidian|cactus|sugar_cane|bamboo|pumpkin|kelp|' +
  '.*_mushroom|.*_tulip|dandelion|poppy|blue_orchid|allium|azure_bluet|oxeye_daisy|cornflower|' +
  'lily_of_the_valley|sunflower|lilac|rose_bush|peony|end_stone|ancient_debris|iron_ore|gold_ore)$'
)

/** Item to the mobs that drop it, and how many each gives. @type {Record<string, [string, number]>} */
const DROPPED = {
  leather: ['cow', 1], beef: ['cow', 2], porkchop: ['pig', 2], mutton: ['sheep', 1.5], white_wool: ['sheep', 1],
  wool: ['sheep', 1], chicken: ['chicken', 1], feather: ['chicken', 1], rabbit: ['rabbit', 0.5],
  rabbit_hide: ['rabbit', 0.5], string: ['spider', 1], spider_eye: ['spider', 0.3], bone: ['skeleton', 1],
  arrow: ['skeleton', 1], gunpowder: ['creeper', 1], rotten_flesh: ['zombie', 1], ender_pearl: ['enderman', 0.5],
  slime_ball: ['slime', 0.7], ink_sac: ['squid', 2], cod: ['cod', 1], salmon: ['salmon', 1], blaze_rod: ['blaze', 0.5],
  ghast_tear: ['ghast', 0.5]
}

/** Item to what a bucket is filled with: a block, or a mob that gives it. @type {Record<string, string>} */
const FILLED = { water_bucket: 'water', lava_bucket: 'lava', milk_bucket: 'cow' }

/** What mobs leave lying about while they live. @type {Record<string, string>} */
const LAID = { egg: 'chicken' }

/** Seconds that fighting a mob may cost, by the harm it does; others do none. @type {Record<string, number>} */
const DANGER = {
  zombie: 60, husk: 60, drowned: 60, spider: 80, skeleton: 150, stray: 150, slime: 60, creeper: 200, witch: 200,
  enderman: 400, blaze: 600, ghast: 600, magma_cube: 300, wither_skeleton: 600
}

/** Seconds until what is rare is found. @type {Record<string, number>} */
const RARE = { obsidian: 600, emerald_ore: 400, melon: 400, ancient_debris: 900, carrots: 400, potatoes: 400 }

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

/** Blocks that lie inside the ground, so that they are looked for at any height. */
const INSIDE = /stone|_ore|granite|diorite|andesite|deepslate|tuff|calcite|gravel|dirt|clay|obsidian|debris|amethyst/

/**
 * The sources of an item. @param {Bot} bot @param {string} item
 * @returns {{blocks: [string, number][], mobs: [string, number][], filled: string, laid: string}}
 */
function sourcesOf (bot, item) {
  /** @param {Record<string, any>} table */
  const own = (table) => (Object.hasOwn(table, item) ? [table[item]] : [])
  // since 1.17 an ore drops its raw metal
  const ores = bot.registry.itemsByName.raw_iron ? ['iron_ore', 'gold_ore'] : []
  const itself = NATURAL.test(item) && !ores.includes(item) ? [[item, 1]] : []
  return {
    blocks: [...itself, ...own(MINED)], mobs: own(DROPPED), filled: own(FILLED)[0] || '', laid: own(LAID)[0] || ''
  }
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
  return !INSIDE.test(block) && y < surface - 8 ? surface : null
}

module.exports = { DANGER, RARE, heightFor, isHere, sourcesOf }
