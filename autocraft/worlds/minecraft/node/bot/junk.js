'use strict'
/** Tell what the bot carries of what is of little use. */

/** Kinds of little use, each with how many of them are kept. @type {[RegExp, number][]} */
const JUNK = [
  [/^(rotten_flesh|spider_eye|poisonous_potato|pufferfish|.*_seeds|dead_bush|snowball|egg|vine|lily_pad)$/, 0],
  [/(_sapling|_tulip|_leaves|_mushroom|fern|_carpet|_button)$/, 0],
  [/^(dandelion|poppy|blue_orchid|allium|azure_bluet|oxeye_daisy|cornflower|lily_of_the_valley|grass|tall_grass)$/, 0],
  [/^(gravel|sand|red_sand|clay_ball|flint|granite|diorite|andesite|tuff|calcite)$/, 0],
  [/^(netherrack|basalt|blackstone|sandstone|soul_sand|soul_soil)$/, 0],
  [/^(dirt|coarse_dirt|grass_block|podzol)$/, 16],
  [/^(cobblestone|cobbled_deepslate|stone)$/, 64]
]

/** Whether an item is of little use. @param {string} name */
const junk = (name) => JUNK.some(([names]) => names.test(name))

/** How many places of the inventory are in use. @param {Bot} bot */
const used = (bot) => bot.inventory.slots.slice(9, 45).filter(Boolean).length

/**
 * What to throw away so that most room is made: an item with its count, or null where there is nothing to spare.
 * @param {Bot} bot @param {Set<string>} needed names of items that are kept
 * @returns {{name: string, count: number} | null}
 */
function amount (bot, needed) {
  /** @type {{name: string, count: number, places: number}[]} */
  const spare = []
  for (const name of new Set(bot.inventory.items().map((item) => item.name))) {
    const stacks = bot.inventory.items().filter((item) => item.name === name)
    const [{ stackSize }] = stacks
    const [, kept] = JUNK.find(([names]) => names.test(name)) ?? ['', stackSize > 1 ? 2 * stackSize : 2]
    const least = needed.has(name) ? Math.max(kept, stackSize) : kept
    const count = stacks.reduce((sum, item) => sum + item.count, 0) - least
    const places = stacks.length - Math.ceil(least / stackSize)
    if (count > 0 && places > 0) spare.push({ name, count, places })
  }
  const [best] = spare.sort((a, b) => Number(junk(b.name)) - Number(junk(a.name)) || b.places - a.places)
  return best ? { name: best.name, count: best.count } : null
}

module.exports = { amount, junk, used }
