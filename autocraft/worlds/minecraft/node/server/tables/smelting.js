'use strict'
/**
 * Tell what a furnace makes of an item, and for how many ticks a fuel burns (facts of Minecraft 1.16, minecraft.wiki).
 * One item takes 200 ticks.
 */

const SMELT_TICKS = 200

/** @type {Record<string, string>} */
const SMELTS = {
  iron_ore: 'iron_ingot', gold_ore: 'gold_ingot', coal_ore: 'coal', diamond_ore: 'diamond', lapis_ore: 'lapis_lazuli',
  redstone_ore: 'redstone', emerald_ore: 'emerald', nether_quartz_ore: 'quartz', nether_gold_ore: 'gold_ingot',
  ancient_debris: 'netherite_scrap', sand: 'glass', red_sand: 'glass', cobblestone: 'stone', stone: 'smooth_stone',
  sandstone: 'smooth_sandstone', red_sandstone: 'smooth_red_sandstone', quartz_block: 'smooth_quartz',
  stone_bricks: 'cracked_stone_bricks', clay_ball: 'brick', clay: 'terracotta', netherrack: 'nether_brick',
  cactus: 'green_dye', wet_sponge: 'sponge', sea_pickle: 'lime_dye', chorus_fruit: 'popped_chorus_fruit',
  beef: 'cooked_beef', porkchop: 'cooked_porkchop', chicken: 'cooked_chicken', mutton: 'cooked_mutton',
  rabbit: 'cooked_rabbit', cod: 'cooked_cod', salmon: 'cooked_salmon', potato: 'baked_potato', kelp: 'dried_kelp'
}

/** @type {Record<string, number>} */
const FUELS = {
  lava_bucket: 20000, coal_block: 16000, dried_kelp_block: 4001, blaze_rod: 2400, coal: 1600, charcoal: 1600,
  scaffolding: 400, bow: 300, fishing_rod: 300, ladder: 300, crossbow: 300, stick: 100, bowl: 100, dead_bush: 100,
  bamboo: 50, crafting_table: 300, chest: 300, trapped_chest: 300, barrel: 300, bookshelf: 300, lectern: 300,
  composter: 300, loom: 300, cartography_table: 300, fletching_table: 300, smithing_table: 300, jukebox: 300,
  note_block: 300, daylight_detector: 300
}

/** @type {[RegExp, number][]} */
const WOODEN = [
  [/^(wooden)_(sword|pickaxe|axe|shovel|hoe)$/, 200],
  [/_boat$/, 1200],
  [/_door$/, 200],
  [/_sign$/, 200],
  [/_button$/, 100],
  [/_slab$/, 150],
  [/_(planks|log|wood|fence|fence_gate|stairs|trapdoor|pressure_plate)$/, 300]
]
/** @type {[RegExp, number][]} */
const SOFT = [[/_sapling$/, 100], [/_wool$/, 100], [/_carpet$/, 67], [/_banner$/, 300]]
const KIND = /^(stripped_)?(oak|spruce|birch|jungle|acacia|dark_oak)_/

/** @param {string} name of an item @returns {string|null} what it becomes */
function smeltingResult (name) {
  if (SMELTS[name]) return SMELTS[name]
  return KIND.test(name) && /_(log|wood)$/.test(name) ? 'charcoal' : null
}

/** @param {string} name of an item @returns {number} ticks, 0 when it does not burn */
function burnTicks (name) {
  if (FUELS[name]) return FUELS[name]
  const rules = KIND.test(name) || name.startsWith('wooden_') ? WOODEN.concat(SOFT) : SOFT
  return rules.find(([pattern]) => pattern.test(name))?.[1] ?? 0
}

module.exports = { smeltingResult, burnTicks, SMELT_TICKS }
