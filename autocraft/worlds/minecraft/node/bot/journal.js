'use strict'
/**
 * Report at once what the bot itself placed and broke, so that `/undo` can put small changes back. Remember which of
 * the present blocks are its own and what each is for, and what it ate by itself. Tell what the server did not let it
 * break.
 */
const { reportBlocks } = require('./patches/blocks')
const { place, placeOf } = require('./words')

/** @param {Bot} bot */
module.exports = function journal (bot) {
  /**
   * What each block of its own is for: '' is the work of a command, 'walk' scaffold, 'shelter' a wall for a night,
   * 'station' a table or furnace that is put down for one command.
   */
  const own = new Map(Object.entries(bot.autocraft.options.placed || {}))
  /** The same for what the other bots of the run have placed. */
  const others = new Map(Object.entries(bot.autocraft.options.shared || {}))
  /** What is done now: a reflex may close the bot in while a command does too. @type {Purpose[]} */
  const doing = []
  /** @type {Journal['broken']} */
  const broken = []
  /** @type {string[]} */
  const ate = []
  let reported = 0 // the first of them, which `news` has returned

  /** @type {Journal} */
  const journal = bot.autocraft.journal = {
    placed: (at) => own.has(place(at)) || others.has(place(at)),
    aids: (mine) => [...own, ...(mine ? [] : others)].flatMap(([at, why]) => why ? [placeOf(at)] : []),
    work: (at) => (own.get(place(at)) ?? others.get(place(at))) === '',
    isStation: (at) => own.get(place(at)) === 'station',
    keep: (at) => { if (own.has(place(at))) own.set(place(at), '') },
    share (at, why) {
      own.delete(at)
      if (why === null) others.delete(at)
      else others.set(at, why)
    },
    async during (what, act) {
      doing.push(what)
      try { return await act() } finally { doing.splice(doing.indexOf(what), 1) }
    },
    scaffold: new Map(),
    walked: new Map(),
    broken,
    ate,
    begin () {
      reported = broken.length
      journal.walked.clear()
    },
    news () {
      const since = broken.slice(reported)
      reported = broken.length
      return since
    },
    put: 0,
    refused: 0,
    refusal: ''
  }

  reportBlocks(bot, (what, at, before, after, { harvests, walks, was } = { walks: false }) => {
    if (what === 'refused') {
      journal.refused++
      const said = bot.autocraft.sightings.reply()
      journal.refusal = `the server did not let the bot break ${before} at ${place(at)}${said}`
      if (was === undefined) return undefined
      own.set(place(at), was) // also if it was of another bot, which has heard that it is gone
      tell('placed', at, 'air', after, was)
      return undefined
    }
    const purpose = own.get(place(at)) ?? others.get(place(at))
    const why = walks ? 'walk' : doing.at(-1) ?? ''
    if (what === 'broke') {
      broken.push({ name: before, at, harvests, by: why, own: own.has(place(at)) })
    }
    if (what === 'placed') { journal.put++; own.set(place(at), why) } else own.delete(place(at))
    others.delete(place(at))
    if (what === 'placed' && why === 'walk') journal.scaffold.set(String(at), at)
    else journal.scaffold.delete(String(at))
    if (why === 'walk') {
      const last = { what, name: what === 'broke' ? before : after }
      journal.walked.set(String(at), { first: journal.walked.get(String(at))?.first ?? last, last })
    }
    tell(what, at, before, after, why)
    return purpose
  })

  /** @param {string} what @param {Vec3} at @param {string} before @param {string} after @param {string} why */
  function tell (what, { x, y, z }, before, after, why) {
    bot.autocraft.tell({ event: 'change', what, x, y, z, before, after, ...(why && { by: why }) })
  }
}
