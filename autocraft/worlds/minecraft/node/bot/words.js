'use strict'
/** Names and texts: what the game calls a thing, and how a chat message or a list reads. */
const need = require('./need')
const { Fault } = require('./fault')
const { find } = require('./names')

/** @param {string} name as somebody wrote it */
function plainName (name) {
  return name.trim().toLowerCase().replace(/^minecraft:/, '').replace(/[\s-]+/g, '_')
}

/** @param {any} bot @param {string} name @returns {any} the registry's item */
function itemOf (bot, name) {
  const item = find(bot.registry.itemsByName, plainName(name))
  if (!item) throw new Fault(`No item named ${name}${like(bot, bot.registry.itemsByName, name)}`, 'invalid')
  return item
}

/** @param {any} bot @param {string} name @returns {any} the registry's block */
function blockOf (bot, name) {
  const block = find(bot.registry.blocksByName, plainName(name))
  if (!block) throw new Fault(`No block named ${name}${like(bot, bot.registry.blocksByName, name)}`, 'invalid')
  return block
}

/** Names of the server's version that are spelled alike, as the end of a sentence. */
function like (bot, table, name) {
  const pairs = (word) => new Set([...word].slice(1).map((letter, at) => word[at] + letter))
  const wanted = pairs(plainName(name).slice(0, 60))
  const share = (word) => { const has = pairs(word); return 2 * [...has].filter((pair) => wanted.has(pair)).length / (has.size + wanted.size) }
  const near = Object.keys(table).map((word) => [word, share(word)]).filter(([, by]) => by > 0.6).sort((a, b) => b[1] - a[1]).slice(0, 3)
  return ` in Minecraft ${bot.version}${near.length ? `; there is ${near.map(([word]) => word).join(', ')}` : ''}`
}

/** The slot of a piece of equipment, or null where the version has none, as 1.8 has no off-hand. @param {any} bot @param {string} name */
function slotOf (bot, name) {
  try { return bot.getEquipmentDestSlot(name) } catch { return null }
}

/** @param {{x: number, y: number, z: number}} at */
function place (at) { return `(${Math.floor(at.x)}, ${Math.floor(at.y)}, ${Math.floor(at.z)})` }

/** {"oak_log": 2} as "2 oak_log". @param {Record<string, number>} counts */
function amounts (counts) {
  return Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing'
}

/**
 * What a chat component says, without its markup. @param {any} value a component, its JSON, or NBT as since 1.20.3
 * @param {Record<string, string>} [language] the game's texts by key; without it a key stands for itself
 * @returns {string}
 */
function wordsOf (value, language = {}) {
  if (typeof value === 'string') {
    try { return wordsOf(JSON.parse(value), language) } catch { return value.slice(0, 500) }
  }
  if (Array.isArray(value)) return value.map((each) => wordsOf(each, language)).join('').slice(0, 500)
  if (!value || typeof value !== 'object') return String(value ?? '')
  if (typeof value.type === 'string' && 'value' in value) return wordsOf(need('prismarine-nbt').simplify(value), language)
  const own = value.text ?? value[''] ?? (value.translate ? translated(value, language) : '')
  return (wordsOf(own, language) + wordsOf(value.extra || [], language)).slice(0, 500)
}

/** A text of the game with what it is about put in; a key that is not known stands before them. */
function translated ({ translate, fallback, with: about = [] }, language) {
  const words = about.map((each) => wordsOf(each, language))
  const form = Object.hasOwn(language, translate) ? language[translate] : fallback
  if (typeof form !== 'string') return [translate, ...words].join(' ')
  let next = 0
  return form.replace(/%(?:(\d+)\$)?s|%%/g, (found, place) => found === '%%' ? '%' : words[place ? place - 1 : next++] ?? '')
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

module.exports = { plainName, itemOf, blockOf, slotOf, place, amounts, wordsOf, holdings, difference }
