'use strict'
/** Price every item of the game, from where the bot is and what it carries. */
const { smelting } = require('../facts')
const { holdings } = require('../words')
const { pausing } = require('../pausing')
const { Costs } = require('./costs')
const { Near } = require('./near')
const { Ways } = require('./ways')

/**
 * What each item costs that can be had, in about seconds.
 * @param {Bot} bot @param {{kinds: string}} wanted `kinds` is a pattern whose first group is the kind of an item
 */
async function prices (bot, { kinds }) {
  const pause = pausing()
  const near = await Near.of(bot, pause)
  const ways = new Ways(bot, near, Object.entries(smelting(bot)), new RegExp(`^${kinds}$`))
  const costs = new Costs(ways, near, holdings(bot), bot.autocraft.failures)
  const names = Object.keys(bot.registry.itemsByName)
  await costs.find(names, pause)
  /** @type {Record<string, number>} */
  const found = {}
  for (const name of names) if (costs.of(name) < Infinity) found[name] = costs.of(name)
  return found
}

module.exports = { prices }
