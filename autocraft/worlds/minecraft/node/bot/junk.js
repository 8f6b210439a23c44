'use strict'
/** Tell what the bot carries of what is of little use. */
const { smelting } = require('./facts')
const { holdings } = require('./words')

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
  '^(stick|dirt|cobblestone|charcoal|((coal|lapis|redstone|diamond|emerald)(_block)?)|(iron|gold|netherite)_.*|' +
  'lapis_lazuli|quartz|string|leather|white_wool|.*bucket|torch|arrow|.*bow|shield|shears|flint_and_steel|' +
  'fishing_rod|crafting_table|furnace|(ender_)?chest|.*shulker_box|beacon|conduit|lodestone|.*anvil|.*map|' +
  'writ.*_book|enchanting_table|brewing_stand)$'
)
/** Of each of these the best is of use, or the most; its material is the first word of the name. */
const GEAR = /^(.+)_(pickaxe|axe|shovel|sword|hoe|helmet|chestplate|leggings|boots|bed|log|planks)$/
const MATERIALS = ['wooden', 'leather', 'golden', 'stone', 'chainmail', 'iron', 'diamond', 'netherite']

const MANY = 6 // kinds that nothing new is made of; without so many, what is made of the others can wait too
const ENOUGH = 3 // places that are free when what is too many of one is thrown away

/** Whether an item is of little use. @param {string} name */
const junk = (name) => JUNK.some(([names]) => names.test(name))

/** Whether none of an item is kept. @param {string} name */
const worthless = (name) => JUNK.some(([names, kept]) => !kept && names.test(name))

/** How many places of the inventory are in use. @param {Bot} bot */
const used = (bot) => bot.inventory.slots.slice(9, 45).filter(Boolean).length

/**
 * What to throw away so that most room is made: an item with its count, or several with commas between; null where
 * there is nothing to spare.
 * @param {Bot} bot @param {Set<string>} needed names of items that are kept
 * @param {boolean} idle whether what can be made again is to spare, where nothing new is made of it
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
 * What can be made again, and what nothing is made of; where these are few, also what something new is made of.
 * @param {Bot} bot @param {Set<string>} needed @param {string[]} names of all that is carried
 */
function ofNoUse (bot, needed, names) {
  const free = names.filter((name) => !needed.has(name) && (worthless(name) || !ofUse(bot, name, names)))
  const serving = serves(bot)
  const idle = free.filter((name) => !serving.has(name))
  return idle.length < MANY ? free : idle
}

/** What kinds are made of that were never held. @param {Bot} bot @returns {Set<string>} */
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
 * Whether an item is kept though nothing new is made of it: what cannot be made again, food, and the best gear.
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

module.exports = { amount, junk, used }
