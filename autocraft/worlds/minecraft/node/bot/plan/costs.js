'use strict'
/** Estimate what items and deeds cost by their cheapest way, in seconds. */
const { burns } = require('../facts')

/** @typedef {import('./ways').Way} Way */

const FUELS = ['coal', 'charcoal']

/** The cost of one item by its cheapest way, for the targets and for every item that they may need. */
class Costs {
  /**
   * @param {import('./ways').Ways} open @param {import('./near').Near} near @param {Counts} stock
   * @param {import('./failures').Failures} failures
   */
  constructor (open, near, stock, failures) {
    this.open = open
    this.stock = stock
    this.failures = failures
    /** @type {Map<string, Way[]>} */
    this.ways = new Map()
    /** @type {Map<string, number>} */
    this.least = new Map()
    /** Whether the bot can walk to a table or a furnace. @type {Record<string, boolean>} */
    this.stands = Object.fromEntries(['crafting_table', 'furnace'].map((name) => [name, near.station(name)]))
  }

  /**
   * Find the costs of these items and of all that they may need.
   * @param {string[]} wanted @param {() => Promise<void>} pause
   */
  async find (wanted, pause) {
    await this.gather(wanted, pause)
    await this.settle(pause)
  }

  /** @param {string} name */
  of (name) { return this.least.get(name) ?? Infinity }

  /** Return how many the stock has of an item, or of a kind of item. @param {string} name */
  has (name, stock = this.stock) {
    if (!name.startsWith('#')) return stock[name] || 0
    return this.open.members(name).reduce((sum, each) => sum + (stock[each] || 0), 0)
  }

  /** Return the tool of a way that the bot has, or the first that serves, or '' for bare hands. @param {Way} way */
  tool (way) { return way.tools.find((each) => this.stock[each]) || way.tools[0] || '' }

  /** Return what a way needs and does not use up. @param {Way} way */
  owned (way) { return [...new Set([this.tool(way), ...way.needs].filter(Boolean))] }

  /** Return the cost of one more item with the stock as it is. Only one way deep is looked. @param {string} name */
  once (name) {
    /** @param {string} each */
    const plain = (each) => (this.has(each) ? 0 : this.of(each))
    const costs = (this.ways.get(name) || []).map((way) => {
      const parts = [...Object.keys(way.takes), ...this.owned(way)]
      return way.effort + way.search + this.failures.cost(way) + parts.reduce((sum, each) => sum + plain(each), 0)
    })
    return Math.min(this.of(name), ...costs)
  }

  /** Return the cost of a way done so many times. What the stock has costs nothing. @param {Way} way */
  price (way, times = 1, stock = this.stock) {
    let sum = way.effort * times + way.search + this.failures.cost(way)
    for (const [name, count] of Object.entries(way.takes)) {
      const less = Math.max(0, count * times - this.has(name, stock))
      if (less) sum += less * this.of(name)
    }
    for (const name of this.owned(way)) if (!this.has(name)) sum += this.once(name)
    if (way.station && !this.stands[way.station] && !this.stock[way.station]) sum += this.of(way.station)
    return sum
  }

  /** @param {string[]} wanted @param {() => Promise<void>} pause */
  async gather (wanted, pause) {
    const open = [...wanted, ...FUELS]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (this.ways.has(name)) continue
      const ways = this.open.of(name)
      this.ways.set(name, ways)
      for (const way of ways) open.push(...Object.keys(way.takes), ...this.owned(way), ...[way.station].filter(Boolean))
      await pause()
    }
  }

  /** Lower the costs until none falls any more. @param {() => Promise<void>} pause */
  async settle (pause) {
    for (let falls = true; falls;) {
      falls = false
      for (const [name, ways] of this.ways) {
        const best = Math.min(Infinity, ...ways.map((way) => this.price(way, 1, {}) / way.gives))
        if (best < this.of(name)) { this.least.set(name, best); falls = true }
      }
      await pause()
    }
  }

  /**
   * Return the cheapest fuel for so many items, other than the items of `without`; '' if there is none.
   * @param {number} count @param {Set<string>} without
   */
  fuel (count, without) {
    /** @param {string} name */
    const price = (name) => Math.max(0, Math.ceil(count / burns(name)) - (this.stock[name] || 0)) * this.of(name)
    const known = [...new Set([...this.ways.keys(), ...Object.keys(this.stock)])]
      .filter((name) => burns(name) >= 1 && /^(coal|charcoal)$|planks$|_log$|^log2?$/.test(name) && !without.has(name))
    return known.filter((name) => price(name) < Infinity).sort((a, b) => price(a) - price(b))[0] || ''
  }
}

/**
 * Return a function that prices an item with everything that its cheapest way takes. An item costs more than its
 * ingredients.
 * @param {Costs} costs @param {number} [command] seconds that each command costs more
 * @returns {(name: string) => number}
 */
function wholePrices (costs, command = 0) {
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
      const own = command + way.effort * times + way.search + costs.failures.cost(way)
      return own + more.reduce((sum, each) => sum + each, 0)
    })
    known.set(name, Math.min(Infinity, ...ways))
    return Math.min(Infinity, ...ways)
  }
  return whole
}

module.exports = { Costs, wholePrices }
