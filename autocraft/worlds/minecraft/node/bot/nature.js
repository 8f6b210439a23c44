'use strict'
/**
 * Tell what lies about in the world, what blocks and mobs drop, and what is worth little. The facts are those of
 * minecraft-data; `corrections.json` has what it lacks.
 */
const { matching } = require('../shared/matching')
const need = require('../shared/need')
const corrections = require('./corrections.json')
const { burns, once, smelting } = require('./facts')
const { find, nameOfEntity } = require('./names')

/** @typedef {[string, number, string?]} Drop the name of what drops or is dropped, how many, and the tool it takes */

/** How many drop, by item from any block, and by block or mob; all that drops. @type {Record<string, any>} */
const { counts, given, drops, danger } = corrections
const { armor, burnt, dimensions, falls, fronts, ground, harmful, junk, land, replaced, sheared } = corrections
const { used, worn } = corrections

const LOOT = { blocks: '1.14.4', mobs: '1.20' } // the first version with data of what blocks drop, and the last of mobs
/** Blocks that no recipe makes, and that do not lie about or that only an enchanted tool gets. */
const PLACED = new RegExp(
  '^(stripped|potted|exposed|weathered|oxidized|waxed|petrified|carved|torchflower|pitcher|heavy|structure)_|coral|' +
  '(concrete|shulker_box|head|skull|anvil|candle_cake|cauldron|_path|froglight|golem_statue|_egg|glazed_terracotta|' +
  'sponge|spawner|resin_block|(?<!bamboo_)sapling)$|^(torchflower|farmland|wither_rose|bell|frogspawn|tripwire)$'
)
const SOFT = 2 // hardness below which a block is worth little if it lies about
const STACK = 64
/** How many of such a block to keep: it fills holes, and becomes a furnace. @type {Record<string, number>} */
const KEPT = { dirt: 16, coarse_dirt: 16, podzol: 16, stone: STACK, cobblestone: STACK, cobbled_deepslate: STACK }
const BURNT = matching(burnt)
const FALLS = matching(falls)
const HARMFUL = matching(harmful)
const USED = matching(used)
const REPLACED = matching(replaced)
const FRONTS = matching(fronts)
/** @type {[string, RegExp][]} */
const WORN = Object.entries(worn).map(([slot, names]) => [slot, matching(names)])
/** @type {[string, RegExp][]} */
const DIMENSIONS = Object.entries(dimensions).map(([dimension, names]) => [dimension, matching(names)])
const FULL_CUBE = '0,0,0,1,1,1'

/** @template T @param {Record<string, T>} table @param {string} name @returns {T | undefined} */
const own = (table, name) => Object.hasOwn(table, name) ? table[name] : undefined

/** Return the names of the blocks that lie about in the world. */
const natural = once((registry) => {
  const { blocksArray, itemsByName, recipes } = registry
  const smelted = new Set(Object.values(smelting({ registry })))
  /** @param {string} name */
  const isMade = (name) => Boolean(recipes[itemsByName[name]?.id]) || smelted.has(name)
  const found = blocksArray.filter((block) => {
    const { name } = block
    if (land.includes(name)) return true
    if (PLACED.test(name) || isMade(name)) return false
    return itemsByName[name] || !dropsOf(registry, block).some(([item]) => isMade(item))
  })
  return new Set(found.map(({ name }) => name))
})

/** Tell whether a block drops itself to shears alone. @param {BlockKind} block */
const isSheared = ({ name, boundingBox }) =>
  /leaves2?$/.test(name) || (boundingBox === 'empty' && sheared.includes(name))

/** Return how many of an item any block drops, if the data is wrong. @param {string} item */
const countOf = (item) => own(counts, item.replace(/^.*_(?=sapling$)/, ''))

/**
 * Return what a block drops without enchantments. A count below 1 is a chance.
 * @param {Registry} registry @param {BlockKind} block @returns {Drop[]}
 */
function dropsOf (registry, block) {
  const { name } = block
  /** @type {Drop[]} */
  const itself = isSheared(block) && registry.itemsByName[name] ? [[name, 1, 'shears']] : []
  const loot = named(registry, name, lootOf(registry, block), countOf)
  return [...itself, ...loot.filter(([item, count]) => count && item !== itself[0]?.[0])]
}

/**
 * Return what a block drops by the data, with counts that may be wrong.
 * @param {any} registry @param {any} block @returns {[string, number][]}
 */
function lootOf ({ blockLoot, items, version }, block) {
  if (own(drops, block.name)) return drops[block.name].map((/** @type {string} */ item) => [item, 1])
  const before = (block.drops ?? []).flatMap((/** @type {any} */ each) => {
    const name = items[each.drop?.id ?? each.drop ?? each]?.name
    return name && name !== 'air' ? [[name, each.minCount ?? 1]] : []
  })
  /** @type {any} */
  const { blockLoot: oldest } = need('minecraft-data')(LOOT.blocks)
  /** @type {any} */
  const loot = find(blockLoot ?? oldest, block.name)
  if (!loot && block.name.endsWith('_leaves')) return [[block.name.replace(/leaves$/, 'sapling'), 1]]
  if (!loot || (version['<']('1.13') && before.length)) return before
  return loot.drops.filter((/** @type {any} */ { silkTouch, blockAge }) => !silkTouch && blockAge === undefined)
    .map((/** @type {any} */ { item, stackSizeRange: [least] }) => [item, Math.max(1, least)])
}

/**
 * Return drops by the names of a version, each once, with the corrected counts.
 * @param {Registry} registry @param {string} from a block or a mob @param {[string, number][]} loot
 * @param {(item: string) => number | undefined} [countOf] of another item than the block itself
 */
function named ({ itemsByName }, from, loot, countOf) {
  /** @type {Map<string, number>} */
  const found = new Map()
  for (const [item, count] of loot) {
    const name = find(itemsByName, item)?.name
    if (!name || found.has(name)) continue
    found.set(name, own(given, from)?.[name] ?? (name === from ? 1 : countOf?.(name)) ?? count)
  }
  return [...found]
}

/** @param {Map<string, Drop[]>} found @param {string} from @param {Drop[]} all */
function turn (found, from, all) {
  for (const [item, ...more] of all) {
    const others = found.get(item) ?? []
    found.set(item, item === from ? [[from, ...more], ...others] : [...others, [from, ...more]])
  }
}

/** Return the blocks that lie about and drop an item, by item; itself first. */
const blocksByDrop = once((registry) => {
  /** @type {Map<string, Drop[]>} */
  const found = new Map()
  const all = natural(registry)
  for (const name of all) {
    const loot = dropsOf(registry, registry.blocksByName[name])
    // an ore in deepslate is mined with the other ore; kelp_plant stands below kelp
    const lower = !registry.itemsByName[name] && loot.some(([item]) => all.has(item))
    if (!lower && !/^deepslate_.*_ore$/.test(name)) turn(found, name, loot)
  }
  return found
})

/** Return the mobs that the bot hunts and that drop an item, by item. */
const mobsByDrop = once((registry) => {
  /** @type {Map<string, Drop[]>} */
  const found = new Map()
  const here = new Set(Object.keys(registry.entitiesByName).map(nameOfEntity))
  /** @type {any} */
  const { entityLoot } = need('minecraft-data')(LOOT.mobs)
  for (const mob of Object.keys(danger).filter((name) => here.has(name))) {
    const loot = own(drops, mob)?.map((/** @type {string} */ item) => [item, 1]) ??
      entityLoot[mob].drops.map((/** @type {any} */ { item, dropChance }) => [item, dropChance])
    turn(found, mob, named(registry, mob, loot))
  }
  return found
})

/** Tell whether a block always drops something. @param {Registry} registry @param {BlockKind} block */
const dropsAlways = (registry, block) => block.boundingBox === 'block' &&
  dropsOf(registry, block).some(([, count, tool]) => count >= 1 && !tool)

/**
 * Return how many of an item are worth a place of the inventory though nothing needs them; null for any number.
 * @param {Registry} registry @param {string} name
 */
function worthKeeping (registry, name) {
  const block = registry.blocksByName[name]
  if (junk.includes(name) || /_(seeds|sapling|carpet|button)$/.test(name)) return 0
  const lies = block && natural(registry).has(name) && (block.hardness ?? SOFT) < SOFT
  return own(KEPT, name) ?? (lies ? 0 : null)
}

/** Tell whether a block falls when the block below it is gone. @param {string} block */
const isFalling = (block) => FALLS.test(block)

/** Tell whether a block hurts who stands on it or in it. @param {string} block */
const isHarmful = (block) => HARMFUL.test(block)

/** Tell whether something happens when a hand uses a block. @param {string} block */
const isUsed = (block) => USED.test(block)

/** Tell whether a block gives way to one that is placed there; a flower or a torch does not. @param {string} block */
const isReplaced = (block) => REPLACED.test(block)

/** Tell whether who is in a block can climb there, and does not fall. @param {string} block */
const isClimbed = (block) => /ladder|vine|scaffolding/.test(block)

/** Tell whether a block may be dug away without a word about it. @param {string} block */
const isPlant = (block) => !block.endsWith('air') && (isReplaced(block) || /(^|_)(leaves2?|sapling)$/.test(block))

/** Tell whether the front of a block is towards who places it. Others face away. @param {string} block */
const facesPlacer = (block) => FRONTS.test(block)

/** Return the slot in which an item is worn, or '' if it is not worn. @param {string} item */
const slotFor = (item) => WORN.find(([, names]) => names.test(item))?.[0] ?? ''

/** Return how well a piece of armor protects, or -1 for what is no armor. @param {string} item */
const protection = (item) => slotFor(item) ? armor.findIndex((each) => item.startsWith(each)) : -1

/** Return the dimension where a block or a mob is. @param {string} name */
const dimensionOf = (name) => DIMENSIONS.find(([, names]) => names.test(name))?.[0] ?? 'overworld'

/** Return the names of what the planner burns, of all that burns. */
const fuels = once(({ itemsArray }) =>
  new Set(itemsArray.map(({ name }) => name).filter((name) => BURNT.test(name) && burns(name) >= 1)))

/** Return the names of plain blocks to fill a place with: those that are worth little first, and wood last. */
const fillers = once((registry) => {
  /** @type {any} */
  const { blocks, shapes } = /** @type {any} */ (registry).blockCollisionShapes
  const wood = fuels(registry)
  /** @param {string} name */
  const isCube = (name) => String(shapes[[blocks[name]].flat()[0]]) === FULL_CUBE
  const plain = registry.blocksArray.filter(({ name, transparent, emitLight, diggable }) =>
    diggable && !transparent && !emitLight && !isFalling(name) && !isHarmful(name) && isCube(name))
  const lying = plain.filter((block) => worthKeeping(registry, block.name) !== null &&
    (own(KEPT, block.name) || dropsOf(registry, block).some(([item, count]) => item === block.name && count >= 1)))
  const wooden = plain.filter(({ name, harvestTools }) => wood.has(name) && !harvestTools)
  return [...new Set([...lying, ...wooden].map(({ name }) => name))]
})

/** Tell whether a block lies inside the ground, at any height. @param {Registry} registry @param {string} name */
function isInside (registry, name) {
  const { harvestTools = {}, boundingBox } = registry.blocksByName[name] ?? {}
  const tools = Object.keys(harvestTools).map((id) => registry.items[Number(id)].name)
  return ground.includes(name) ||
    (natural(registry).has(name) && boundingBox === 'block' && tools.some((tool) => tool.endsWith('_pickaxe')))
}

/**
 * Return the block that a block becomes when it is dug and placed again: dirt for grass, cobblestone for stone.
 * @param {Registry} registry @param {string} name
 */
function remains (registry, name) {
  const block = registry.blocksByName[name]
  const [[item, count, tool], ...more] = [...block ? dropsOf(registry, block) : [], [name, 1]]
  return count === 1 && !tool && more.length < 2 && natural(registry).has(item) ? item : name
}

/** Tell whether a block is loose earth of the land. @param {Registry} registry @param {string} name */
const isLoose = (registry, name) =>
  natural(registry).has(name) && (isFalling(name) || ground.includes(remains(registry, name)))

module.exports = {
  blocksByDrop, dimensionOf, dropsAlways, facesPlacer, fillers, fuels, isClimbed, isFalling, isHarmful, isInside,
  isLoose, isPlant, isReplaced, isSheared, isUsed, mobsByDrop, natural, protection, remains, slotFor, worthKeeping
}
