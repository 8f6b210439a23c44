'use strict'
/**
 * Tell what a furnace makes of an item, and for how many ticks a fuel burns. minecraft-data has neither; these are
 * facts of minecraft.wiki, by today's names. One item takes 200 ticks.
 */

const SMELT_TICKS = 200

/** @type {Record<string, string>} */
const SMELTS = {
  iron_ore: 'iron_ingot', gold_ore: 'gold_ingot', copper_ore: 'copper_ingot', raw_iron: 'iron_ingot',
  raw_gold: 'gold_ingot', raw_copper: 'copper_ingot', ancient_debris: 'netherite_scrap', nether_gold_ore: 'gold_ingot',
  coal_ore: 'coal', diamond_ore: 'diamond', emerald_ore: 'emerald', lapis_ore: 'lapis_lazuli', redstone_ore: 'redstone',
  nether_quartz_ore: 'quartz', cobblestone: 'stone', stone: 'smooth_stone', sand: 'glass', red_sand: 'glass',
  sandstone: 'smooth_sandstone', red_sandstone: 'smooth_red_sandstone', quartz_block: 'smooth_quartz',
  clay_ball: 'brick', clay: 'terracotta', netherrack: 'nether_brick', nether_bricks: 'cracked_nether_bricks',
  stone_bricks: 'cracked_stone_bricks', polished_blackstone_bricks: 'cracked_polished_blackstone_bricks',
  cobbled_deepslate: 'deepslate', cactus: 'green_dye', sea_pickle: 'lime_dye', wet_sponge: 'sponge',
  chorus_fruit: 'popped_chorus_fruit', kelp: 'dried_kelp', potato: 'baked_potato', beef: 'cooked_beef',
  porkchop: 'cooked_porkchop', mutton: 'cooked_mutton', chicken: 'cooked_chicken', rabbit: 'cooked_rabbit',
  cod: 'cooked_cod', salmon: 'cooked_salmon', log: 'charcoal', log2: 'charcoal'
}
const CHARCOAL = /^(?!crimson|warped).*_(log|wood)$/
const COLOURED_TERRACOTTA = new RegExp(
  '^(white|orange|magenta|light_blue|yellow|lime|pink|gray|light_gray|cyan|purple|blue|brown|green|red|black)' +
  '_terracotta$'
)
const MOLTEN = new RegExp(
  '^(iron|chainmail|golden|copper)_(sword|pickaxe|axe|shovel|hoe|spear|helmet|chestplate|leggings|boots)$'
)
/** @type {Record<string, string>} */
const NUGGETS = { golden: 'gold_nugget', copper: 'copper_nugget' }

/** How many ticks fuels burn; the first line that fits counts. @type {[RegExp, number][]} */
const FUELS = [
  [/^lava_bucket$/, 20000],
  [/^coal_block$/, 16000],
  [/^dried_kelp_block$/, 4001],
  [/^blaze_rod$/, 2400],
  [/^(coal|charcoal)$/, 1600],
  [/_(boat|chest_boat)$/, 1200],
  [/_hanging_sign$/, 800],
  [/^boat$/, 400],
  [/_(log|wood|planks|stairs|fence|fence_gate|trapdoor|pressure_plate)$/, 300],
  [/^(log2?|planks|fence|fence_gate|trapdoor)$/, 300],
  [/^(crafting_table|chest|trapped_chest|bookshelf|ladder|barrel|lectern|loom|note_block|jukebox|composter)$/, 300],
  [/^((cartography|fletching|smithing)_table|daylight_detector|mangrove_roots|chiseled_bookshelf)$/, 300],
  [/_banner$|^(bow|crossbow|fishing_rod)$/, 300],
  [/_slab$/, 150],
  [/^wooden_|_(sign|door)$/, 200],
  [/^(sign|sapling|wool|stick|bowl|dead_bush)$|_(sapling|button|wool)$|azalea$/, 100],
  [/_carpet$/, 67],
  [/^(bamboo|scaffolding)$/, 50]
]
const NOT_FUEL = new RegExp(
  '^(crimson|warped|iron|stone|cobble|brick|nether|quartz|sandstone|red_sand|smooth|polished|andesite|diorite|' +
  'granite|prismarine|purpur|end_|mossy|cut_|dark_pris|heavy|light_weighted|blackstone|copper|deepslate|tuff|mud_|' +
  'exposed|weathered|oxidized|waxed|resin|petrified|red_nether)'
)

/** Return what a furnace makes of an item, or null. @param {string} name */
function smeltingResult (name) {
  if (Object.hasOwn(SMELTS, name)) return SMELTS[name]
  if (CHARCOAL.test(name)) return 'charcoal'
  if (COLOURED_TERRACOTTA.test(name)) return name.replace('terracotta', 'glazed_terracotta')
  const [, metal] = MOLTEN.exec(name) ?? []
  return metal ? NUGGETS[metal] ?? 'iron_nugget' : null
}

/** Return for how many ticks an item burns, or 0 if it does not. @param {string} name */
function burnTicks (name) {
  return NOT_FUEL.test(name) ? 0 : FUELS.find(([pattern]) => pattern.test(name))?.[1] ?? 0
}

module.exports = { SMELTS, SMELT_TICKS, burnTicks, smeltingResult }
