'use strict'
/** Price every item of the game, from where the bot is and what it carries. */
const { holdings } = require('../words')
const { pausing } = require('../pausing')
const { Near } = require('./near')
const { Costs } = require('./ways')

/** What each item costs that can be had, in about seconds. @param {Bot} bot */
async function prices (bot) {
  const pause = pausing()
  const stock = holdings(bot)
  const costs = new Costs(bot, await Near.of(bot, pause), stock)
  const names = Object.keys(bot.registry.itemsByName)
  await costs.find(names, pause)
  const whole = wholePrices(costs, stock)
  return Object.fromEntries(names.map((name) => [name, whole(name)]).filter(([, price]) => price < Infinity))
}

/**
 * The price of one item with everything that its cheapest way takes, so that an item costs more than its ingredients.
 * @param {Costs} costs @param {Counts} stock @returns {(name: string) => number}
 */
function wholePrices (costs, stock) {
  /** @type {Map<string, number>} */
  const known = new Map()
  /** @param {string} name @returns {number} */
  const whole = (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    known.set(name, Infinity) // nothing is needed for itself
    const ways = (costs.ways.get(name) || []).map((way) => {
      const needed = [...Object.keys(way.takes), costs.tool(way), costs.stands[way.station] ? '' : way.station]
      const more = needed.filter((each) => each && !stock[each]).map(whole)
      return way.effort * Math.max(1, 1 / way.gives) + way.search + more.reduce((sum, each) => sum + each, 0)
    })
    known.set(name, Math.min(Infinity, ...ways))
    return Math.min(Infinity, ...ways)
  }
  return whole
}

module.exports = { prices }
