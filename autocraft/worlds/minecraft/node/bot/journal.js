'use strict'
/**
 * Report at once what the bot itself placed and broke, so that `/undo` can put small changes back; and remember which
 * of the blocks that stand are its own.
 */
const { reportBlocks } = require('./patches/blocks')
const { place } = require('./words')

/** @param {Bot} bot */
module.exports = function journal (bot) {
  const own = new Set(bot.autocraft.options.placed || [])
  /** @type {{name: string, at: Vec3}[]} */
  const broken = []

  reportBlocks(bot, (what, at, before, after) => {
    if (what === 'broke') broken.push({ name: before, at })
    if (what === 'placed') own.add(place(at))
    else own.delete(place(at))
    bot.autocraft.tell({ event: 'change', what, x: at.x, y: at.y, z: at.z, before, after })
  })

  /** Whether a block is the bot's own; what it has dug, also on its way, where the server let it. */
  bot.autocraft.journal = { placed: (at) => own.has(place(at)), broken }
}
