'use strict'
/**
 * Give facts for the server's version that minecraft-data lacks, by minecraft.wiki: fuels, smelting, weapons, food.
 * Which mobs attack, and how strong a tool is, are its own.
 */
const { matching } = require('../shared/matching')
const { SMELTS, SMELT_TICKS, burnTicks, smeltingResult } = require('../shared/smelting')
const { blowOf } = require('../shared/weapons')
const { foods, mobs: MOBS } = require('./corrections.json')
const { find, nameOfEntity } = require('./names')

const HEALS = 18 // food with which wounds heal
const MOST_BLOWS = 2 // a second; a mob takes no more
const LEAST_HARM = 3 // half hearts a second with which the bot fights

/**
 * Return a function that works its value out once for each registry.
 * @template T @param {(registry: Registry) => T} make @returns {(registry: Registry) => T}
 */
function once (make) {
  /** @type {WeakMap<Registry, T>} */
  const known = new WeakMap()
  return (registry) => {
    const value = known.get(registry) ?? make(registry)
    known.set(registry, value)
    return value
  }
}

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

/** Return the names of the mobs of a version that attack players. */
const attackers = once(({ entitiesByName }) => {
  const all = Object.values(entitiesByName).filter(({ category }) => category === 'Hostile mobs')
  const names = new Set([...all.map(({ name }) => nameOfEntity(name)), ...MOBS.attacking])
  for (const name of [...MOBS.neutral, ...MOBS.harmless]) names.delete(name)
  return names
})

/** Return the names of the mobs of the server's version that attack players. @param {Bot} bot */
const hostileOf = ({ registry }) => attackers(registry)

/**
 * Return how strong a tool is, by how long it lasts; what does not wear is stronger than all.
 * @param {Registry} registry @param {string} name
 */
const tierOf = ({ itemsByName }, name) => itemsByName[name]?.maxDurability || Infinity

/** Return the half hearts a second that one deals with an item in hand. @param {string} name of an item, or '' */
function harmOf (name) {
  const { damage, speed } = blowOf(name)
  return damage * Math.min(speed, MOST_BLOWS)
}

/** Return all with which the bot fights, the best first. */
const tools = once(({ itemsByName }) => Object.keys(itemsByName).filter((name) => harmOf(name) >= LEAST_HARM)
  .sort((a, b) => harmOf(b) - harmOf(a)))

/**
 * Return the weapons of the server's version, the best first.
 * @param {Registry} registry @param {string} [least] the weakest one
 */
const weapons = (registry, least = 'wooden_axe') => tools(registry).filter((name) => harmOf(name) >= harmOf(least))

/** Return the best weapon that the bot carries, or a tool to fight with, or undefined. @param {Bot} bot */
const weaponOf = (bot) => bot.inventory.items().filter(({ name }) => harmOf(name) >= LEAST_HARM)
  .sort((a, b) => harmOf(b.name) - harmOf(a.name))[0]

/** LAST is food that the bot eats only when it starves, NEVER is not eaten, and ALWAYS is eaten without hunger too. */
const LAST = matching(foods.last)
const NEVER = matching(foods.never)
const ALWAYS = matching(foods.always)

/**
 * Return the points of food of some items, without what is never eaten.
 * @param {Bot} bot @param {Counts} items @param {boolean} [good] whether food that only the starving eat is left out
 */
const meals = ({ registry: { foodsByName = {} } }, items, good = false) => Object.entries(items)
  .filter(([name]) => foodsByName[name] && !NEVER.test(name) && !(good && LAST.test(name)))
  .reduce((sum, [name, count]) => sum + Math.floor(foodsByName[name].foodPoints) * count, 0)

/** Tell whether the inventory holds any food. @param {Bot} bot */
function carriesFood (bot) {
  const foods = bot.registry.foodsByName || {}
  return bot.inventory.items().some((item) => foods[item.name])
}

module.exports = {
  burns, carriesFood, hostileOf, meals, once, smelting, tierOf, weaponOf, weapons, ALWAYS, HEALS, LAST, MOBS, NEVER
}
