'use strict'
/** Tell which of the things that the bot carries are of little use. */
const { smelting } = require('./facts')
const { holdings } = require('./words')

/** Kinds of little use, each with the number to keep. @type {[RegExp, number][]} */
const JUNK = [
  [/^(rotten_flesh|spider_eye|poisonous_potato|pufferfish|.*_seeds|dead_bush|snowball|egg|vine|lily_pad)$/, 0],
  [/(_sapling|_tulip|_leaves|_mushroom|fern|_carpet|_button)$/, 0],
  [/^(dandelion|poppy|blue_orchid|allium|azure_bluet|oxeye_daisy|cornflower|lily_of_the_valley|grass|tall_grass)$/, 0],
  [/^(gravel|sand|red_sand|clay_ball|flint|granite|diorite|andesite|tuff|calcite)$/, 0],
  [/^(netherrack|basalt|blackstone|sandstone|soul_sand|soul_soil)$/, 0],
  [/^(dirt|coarse_dirt|grass_block|podzol)$/, 16],
  [/^(cobblestone|cobbled_deepslate|stone)$/, 64]
]

/** Kinds that are of use even if nothing new is made of them. */
const STOCK = new RegExp(
  '^(stick|dirt|cobblestone|charcoal|((coal|lapis|redstone|diamond|emerald)(_block)?)|(iron|gold|netherite)_.*|' +
  'lapis_lazuli|quartz|string|leather|white_wool|.*bucket|torch|arrow|.*bow|shield|shears|flint_and_steel|' +
  'fishing_rod|crafting_table|furnace|(ender_)?chest|.*shulker_box|beacon|conduit|lodestone|.*anvil|.*map|' +
  'writ.*_book|enchanting_table|brewing_stand)$'
)
/**
 * Of items of one kind of these, the best or the most numerous is of use. The material is the first word of the name.
 */
const GEAR = /^(.+)_(pickaxe|axe|shovel|sword|hoe|helmet|chestplate|leggings|boots|bed|log|planks)$/
const MATERIALS = ['wooden', 'leather', 'golden', 'stone', 'chainmail', 'iron', 'diamond', 'netherite']

const MANY = 6 // kinds of no use; if there are fewer, ingredients of new kinds are thrown away as well
const ENOUGH = 3 // places that throwing away the excess of one kind must free

/** Tell whether an item is of little use. @param {string} name */
const junk = (name) => JUNK.some(([names]) => names.test(name))

/** Tell whether none of an item is to be kept. @param {string} name */
const worthless = (name) => JUNK.some(([names, kept]) => !kept && names.test(name))

/** Return how many places of the inventory are in use. @param {Bot} bot */
const usedSlots = (bot) => bot.inventory.slots.slice(9, 45).filter(Boolean).length

/**
 * Return what to throw away to make the most room: one item with its count, or several with commas between. Return null
 * if there is nothing to spare.
 * @param {Bot} bot @param {Set<string>} needed names of items that are kept
 * @param {boolean} idle whether to throw away also what can be made again and serves for nothing new
 * @returns {{name: string, count: number} | null}
 */
function amount (bot, needed, idle) {
  /** @type {{name: string, count: number, places: number}[]} */
  const spare = []
  const names = [...new Set(bot.inventory.items().map((item) => item.name))]
  for (const name of names) {
    const stacks = bot.inventory.items().filter((item) => item.name === name)
    const [{ stackSize }] = stacks
    const [, kept] = JUNK.find(([kinds]) => kinds.test(name)) ?? ['', stackSize > 1 ? 2 * stackSize : 2]
    const least = needed.has(name) ? Math.max(kept, stackSize) : kept
    const count = stacks.reduce((sum, item) => sum + item.count, 0) - least
    const places = stacks.length - Math.ceil(least / stackSize)
    if (count > 0 && places > 0) spare.push({ name, count, places })
  }
  const [best] = spare.sort((a, b) => Number(junk(b.name)) - Number(junk(a.name)) || b.places - a.places)
  const all = idle ? ofNoUse(bot, needed, names) : []
  if (best && best.places >= Math.min(all.length, ENOUGH)) return { name: best.name, count: best.count }
  return all.length ? { name: all.join(','), count: all.length > 1 ? 64 : holdings(bot)[all[0]] } : null
}

/**
 * Return what can be made again and serves for nothing new. If that is little, return also ingredients of new kinds.
 * @param {Bot} bot @param {Set<string>} needed @param {string[]} names of all that is carried
 */
function ofNoUse (bot, needed, names) {
  const free = names.filter((name) => !needed.has(name) && (worthless(name) || !ofUse(bot, name, names)))
  const serving = serves(bot)
  const idle = free.filter((name) => !serving.has(name))
  return idle.length < MANY ? free : idle
}

/** Return the ingredients of the kinds that were never held. @param {Bot} bot @returns {Set<string>} */
function serves (bot) {
  const { held } = bot.autocraft.sightings
  const { items, recipes } = bot.registry
  const serving = new Set(Object.entries(smelting(bot)).filter(([, to]) => !held.has(to)).map(([from]) => from))
  for (const [id, ways] of Object.entries(recipes)) {
    if (held.has(items[Number(id)]?.name)) continue
    for (const part of ways.flatMap((/** @type {any} */ each) => (each.ingredients ?? each.inShape).flat())) {
      serving.add(items[part?.id ?? part]?.name)
    }
  }
  return serving
}

/**
 * Tell whether an item is kept though it serves for nothing new: food, the best gear, and what cannot be made again.
 * @param {Bot} bot @param {string} name @param {string[]} names of all that is carried
 */
function ofUse (bot, name, names) {
  const { foodsByName = {}, itemsByName, recipes } = bot.registry
  const [, material, gear] = GEAR.exec(name) ?? []
  const counts = holdings(bot)
  /** @param {string} each @param {string} of */
  const worth = (each, of) => /log|planks/.test(gear) ? counts[each] : MATERIALS.indexOf(of)
  if (!gear) return STOCK.test(name) || name in foodsByName || !(itemsByName[name].id in recipes)
  return !names.some((other) => {
    const [, better, same] = GEAR.exec(other) ?? []
    const by = worth(other, better) - worth(name, material)
    return same === gear && (by > 0 || (by === 0 && other > name))
  })
}

module.exports = { amount, junk, usedSlots }
