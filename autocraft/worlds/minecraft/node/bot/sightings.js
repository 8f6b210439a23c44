'use strict'
/** Remember what was seen: blocks on the way, and chests with their contents. Report the chat of others. */
const cut = require('../shared/cut')
const { monsters } = require('./danger')
const { amounts, difference, holdings, place, wordsOf } = require('./words')

const LATELY = 3000 // milliseconds in which a message of the server counts as an answer to what the bot just did

const MOST_DEATHS = 20
const LIES = 5000 // ticks for which the items of a death certainly lie there
const PACE = 4 // blocks that the bot walks in a second

/** Return the monsters near the bot, with their distances, as text. @param {Bot} bot */
function nearby (bot) {
  return monsters(bot, 16).slice(0, 4)
    .map((each) => `${each.name} (${Math.round(each.position.distanceTo(bot.entity.position))})`)
    .join(', ')
}

/** Return how many items there are. @param {Counts} counts */
const sum = (counts) => Object.values(counts).reduce((all, each) => all + each, 0)

/** @param {Bot} bot */
function sightings (bot) {
  const blocks = new Set()
  const chests = new Map(Object.entries(bot.autocraft.options.chests || {}))
  const held = new Set(bot.autocraft.options.held || [])
  /** @type {import('events').EventEmitter} */
  const slots = bot.inventory
  slots.on('updateSlot', (slot, _, item) => {
    if (!item || slot === 0 || held.has(item.name)) return // the first slot shows what could be crafted
    held.add(item.name)
    bot.autocraft.tell({ event: 'did', what: `hold ${item.name}`, count: 1 })
  })
  let ticks = 0
  /**
   * What the bot carried in the last two moments, since after its death the inventory is empty before the death is
   * known.
   * @type {Counts[]}
   */
  let carried = [{}, {}]
  bot.on('physicsTick', () => {
    if (++ticks % 100 === 0) for (const name of around(bot, 8, 2)) blocks.add(name)
    if (ticks % 4 === 0 && bot.health > 0) carried = [holdings(bot), carried[0]]
  })
  /** @type {unknown} */
  let sender = null // the sender of the message that `chat` or `whisper` reports; `message` comes before them
  let words = { text: '', at: -Infinity } // the last message of the server itself
  bot.on('message', (message, kind, uuid) => {
    sender = uuid
    if (kind !== 'chat') words = { text: cut(String(message), 200), at: Date.now() }
  })
  /** @param {string} who @param {string} text @param {string} translate @param {any} message */
  const heard = (who, text, translate, message) => {
    if (who === bot.username) return
    bot.autocraft.tell({
      event: 'chat', who: cut(who, 60), text: cut(text, 500), sure: isFrom(bot, who, translate, message, sender)
    })
  }
  bot.on('chat', heard)
  bot.on('whisper', heard)
  let lived = false // a bot that joins dead died before, and this was reported then
  bot.once('spawn', () => { lived = true })
  bot.on('death', () => {
    if (!lived) return
    const { sightings, tell } = bot.autocraft
    const { x, y, z } = bot.entity.position.floored()
    const [last, before] = carried
    const had = sum(last) < sum(before) ? before : last
    carried = [{}, {}]
    const death = { x, y, z, age: bot.time.age }
    const [dimension, near] = [bot.game.dimension, nearby(bot)]
    sightings.deaths.push(death)
    sightings.deaths.splice(0, sightings.deaths.length - MOST_DEATHS)
    sightings.loss = sum(had) ? 'its items lie where it died, unless the server keeps them' : 'it carried nothing'
    /** Report the death when the bot is back. Only then its inventory shows what the server has kept. */
    const back = () => {
      bot.removeListener('spawn', back)
      bot.removeListener('autocraft_left', back)
      const known = !bot.autocraft.ending
      const more = Object.entries(difference(known ? holdings(bot) : {}, had)).filter(([, by]) => by > 0)
      const items = Object.fromEntries(more)
      const where = known ? 'which lies there' : 'unless the server keeps it'
      tell({ event: 'death', at: place(death), lost: more.length ? `${amounts(items)}, ${where}` : 'nothing', near })
      // a bot that loses nothing leaves what it lost before where that lies
      if (more.length) sightings.grave = { ...death, dimension, items }
      if (known && sum(had)) sightings.loss = more.length ? 'its items lie where it died' : 'it has kept its items'
    }
    bot.on('spawn', back)
    bot.on('autocraft_left', back)
  })
  bot.autocraft.sightings = {
    blocks,
    chests,
    /** Kinds of items that were ever in the inventory. */
    held,
    thrown: new Set(),
    grave: bot.autocraft.options.grave ?? null,
    deaths: bot.autocraft.options.deaths ?? [],
    loss: '',
    /** @param {Point} at @param {Counts | string} held counts, 'Unknown' or 'Invalid' */
    chest: (at, held) => held === 'Invalid' ? chests.delete(place(at)) : chests.set(place(at), held),
    /** Return what the server wrote to the bot a moment ago, as the end of a sentence, or ''. */
    reply: () => words.text && Date.now() - words.at < LATELY ? `; it says: ${words.text}` : ''
  }
}

/**
 * Tell whether the server itself says that this player spoke: by the sender's id, by the game's own form of a chat
 * message, or by a line that begins with the name in angle brackets. `chat` alone only guesses from the line, in which
 * others may have written the name.
 * @param {Bot} bot @param {string} who @param {string|undefined} translate @param {any} message @param {any} sender
 */
function isFrom (bot, who, translate, message, sender) {
  if (!Object.hasOwn(bot.players, who)) return false
  const player = bot.players[who]
  const id = /[1-9a-f]/i.test(String(sender ?? '')) ? String(sender).replaceAll('-', '').toLowerCase() : ''
  if (id) return id === String(player.uuid).replaceAll('-', '').toLowerCase()
  const forms = ['chat.type.text', 'commands.message.display.incoming']
  if (translate) return forms.includes(translate) && wordsOf(message.json?.with?.[0]) === who
  return String(message).startsWith(`<${who}> `)
}

/**
 * Return the names of the blocks around the bot that it knows of, without air.
 * @param {Bot} bot @param {number} wide @param {number} high @returns {Set<string>}
 */
function around (bot, wide, high) {
  const names = new Set()
  if (!bot.entity) return names
  const middle = bot.entity.position.floored()
  const states = bot.registry.blocksByStateId
  for (let x = -wide; x <= wide; x++) {
    for (let y = -high; y <= high; y++) {
      for (let z = -wide; z <= wide; z++) {
        const at = middle.offset(x, y, z)
        const block = states[bot.world.getBlockStateId(at) ?? 0]
        if (!block || block.name.endsWith('air') || names.has(block.name)) continue
        if (bot.autocraft.eyes.know(at.x, at.y, at.z)) names.add(block.name)
      }
    }
  }
  return names
}

/** Tell whether a grave is in the dimension where the bot is. @param {Bot} bot @param {Grave} grave */
const isHere = (bot, { dimension }) => !dimension || dimension === bot.game.dimension

/** Tell whether what lies in a grave stays until the bot has walked to it. @param {Bot} bot @param {Grave} grave */
function isInTime (bot, grave) {
  const { x, y, z } = bot.entity.position
  const ticks = 20 * Math.hypot(grave.x - x, grave.y - y, grave.z - z) / PACE
  return isHere(bot, grave) && bot.time.age - grave.age + ticks <= LIES
}

sightings.PACE = PACE
sightings.around = around
sightings.isHere = isHere
sightings.isInTime = isInTime
sightings.isFrom = isFrom // used by a test
module.exports = sightings
