'use strict'
/** What was seen: blocks on the way, chests with what they held, chat of others; see `observe.js`. */
const { place } = require('./words')

/** @param {any} bot */
module.exports = function seen (bot) {
  const blocks = new Set()
  const chests = new Map(Object.entries(bot.options_.chests || {}))
  let ticks = 0
  bot.on('physicsTick', () => {
    if (++ticks % 100 === 0) for (const name of around(bot, 8, 2)) blocks.add(name)
  })
  bot.on('chat', (who, text) => {
    if (who !== bot.username) bot.tell({ event: 'chat', who: String(who).slice(0, 60), text: String(text).slice(0, 500) })
  })
  bot.on('whisper', (who, text) => bot.tell({ event: 'chat', who: String(who).slice(0, 60), text: String(text).slice(0, 500) }))
  bot.on('death', () => {
    bot.seen.died = bot.entity ? bot.entity.position.clone() : null
    bot.tell({ event: 'death', at: bot.entity ? place(bot.entity.position) : '' })
  })
  bot.seen = {
    blocks,
    chests,
    /** Where the bot died last and what it carried lies, until it has been there again. @type {any} */
    died: null,
    /** @param {any} at @param {Record<string, number>|string} held counts, 'Unknown' or 'Invalid' */
    chest: (at, held) => chests.set(place(at), held)
  }
}

/** Names of the blocks around the bot that are not air. @returns {Set<string>} */
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

module.exports.around = around
