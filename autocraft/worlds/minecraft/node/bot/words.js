'use strict'
/** Translate between names, values and texts: what the game calls a thing, and how a chat message or a list reads. */
const need = require('../shared/need')
const cut = require('../shared/cut')
const { Fault } = require('../shared/fault')
const { find } = require('./names')

const { Vec3 } = need('vec3')

/** @param {string} name as somebody wrote it */
function plainName (name) {
  return name.trim().toLowerCase().replace(/^minecraft:/, '').replace(/[\s-]+/g, '_')
}

/** @param {Bot} bot @param {string} name @returns {ItemKind} the registry's item */
function itemOf (bot, name) {
  const item = find(bot.registry.itemsByName, plainName(name))
  if (!item) throw new Fault(`No item named ${name}${like(bot, bot.registry.itemsByName, name)}`, 'invalid')
  return item
}

/** @param {Bot} bot @param {string} name @returns {BlockKind} the registry's block */
function blockOf (bot, name) {
  const block = find(bot.registry.blocksByName, plainName(name))
  if (!block) throw new Fault(`No block named ${name}${like(bot, bot.registry.blocksByName, name)}`, 'invalid')
  return block
}

/**
 * Return the end of an error sentence, with names of the server's version that are spelled similarly.
 * @param {Bot} bot @param {Record<string, object>} table @param {string} name
 */
function like (bot, table, name) {
  /** @param {string} word */
  const pairs = (word) => new Set([...word].slice(1).map((letter, at) => word[at] + letter))
  const wanted = pairs(plainName(name).slice(0, 60))
  /** @param {string} word */
  const share = (word) => {
    const has = pairs(word)
    return (2 * [...has].filter((pair) => wanted.has(pair)).length) / (has.size + wanted.size)
  }
  /** @type {[string, number][]} */
  const shares = Object.keys(table).map((word) => [word, share(word)])
  const near = shares.filter(([, by]) => by > 0.6).sort((a, b) => b[1] - a[1]).slice(0, 3)
  return ` in Minecraft ${bot.version}${near.length ? `; there is ${near.map(([word]) => word).join(', ')}` : ''}`
}

/**
 * Return the slot of a piece of equipment, or null if the version has no such slot; 1.8 has no off-hand.
 * @param {Bot} bot @param {string} name
 */
function slotOf (bot, name) {
  try { return bot.getEquipmentDestSlot(name) } catch { return null }
}

/** Return the item in an equipment slot, or null. @param {Bot} bot @param {string} name @returns {Item | null} */
function wornItem (bot, name) {
  const slot = slotOf(bot, name)
  return slot === null ? null : bot.inventory.slots[slot]
}

/** @param {{x: number, y: number, z: number}} at */
function place (at) { return `(${Math.floor(at.x)}, ${Math.floor(at.y)}, ${Math.floor(at.z)})` }

/** Return the place of a text such as "(1, 64, -3)". @param {string} text */
function placeOf (text) {
  const [x, y, z] = (text.match(/-?\d+/g) ?? []).map(Number)
  return new Vec3(x, y, z)
}

/** Return counts as text: {"oak_log": 2} as "2 oak_log". @param {Record<string, number>} counts */
function amounts (counts) {
  return Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing'
}

/**
 * Return the text of a chat component without its markup.
 * @param {any} value a component, its JSON, or NBT as since 1.20.3
 * @param {Record<string, string>} [language] the game's texts by key; without it, keys are shown unchanged
 * @returns {string}
 */
function wordsOf (value, language = {}) {
  if (typeof value === 'string') {
    try { return wordsOf(JSON.parse(value), language) } catch { return cut(value, 500) }
  }
  if (Array.isArray(value)) return cut(value.map((each) => wordsOf(each, language)).join(''), 500)
  if (!value || typeof value !== 'object') return String(value ?? '')
  if (typeof value.type === 'string' && 'value' in value) {
    return wordsOf(need('prismarine-nbt').simplify(value), language)
  }
  const own = value.text ?? value[''] ?? (value.translate ? translation(value, language) : '')
  return cut(wordsOf(own, language) + wordsOf(value.extra || [], language), 500)
}

/**
 * Return a text of the game with its parts filled in. If the key is unknown, return the key and the parts.
 * @param {{translate: string, fallback: string, with?: any[]}} parts @param {Record<string, string>} language
 */
function translation ({ translate, fallback, with: about = [] }, language) {
  const words = about.map((each) => wordsOf(each, language))
  const form = Object.hasOwn(language, translate) ? language[translate] : fallback
  if (typeof form !== 'string') return [translate, ...words].join(' ')
  let next = 0
  return form.replace(/%(?:(\d+)\$)?s|%%/g, (found, place) =>
    found === '%%' ? '%' : (words[place ? place - 1 : next++] ?? '')
  )
}

/**
 * Return the items in the inventory. The first slot is left out: it shows what the crafting grid would make, and nobody
 * owns that before it is taken.
 * @param {Bot} bot @returns {Item[]}
 */
function possessions (bot) {
  return bot.inventory.slots.slice(1).flatMap((item) => item ?? [])
}

/** @param {Bot} bot @param {string} name @returns {ItemKind} throws when there is none in the inventory */
function requireItem (bot, name, count = 1) {
  const item = itemOf(bot, name)
  const there = bot.inventory.count(item.id)
  if (!there && holdings(bot)[item.name]) {
    throw new Fault(`${item.name} is worn or in the off-hand: equip something else there first`)
  }
  if (!there) throw new Fault(`No ${item.name} in inventory`)
  if (there < count) throw new Fault(`Not enough ${item.name} in inventory: ${there} of ${count}`)
  return item
}

/**
 * Return the items of one name, or of several with commas between, and how many of each are there, up to `count`.
 * Throws a Fault if there is none of one of them.
 * @param {Bot} bot @param {string} names @param {number} count @returns {[ItemKind, number][]}
 */
function requireItems (bot, names, count) {
  return [...new Set(names.split(',').map(plainName))].map((name) => {
    const item = requireItem(bot, name)
    return [item, Math.min(count, bot.inventory.count(item.id))]
  })
}

/** Count the items in the inventory by name. @param {Bot} bot @returns {Record<string, number>} */
function holdings (bot) {
  /** @type {Counts} */
  const counts = {}
  for (const item of possessions(bot)) counts[item.name] = (counts[item.name] || 0) + item.count
  return counts
}

/**
 * Return what was gained (positive) and lost (negative) since `before`.
 * @param {Counts} before @param {Counts} after
 */
function difference (before, after) {
  /** @type {Counts} */
  const changed = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const by = (after[name] || 0) - (before[name] || 0)
    if (by) changed[name] = by
  }
  return changed
}

module.exports = {
  plainName, itemOf, blockOf, slotOf, wornItem, place, placeOf, amounts, wordsOf, possessions, requireItem,
  requireItems, holdings, difference
}
