'use strict'
/** Price every item of the game, from where the bot is and what it carries. */
const { holdings } = require('../words')
const { pausing } = require('../pausing')
const { Near } = require('./near')
const { Costs } = require('./ways')

/** What each item costs that can be had, in about seconds. @param {Bot} bot */
async function prices (bot) {
  const pause = pausing()
  const costs = new Costs(bot, await Near.of(bot, pause), holdings(bot))
  const names = Object.keys(bot.registry.itemsByName)
  await costs.find(names, pause)
  return Object.fromEntries(names.map((name) => [name, costs.now(name)]).filter(([, price]) => price < Infinity))
}

module.exports = { prices }
