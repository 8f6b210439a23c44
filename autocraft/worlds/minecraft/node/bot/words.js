'use strict'
/** Names and texts: what the game calls a thing, and how a chat message or a list reads. */
const { Fault } = require('./fault')

/** Names that people and Voyager's programs use, by what the registries call them. */
const OTHER_NAMES = {
  leather_cap: 'leather_helmet', leather_tunic: 'leather_chestplate', leather_pants: 'leather_leggings',
  lapis_lazuli_ore: 'lapis_ore', wood: 'oak_log', log: 'oak_log', planks: 'oak_planks', workbench: 'crafting_table'
}

/** What a thing is called in other versions: what programs were written for may be elder or younger than the server. */
const IN_OTHER_VERSIONS = [
  ['raw_iron', 'iron_ore'], ['raw_gold', 'gold_ore'], ['grass', 'short_grass'], ['grass_path', 'dirt_path'],
  ['cobbled_deepslate', 'cobblestone'], ['deepslate', 'stone']
]

/** The other names under which a version may know it. @param {string} name @returns {string[]} */
function knownAs (name) {
  const plain = plainName(name)
  const ore = /^deepslate_(.+_ore)$/.exec(plain)
  const pairs = IN_OTHER_VERSIONS.filter((pair) => pair.includes(plain)).map((pair) => pair[1 - pair.indexOf(plain)])
  return [plain, ...(ore ? [OTHER_NAMES[ore[1]] || ore[1]] : []), ...pairs]
}

/** One entry of a registry, under any of these names. */
const entryOf = (table, name) => table[knownAs(name).find((each) => Object.hasOwn(table, each))]

/** @param {string} name as somebody wrote it */
function plainName (name) {
  const plain = name.trim().toLowerCase().replace(/^minecraft:/, '').replace(/[\s-]+/g, '_')
  return OTHER_NAMES[plain] || plain
}

/** @param {any} bot @param {string} name @returns {any} the registry's item */
function itemOf (bot, name) {
  const item = entryOf(bot.registry.itemsByName, name)
  if (!item) throw new Fault(`No item named ${name}`, 'invalid')
  return item
}

/** @param {any} bot @param {string} name @returns {any} the registry's block */
function blockOf (bot, name) {
  const block = entryOf(bot.registry.blocksByName, name)
  if (!block) throw new Fault(`No block named ${name}`, 'invalid')
  return block
}

/** Ids of the block of this name; of wheat and other crops too when the seeds are meant. @returns {number[]} */
function blockIds (bot, name) { return [blockOf(bot, name).id] }

/** @param {{x: number, y: number, z: number}} at */
function place (at) { return `(${Math.floor(at.x)}, ${Math.floor(at.y)}, ${Math.floor(at.z)})` }

/** {"oak_log": 2} as "2 oak_log". @param {Record<string, number>} counts */
function amounts (counts) {
  return Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing'
}

/** What a chat component says, without its markup. @param {any} value @returns {string} */
function wordsOf (value) {
  if (typeof value === 'string') {
    try { return wordsOf(JSON.parse(value)) } catch { return value.slice(0, 500) }
  }
  if (Array.isArray(value)) return value.map(wordsOf).join('').slice(0, 500)
  if (!value || typeof value !== 'object') return String(value ?? '')
  if (value.type && 'value' in value) return wordsOf(value.value) // NBT, since 1.20.3
  const own = value.text ?? (value.translate ? [value.translate, ...(value.with || []).map(wordsOf)].join(' ') : '')
  return (wordsOf(own) + wordsOf(value.extra || [])).slice(0, 500)
}

/** Items by name in the inventory. @param {any} bot @returns {Record<string, number>} */
function holdings (bot) {
  const counts = {}
  for (const item of bot.inventory.slots) {
    if (item) counts[item.name] = (counts[item.name] || 0) + item.count
  }
  return counts
}

/** What came (positive) and went (negative) since `before`. */
function difference (before, after) {
  const changed = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const by = (after[name] || 0) - (before[name] || 0)
    if (by) changed[name] = by
  }
  return changed
}

module.exports = { plainName, knownAs, itemOf, blockOf, blockIds, place, amounts, wordsOf, holdings, difference }
