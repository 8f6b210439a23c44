'use strict'
/**
 * What the bot itself placed and broke, told at once, so that `/undo` can put small changes back; and which of the
 * blocks that stand are its own.
 */
const { place } = require('./words')

/** @param {Bot} bot */
module.exports = function journal (bot) {
  const mine = new Set((bot.options_.placed || []))
  /** @type {{name: string, at: Vec3}[]} */
  const broken = []

  const dig = bot.dig
  bot.dig = async (block, ...rest) => {
    const before = block && block.name
    await dig(block, ...rest)
    broken.push({ name: before, at: block.position })
    note('broke', block.position, before, 'air')
  }
  const put = bot.placeBlock
  bot.placeBlock = async (reference, face) => {
    const at = reference.position.plus(face)
    const before = bot.blockAt(at)
    await put(reference, face)
    const after = bot.blockAt(at)
    if (after && (!before || after.name !== before.name)) note('placed', at, before ? before.name : 'air', after.name)
  }

  /** @param {string} what @param {Vec3} at @param {string} before @param {string} after */
  function note (what, at, before, after) {
    if (what === 'placed') mine.add(place(at))
    else mine.delete(place(at))
    bot.tell({ event: 'change', what, x: at.x, y: at.y, z: at.z, before, after })
  }

  /** Whether a block is the bot's own; what it has dug, also on its way, where the server let it. */
  bot.journal = { placed: (at) => mine.has(place(at)), broken }
}
