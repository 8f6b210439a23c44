'use strict'
/**
 * What the bot itself placed and broke, told at once, so that `/undo` can put small changes back; and which of the
 * blocks that stand are its own.
 */
const { place } = require('./words')

/** @param {any} bot */
module.exports = function journal (bot) {
  const mine = new Set((bot.options_.placed || []))
  /** Places that the bot is changing now. @type {Map<string, string>} */
  const touched = new Map()

  const dig = bot.dig
  bot.dig = async (block, ...rest) => {
    const before = block && block.name
    if (block) touched.set(place(block.position), before)
    await dig(block, ...rest)
    note('broke', block.position, before, 'air')
  }
  const put = bot._placeBlockWithOptions
  bot._placeBlockWithOptions = async (reference, face, options) => {
    const at = reference.position.plus(face)
    const before = bot.blockAt(at)
    await put(reference, face, options)
    const after = bot.blockAt(at)
    if (after && (!before || after.name !== before.name)) note('placed', at, before ? before.name : 'air', after.name)
  }

  function note (what, at, before, after) {
    touched.delete(place(at))
    if (what === 'placed') mine.add(place(at))
    else mine.delete(place(at))
    bot.tell({ event: 'change', what, x: at.x, y: at.y, z: at.z, before, after })
  }

  bot.journal = { placed: (at) => mine.has(place(at)) }
}
