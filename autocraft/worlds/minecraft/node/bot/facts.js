'use strict'
/**
 * Give facts for the server's version that minecraft-data lacks, by minecraft.wiki: fuels, smelting, weapons, food.
 * Which mobs attack is its own, with corrections.
 */
const { SMELTS, SMELT_TICKS, burnTicks, smeltingResult } = require('../shared/smelting')
const { find, nameOfEntity } = require('./names')

/** Return how many items one piece of a fuel smelts, or 0 if it does not burn. @param {string} name */
const burns = (name) => burnTicks(name) / SMELT_TICKS

/**
 * Return the outputs of smelting by input, for the server's version and with its names.
 * @param {{registry: Registry}} bot @returns {Record<string, string>}
 */
function smelting ({ registry: { itemsByName } }) {
  /** @type {Record<string, string>} */
  const known = {}
  for (const name of [...Object.keys(SMELTS), ...Object.keys(itemsByName)]) {
    const made = smeltingResult(name)
    const [input, output] = made ? [name, made].map((each) => find(itemsByName, each)) : []
    if (input && output) known[input.name] = output.name
  }
  if (known.netherrack && 'netherbrick' in itemsByName) known.netherrack = 'netherbrick'
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

module.exports = {
  burns, carriesFood, hostileOf, smelting, tierOf, weaponOf, ALWAYS, HARMFUL, NEUTRAL, RAW, WEAPONS
}
