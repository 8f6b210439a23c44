'use strict'
/** Tell what the bot carries of what is of little use. */
const { smelting } = require('./facts')

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

/** Kinds of use even if nothing new is made of them. */
const STOCK = new RegExp(
  '^(.*_log|.*_planks|stick|dirt|cobblestone|charcoal|((coal|lapis|redstone|diamond|emerald)(_block)?)|' +
  '(iron|gold|netherite)_.*|lapis_lazuli|quartz|string|leather|white_wool|.*bucket|torch|arrow|.*bow|shield|shears|' +
  'flint_and_steel|fishing_rod|crafting_table|furnace|(ender_)?chest|.*shulker_box|beacon|conduit|lodestone|.*anvil|' +
  '.*map|writ.*_book|enchanting_table|brewing_stand)$'
)
/** Of each of these the best is of use; its material is the first word of the name. */
const GEAR = /^(.+)_(pickaxe|axe|shovel|sword|hoe|helmet|chestplate|leggings|boots|bed)$/
const MATERIALS = ['wooden', 'leather', 'golden', 'stone', 'chainmail', 'iron', 'diamond', 'netherite']

const MANY = 4 // kinds that serve for nothing, which make more room than what is too many of one

/** Whether an item is of little use. @param {string} name */
const junk = (name) => JUNK.some(([names]) => names.test(name))

/** How many places of the inventory are in use. @param {Bot} bot */
const used = (bot) => bot.inventory.slots.slice(9, 45).filter(Boolean).length

/**
 * What to throw away so that most room is made: an item with its count; else all items that serve for nothing, with
 * commas between; or null where there is nothing to spare.
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
  const all = idle(bot).filter((name) => !needed.has(name))
  if (best && all.length < MANY) return { name: best.name, count: best.count }
  return all.length ? { name: all.join(','), count: 64 } : null
}

/**
 * What is carried of which only such kinds can be made as were held before, where it can be made again or is of little
 * use itself. @param {Bot} bot
 */
function idle (bot) {
  const { held } = bot.autocraft.sightings
  const names = [...new Set(bot.inventory.items().map((item) => item.name))]
  const serving = new Set(Object.entries(smelting(bot)).filter(([, to]) => !held.has(to)).map(([from]) => from))
  for (const [id, recipes] of Object.entries(bot.registry.recipes)) {
    if (held.has(bot.registry.items[Number(id)]?.name)) continue
    for (const part of recipes.flatMap((/** @type {any} */ each) => (each.ingredients ?? each.inShape).flat())) {
      serving.add(bot.registry.items[part?.id ?? part]?.name)
    }
  }
  /** @param {string} name */
  const beaten = (name) => {
    const [, material, gear] = GEAR.exec(name) ?? []
    const worth = MATERIALS.indexOf(material)
    return names.some((other) => {
      const [, better, same] = GEAR.exec(other) ?? []
      const by = MATERIALS.indexOf(better) - worth
      return same === gear && (by > 0 || (by === 0 && other > name))
    })
  }
  /** @param {string} name */
  const cheap = (name) => junk(name) || bot.registry.itemsByName[name].id in bot.registry.recipes
  /** @param {string} name */
  const kept = (name) =>
    GEAR.test(name) ? !beaten(name) : STOCK.test(name) || Boolean(bot.registry.foodsByName?.[name]) || !cheap(name)
  return names.filter((name) => !serving.has(name) && !kept(name))
}

module.exports = { amount, junk, used }
