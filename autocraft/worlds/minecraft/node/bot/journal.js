'use strict'
/**
 * Report at once what the bot itself placed and broke, so that `/undo` can put small changes back. Remember which of
 * the present blocks are its own, and what it ate by itself. Tell what the server did not let it break.
 */
const { reportBlocks } = require('./patches/blocks')
const { place } = require('./words')

/** @param {Bot} bot */
module.exports = function journal (bot) {
  const own = new Set(bot.autocraft.options.placed || [])
  /** @type {{name: string, at: Vec3, harvests?: boolean}[]} */
  const broken = []
  /** @type {string[]} */
  const ate = []
  let reported = 0 // the first of them, which `news` has returned

  const journal = bot.autocraft.journal = {
    /** @param {Point} at */
    placed: (at) => own.has(place(at)),
    broken,
    ate,
    begin () { reported = broken.length },
    news () {
      const since = broken.slice(reported)
      reported = broken.length
      return since
    },
    put: 0,
    refused: 0,
    refusal: ''
  }

  reportBlocks(bot, (what, at, before, after, harvests) => {
    if (what === 'refused') {
      journal.refused++
      const said = bot.autocraft.sightings.reply()
      journal.refusal = `the server did not let the bot break ${before} at ${place(at)}${said}`
      return
    }
    if (what === 'broke') broken.push({ name: before, at, harvests })
    if (what === 'placed') { journal.put++; own.add(place(at)) } else own.delete(place(at))
    bot.autocraft.tell({ event: 'change', what, x: at.x, y: at.y, z: at.z, before, after })
  })
}
