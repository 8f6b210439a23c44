'use strict'
/** Remember what was seen: blocks on the way, chests with what they held; and report the chat of others. */
const need = require('../shared/need')
const cut = require('../shared/cut')
const { place, wordsOf } = require('./words')

/** @param {Bot} bot */
function seen (bot) {
  const { Vec3 } = need('vec3')
  const blocks = new Set()
  const chests = new Map(Object.entries(bot.autocraft.options.chests || {}))
  const held = new Set(bot.autocraft.options.held || [])
  bot.inventory.on('updateSlot', (_, __, item) => { if (item) held.add(item.name) })
  let ticks = 0
  bot.on('physicsTick', () => {
    if (++ticks % 100 === 0) for (const name of around(bot, 8, 2)) blocks.add(name)
  })
  /** @type {unknown} */
  let sender = null // of the message that `chat` or `whisper` is about; `message` comes before them
  bot.on('message', (_, __, uuid) => { sender = uuid })
  /** @param {string} who @param {string} text @param {string} translate @param {any} message */
  const heard = (who, text, translate, message) => {
    if (who === bot.username) return
    bot.autocraft.tell({
      event: 'chat', who: cut(who, 60), text: cut(text, 500), sure: said(bot, who, translate, message, sender)
    })
  }
  bot.on('chat', heard)
  bot.on('whisper', heard)
  bot.on('death', () => {
    bot.autocraft.sightings.died = bot.entity ? bot.entity.position.clone() : null
    bot.autocraft.tell({ event: 'death', at: bot.entity ? place(bot.entity.position) : '' })
  })
  bot.autocraft.sightings = {
    blocks,
    chests,
    /** Kinds of items that the server ever put into the inventory. */
    held,
    /** Where the bot died last and what it carried lies, until it has been there again. @type {Vec3 | null} */
    died: bot.autocraft.options.died ? new Vec3(...bot.autocraft.options.died) : null,
    /** @param {Point} at @param {Counts | string} held counts, 'Unknown' or 'Invalid' */
    chest: (at, held) => chests.set(place(at), held)
  }
}

/**
 * Whether the server itself says that this player spoke: by the sender's id, by the game's own form of a chat message,
 * or by a line that begins with the name in angle brackets. `chat` alone is a guess from the line, in which others may
 * have written the name.
 * @param {Bot} bot @param {string} who @param {string|undefined} translate @param {any} message @param {any} sender
 */
function said (bot, who, translate, message, sender) {
  if (!Object.hasOwn(bot.players, who)) return false
  const player = bot.players[who]
  const id = /[1-9a-f]/i.test(String(sender ?? '')) ? String(sender).replaceAll('-', '').toLowerCase() : ''
  if (id) return id === String(player.uuid).replaceAll('-', '').toLowerCase()
  const forms = ['chat.type.text', 'commands.message.display.incoming']
  if (translate) return forms.includes(translate) && wordsOf(message.json?.with?.[0]) === who
  return String(message).startsWith(`<${who}> `)
}

/**
 * Names of the blocks around the bot that are not air.
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
        const id = bot.world.getBlockStateId(middle.offset(x, y, z))
        const block = id === null || id === undefined ? null : states[id]
        if (block && !block.name.endsWith('air')) names.add(block.name)
      }
    }
  }
  return names
}

seen.around = around
seen.said = said // a test asks it
module.exports = seen
