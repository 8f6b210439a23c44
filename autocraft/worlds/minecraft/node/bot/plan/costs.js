'use strict'
/**
 * Price items and deeds by their cheapest way, in seconds.
 *
 * Prices are settled the lowest first. A way is used only when all that it needs is settled, so an item costs more than
 * each of its ingredients, and no way leads in a circle.
 */
const { fuels } = require('../nature')
const { STATIONS } = require('./failures')

/** @typedef {import('./ways').Way} Way */
/**
 * @typedef {{once: number, each: number, gives: number, most: number, way: Way, with: string[]}} Price `once` is paid
 *   once, and `each` for each `gives` items. The price holds for at most `most` items: more than the stock allows cost
 *   more. `way` is the cheapest way, and `with` what it needs that is not there.
 */
/** @typedef {{name: string, way: Way, open: string[][], with: string[]}} Waiting a way, and what it waits for */

const FUELS = ['coal', 'charcoal']

/** The prices of the targets and of all that they may need. */
class Costs {
  /**
   * @param {import('./ways').Ways} open @param {import('./near').Near} near @param {Counts} stock
   * @param {import('./failures').Failures} failures @param {number} [command] seconds that each command costs more
   */
  constructor (open, near, stock, failures, command = 0) {
    this.open = open
    this.stock = stock
    this.failures = failures
    this.command = command
    /** @type {Map<string, Way[]>} */
    this.ways = new Map()
    /** Prices of what nothing but tools and stations is there for, and of what the stock is there for. */
    this.bare = this.here = /** @type {Map<string, Price>} */ (new Map())
    /** The place of each name in the order of prices; each is made of those before it. @type {Map<string, number>} */
    this.rank = new Map()
    /** @type {string[]} */
    this.fuels = []
    /** Seconds to a table and to a furnace; Infinity where none stands. @type {Record<string, number>} */
    this.stands = Object.fromEntries(Object.keys(STATIONS).map((name) => [name, near.station(name)]))
  }

  /**
   * Settle the prices of these items and of all that they may need.
   * @param {string[]} wanted @param {() => Promise<void>} pause
   */
  async find (wanted, pause) {
    await this.gather(wanted, pause)
    this.fuels = [...new Set([...this.ways.keys(), ...Object.keys(this.stock)])]
      .filter((name) => fuels(this.open.bot.registry).has(name))
    this.bare = this.settle({}, 0)
    await pause()
    this.here = this.settle(this.stock, this.command)
    const names = [...new Set([...this.bare.keys(), ...this.here.keys()])]
    this.rank = new Map(names.map((name, at) => [name, at]))
  }

  /** Return the price of one more, counting the stock as free. @param {string} name */
  of (name) { return total(this.here.get(name)) }

  /** Return the price of so many more. @param {string} name @param {number} count */
  cost (name, count) {
    if (count <= 0) return 0
    const here = this.here.get(name)
    return total(here && count <= here.most ? here : this.bare.get(name), count)
  }

  /** Return the price of so many, as if the bot had none and nothing to make them of. @param {string} name */
  again (name, count = 1) { return total(this.bare.get(name), count) }

  /** Return the seconds of the walk to what must stand near for a way; 0 if it is near or must be made. */
  walk (/** @type {Way} */ { station }) {
    const far = station ? this.stands[station] : 0
    return far < Infinity ? far : 0
  }

  /** Return how many the stock has of an item, or of a kind of item. @param {string} name */
  has (name, stock = this.stock) {
    if (!name.startsWith('#')) return stock[name] || 0
    return this.open.members(name).reduce((sum, each) => sum + (stock[each] || 0), 0)
  }

  /** @param {string[]} wanted @param {() => Promise<void>} pause */
  async gather (wanted, pause) {
    const open = [...wanted, ...FUELS]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (this.ways.has(name)) continue
      const ways = this.open.of(name)
      this.ways.set(name, ways)
      for (const way of ways) open.push(...Object.keys(way.takes), ...way.tools, ...way.needs, way.station || 'coal')
      await pause()
    }
  }

  /**
   * Return all prices, the lowest first, if `stock` is free and each command costs so many seconds more.
   * @param {Counts} stock @param {number} command @returns {Map<string, Price>}
   */
  settle (stock, command) {
    /** @type {Map<string, Price>} */
    const prices = new Map()
    /** The cheapest price found for what is not settled yet. @type {Map<string, Price>} */
    const found = new Map()
    /** @type {Map<string, Waiting[]>} */
    const waiting = new Map()
    /** @param {Waiting} one */
    const offer = (one) => {
      const price = this.priceOf(one, prices, stock, command)
      if (!prices.has(one.name) && total(price) < total(found.get(one.name))) found.set(one.name, price)
    }
    for (const [name, ways] of this.ways) {
      for (const way of ways) {
        // what a chest holds is part of the stock
        if (this.failures.cost(way) === Infinity || (way.most && stock !== this.stock)) continue
        const one = { name, way, open: this.needs(way, stock), with: [] }
        for (const each of new Set(one.open.flat())) {
          const others = waiting.get(each)
          if (others) others.push(one)
          else waiting.set(each, [one])
        }
        if (!one.open.length) offer(one)
      }
    }
    while (found.size) {
      const [name, price] = cheapest(found)
      found.delete(name)
      prices.set(name, price)
      for (const one of waiting.get(name) ?? []) {
        if (!one.open.length) continue
        const open = one.open.filter((choice) => !choice.includes(name))
        for (let more = one.open.length - open.length; more; more--) one.with.push(name)
        one.open = open
        if (!open.length) offer(one)
      }
    }
    return prices
  }

  /**
   * Return what must be settled before a way: for each need the items that serve. What is there needs nothing.
   * @param {Way} way @param {Counts} stock
   */
  needs (way, stock) {
    const { takes, tools, needs, station, kind } = way
    const open = Object.entries(takes).filter(([name, count]) => this.has(name, stock) < count).map(([name]) => [name])
    if (tools.length && !tools.some((name) => this.stock[name])) open.push(tools)
    for (const name of needs) if (!this.has(name)) open.push([name])
    if (station && this.stands[station] === Infinity && !this.stock[station]) open.push([station])
    if (kind === 'smelt' && !this.fuels.some((name) => stock[name])) open.push(this.fuels)
    return open
  }

  /**
   * Return the price of what a way gives. Tools, the station and one piece of fuel are paid once.
   * @param {Waiting} one @param {Map<string, Price>} prices @param {Counts} stock @param {number} command
   * @returns {Price}
   */
  priceOf ({ way, with: needed }, prices, stock, command) {
    let once = command + way.search + this.failures.cost(way) + this.walk(way)
    let each = way.effort
    let most = way.most ?? Infinity
    for (const name of needed) {
      const price = /** @type {Price} */ (prices.get(name))
      if (!Object.hasOwn(way.takes, name)) { once += total(price); continue }
      once += price.once
      each += price.each * Math.ceil((way.takes[name] - this.has(name, stock)) / price.gives)
    }
    for (const [name, count] of Object.entries(way.takes)) {
      const there = this.has(name, stock) + (prices.get(name)?.most ?? 0)
      most = Math.min(most, Math.floor(there / count) * way.gives)
    }
    const times = Math.max(1, 1 / way.gives) // a chance below 1 is tried as often as it takes
    return { once, each: each * times, gives: way.gives * times, most, way, with: needed }
  }
}

/** Return the price of so many items. @param {Price | undefined} price */
const total = (price, count = 1) => price ? price.once + price.each * Math.ceil(count / price.gives) : Infinity

/** Return the name with the lowest price; of equal ones the first by name. @param {Map<string, Price>} found */
function cheapest (found) {
  /** @type {[string, Price] | null} */
  let best = null
  for (const each of found) {
    const by = best ? total(each[1]) - total(best[1]) : -1
    if (by < 0 || (by === 0 && best && each[0] < best[0])) best = each
  }
  return /** @type {[string, Price]} */ (best)
}

module.exports = { Costs }
