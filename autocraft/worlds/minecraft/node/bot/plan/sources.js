'use strict'
/**
 * Give the sources of items that no recipe makes: mined from which block, dropped by which mob, and how deep ores lie.
 * minecraft-data does not have these facts for every version.
 */

/** Item to [block, how many one block gives]; below 1 a chance. @type {Record<string, [string, number]>} */
const MINED = {
  cobblestone: ['stone', 1], cobbled_deepslate: ['deepslate', 1], dirt: ['grass_block', 1], flint: ['gravel', 0.1],
  clay_ball: ['clay', 4], snowball: ['snow', 1], melon_slice: ['melon', 5], wheat_seeds: ['short_grass', 0.12],
  apple: ['oak_leaves', 0.005], coal: ['coal_ore', 1], diamond: ['diamond_ore', 1], emerald: ['emerald_ore', 1],
  redstone: ['redstone_ore', 4], lapis_lazuli: ['lapis_ore', 6], raw_iron: ['iron_ore', 1], raw_gold: ['gold_ore', 1],
  raw_copper: ['copper_ore', 3], quartz: ['nether_quartz_ore', 1], gold_nugget: ['nether_gold_ore', 4],
  glowstone_dust: ['glowstone', 3], wheat: ['wheat', 1], carrot: ['carrots', 2], potato: ['potatoes', 2]
}

/** Blocks that lie about in the world and drop themselves. */
const NATURAL = new RegExp(
  '^(.*_log|log2?|.*_stem|dirt|sand|red_sand|gravel|granite|diorite|andesite|tuff|calcite|basalt|blackstone|' +
  'netherrack|soul_sand|soul_soil|obsidian|cactus|sugar_cane|bamboo|pumpkin|kelp|.*_mushroom|.*_tulip|dandelion|' +
  'poppy|blue_orchid|allium|azure_bluet|oxeye_daisy|cornflower|lily_of_the_valley|sunflower|lilac|rose_bush|peony|' +
  'end_stone|ancient_debris|iron_ore|gold_ore)$'
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

/**
 * The height at which one is likely to find an ore, before 1.18 and since; other blocks lie on the ground.
 * @type {Record<string, [number, number]>}
 */
const DEPTHS = {
  coal_ore: [45, 45], iron_ore: [40, 16], gold_ore: [24, -16], copper_ore: [45, 45], lapis_ore: [16, 0],
  redstone_ore: [12, -56], diamond_ore: [12, -56], emerald_ore: [24, 90]
}

/**
 * The blocks and mobs that give an item. @param {Bot} bot @param {string} item
 * @returns {{blocks: [string, number][], mobs: [string, number][]}}
 */
function sourcesOf (bot, item) {
  /** @param {Record<string, any>} table */
  const own = (table) => (Object.hasOwn(table, item) ? [table[item]] : [])
  // since 1.17 an ore drops its raw metal
  const ores = bot.registry.itemsByName.raw_iron ? ['iron_ore', 'gold_ore'] : []
  const itself = NATURAL.test(item) && !ores.includes(item) ? [[item, 1]] : []
  return { blocks: [...itself, ...own(MINED)], mobs: own(DROPPED) }
}

/** How deep to look for a block, or null where it lies on the ground. @param {Bot} bot @param {string} block */
function depthOf (bot, block) {
  if (!Object.hasOwn(DEPTHS, block)) return null
  return DEPTHS[block][bot.registry.version['>=']('1.18') ? 1 : 0]
}

module.exports = { depthOf, sourcesOf }
