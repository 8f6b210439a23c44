'use strict'
/**
 * Give facts that minecraft-data lacks, by minecraft.wiki: how long fuels burn, what smelts to what, which weapons are
 * best. Which mobs attack is its own, with corrections.
 */
const { find, nameOfEntity } = require('./names')

/** How many items one piece of a fuel smelts. @type {[RegExp, number][]} */
const FUELS = [
  [/^lava_bucket$/, 100],
  [/^coal_block$/, 80],
  [/^dried_kelp_block$/, 20],
  [/^blaze_rod$/, 12],
  [/^(coal|charcoal)$/, 8],
  [/_(boat|chest_boat)$/, 6],
  [/_hanging_sign$/, 4],
  [/^(?!crimson|warped).*_(log|wood|planks|stairs|fence|fence_gate|trapdoor|pressure_plate)$/, 1.5],
  [/^(log2?|planks|fence|fence_gate|trapdoor)$/, 1.5],
  [/^boat$/, 2],
  [/^wooden_slab$/, 0.75],
  [/^(sign|sapling|wool)$/, 0.5], // before 1.13
  [/^(crafting_table|chest|trapped_chest|bookshelf|ladder|barrel|lectern|loom|note_block|jukebox|composter)$/, 1.5],
  [/^wooden_/, 1],
  [/_(sign|door)$/, 1],
  [/_slab$/, 0.75],
  [/^(stick|bowl)$|_(sapling|button|wool)$|azalea$/, 0.5],
  [/_carpet$/, 0.335],
  [/^(bamboo|scaffolding)$/, 0.25],
  [/_banner$|^(bow|crossbow|fishing_rod|mangrove_roots|chiseled_bookshelf)$/, 1.5]
]
const NOT_FUEL = new RegExp(
  '^(crimson|warped|iron|stone|cobblestone|brick|nether|quartz|sandstone|red_sand|smooth|polished|andesite|diorite|' +
  'granite|prismarine|purpur|end_|mossy|cut_|dark_pris|heavy|light_weighted|blackstone|copper|deepslate|tuff|mud_|' +
  'exposed|weathered|oxidized|waxed|resin)'
)
const COLOURED_TERRACOTTA = new RegExp(
  '^(white|orange|magenta|light_blue|yellow|lime|pink|gray|light_gray|cyan|purple|blue|brown|green|red|black)' +
  '_terracotta$'
)

const MOLTEN = new RegExp(
  '^(iron|chainmail|golden|copper)_(sword|pickaxe|axe|shovel|hoe|spear|helmet|chestplate|leggings|boots)$'
)

const SMELTING = {
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
  cod: 'cooked_cod', salmon: 'cooked_salmon'
}

/** Return how many items one piece of a fuel smelts, or 0 if it does not burn. @param {string} name */
function burns (name) {
  if (NOT_FUEL.test(name)) return 0
  const found = FUELS.find(([pattern]) => pattern.test(name))
  return found ? found[1] : 0
}

/**
 * Return the outputs of smelting by input, for the server's version and with its names.
 * @param {Bot} bot @returns {Record<string, string>}
 */
function smelting (bot) {
  /** @type {Record<string, string>} */
  const all = { ...SMELTING, log: 'charcoal', log2: 'charcoal' }
  for (const name of Object.keys(bot.registry.itemsByName)) {
    if (/_(log|wood)$/.test(name) && !/^(crimson|warped)/.test(name)) all[name] = 'charcoal'
    if (COLOURED_TERRACOTTA.test(name)) all[name] = name.replace('terracotta', 'glazed_terracotta')
    const [, metal] = MOLTEN.exec(name) ?? []
    if (metal) all[name] = `${/golden|copper/.test(metal) ? metal.replace('golden', 'gold') : 'iron'}_nugget`
  }
  if ('netherbrick' in bot.registry.itemsByName) all.netherrack = 'netherbrick'
  /** @type {Record<string, string>} */
  const known = {}
  for (const [from, to] of Object.entries(all)) {
    const [input, output] = [from, to].map((name) => find(bot.registry.itemsByName, name))
    if (input && output) known[input.name] = output.name
  }
  return known
}

/** Mobs that minecraft-data of some version does not call hostile, though they attack (minecraft.wiki). */
const ATTACKING = ['hoglin', 'zoglin', 'piglin_brute', 'slime', 'phantom', 'warden']
/** What minecraft-data calls hostile and attacks nobody unless it is attacked, or never. */
const NEUTRAL = new Set(['enderman', 'zombified_piglin', 'zombie_pigman', 'piglin'])
const HARMLESS = new Set(['evoker_fangs', 'end_crystal', 'giant', 'strider', 'zombie_horse', 'skeleton_horse'])

/** @type {WeakMap<Registry, Set<string>>} */
const hostile = new WeakMap()

/** Return the names of the mobs of the server's version that attack players. @param {Bot} bot */
function hostileOf ({ registry }) {
  let names = hostile.get(registry)
  if (!names) {
    const all = Object.values(registry.entitiesByName).filter(({ category }) => category === 'Hostile mobs')
    names = new Set([...all.map(({ name }) => nameOfEntity(name)), ...ATTACKING])
    for (const name of [...NEUTRAL, ...HARMLESS]) names.delete(name)
    hostile.set(registry, names)
  }
  return names
}

/** What tools are made of, the weakest first. */
const TIERS = ['wooden', 'golden', 'stone', 'copper', 'iron', 'diamond', 'netherite']
const STRONG = [...TIERS].reverse().slice(0, 5)

/** Return how strong a tool is; what is no tool of these is stronger than all. @param {string} name */
const tierOf = (name) => (TIERS.findIndex((each) => name.startsWith(each)) + 100) % 100

/** Weapons, the best first. */
const WEAPONS = [
  'netherite_sword', 'diamond_sword', 'netherite_axe', 'diamond_axe', 'mace', 'iron_sword', 'iron_axe', 'copper_sword',
  'copper_axe', 'stone_sword', 'stone_axe', ...STRONG.map((tier) => `${tier}_spear`), 'golden_sword',
  'wooden_sword', 'wooden_axe', 'golden_axe', 'golden_spear', 'wooden_spear'
]

/** Tools that hit harder than the bare hand, for a bot without a weapon. */
const TOOLS = STRONG.map((tier) => `${tier}_pickaxe`)

/** Return the best weapon that the bot carries, or a tool to fight with, or undefined. @param {Bot} bot */
const weaponOf = (bot) =>
  [...WEAPONS, ...TOOLS].map((name) => bot.inventory.items().find((item) => item.name === name)).find(Boolean)

/** RAW is food that the bot eats only when it starves; HARMFUL is food that it never eats. */
const RAW = /^(rotten_flesh|chicken)$/
const HARMFUL = /^(spider_eye|poisonous_potato|pufferfish|suspicious_stew|chorus_fruit|(enchanted_)?golden_apple)$/

/** Food that can be eaten without hunger. */
const ALWAYS = /golden_apple|chorus_fruit/

/** Tell whether the inventory holds any food. @param {Bot} bot */
function carriesFood (bot) {
  const foods = bot.registry.foodsByName || {}
  return bot.inventory.items().some((item) => foods[item.name])
}

module.exports = { burns, carriesFood, hostileOf, smelting, tierOf, weaponOf, ALWAYS, HARMFUL, NEUTRAL, RAW, WEAPONS }
