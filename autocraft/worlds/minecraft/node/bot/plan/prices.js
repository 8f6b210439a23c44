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
  const whole = wholePrices(costs)
  /** @type {Record<string, number>} */
  const found = {}
  for (const name of names) if (whole(name) < Infinity) found[name] = whole(name)
  return found
}

/**
 * The price of one item with everything that its cheapest way takes, so that an item costs more than its ingredients.
 * @param {Costs} costs @returns {(name: string) => number}
 */
function wholePrices (costs) {
  /** @type {Map<string, number>} */
  const known = new Map()
  /** @param {string} name @returns {number} */
  const whole = (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    known.set(name, Infinity) // nothing is needed for itself
    const ways = (costs.ways.get(name) || []).map((way) => {
      const needed = [...Object.keys(way.takes), ...costs.owned(way), costs.stands[way.station] ? '' : way.station]
      const more = needed.filter((each) => each && !costs.has(each)).map(whole)
      const times = Math.max(1, 1 / way.gives)
      return way.effort * times + way.search + costs.failures.cost(way) + more.reduce((sum, each) => sum + each, 0)
    })
    known.set(name, Math.min(Infinity, ...ways))
    return Math.min(Infinity, ...ways)
  }
  return whole
}

module.exports = { prices }
