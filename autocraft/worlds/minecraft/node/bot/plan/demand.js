'use strict'
/** Choose the ways for some targets, and how often each is used. */
const { burns, tierOf } = require('../facts')
const { SECONDS } = require('./steps')

/** @typedef {import('./ways').Way} Way */
/** @typedef {import('./steps').Use} Use */
/** @typedef {[string, number]} Target an item, a kind of item or a deed, and how many */

const TRIES = 32 // ways that are given up for one answer
const CHANGED = new Set(['craft', 'smelt']) // ways that use up what they take
const STOCK = 0.5 // share of the seconds to get again what they take of the stock, which it costs
const CHEAP = 100 // seconds to get again what they take as if it cost nothing
const DEAREST = 3000 // seconds at most, for what cannot be had again

/**
 * Return how often each way is used for the targets, ingredients first; or the reason why one of them has no way.
 *
 * Items are looked at from the dearest to the cheapest. So each is looked at once, when all that need it are known. A
 * way takes what is cheaper than its item in any number, and of dearer things what the stock has to spare.
 * @param {import('./costs').Costs} costs @param {Target[]} targets
 * @returns {string | Use[]}
 */
function demandFor (costs, targets) {
  /** Ways that need something of which there is too little. @type {Set<Way>} */
  const vain = new Set()
  for (;;) {
    const demand = new Demand(costs, vain)
    const lacking = demand.meet(targets)
    if (!lacking) return sparing(costs, targets, vain, demand)
    const user = demand.users.get(lacking)?.at(-1)
    if (!user || vain.size >= TRIES) return reason(costs, lacking)
    vain.add(user.way)
  }
}

/**
 * Return the uses of a demand. If it burns of the stock what it also takes, such as a log of which sticks are made,
 * return those of another one, which burns something else: after each step the next plan would need one log more.
 * @param {import('./costs').Costs} costs @param {Target[]} targets @param {Set<Way>} vain @param {Demand} demand
 */
function sparing (costs, targets, vain, demand) {
  const uses = [...demand.uses.values()].flat()
  /** @type {Counts} */
  const kept = {}
  for (const { fuel } of uses) {
    const taken = uses.reduce((sum, { way, times }) => sum + (way.takes[fuel] || 0) * times, 0)
    if (taken && costs.stock[fuel]) kept[fuel] = Math.min(taken, costs.stock[fuel])
  }
  const other = Object.keys(kept).length ? new Demand(costs, vain, kept) : demand
  return (other === demand || other.meet(targets) ? demand : other).inOrder(targets)
}

class Demand {
  /**
   * @param {import('./costs').Costs} costs @param {Set<Way>} vain ways that are not used
   * @param {Counts} [kept] what of the stock is not burned
   */
  constructor (costs, vain, kept = {}) {
    this.costs = costs
    this.vain = vain
    this.kept = kept
    /** What recipes and furnaces take. @type {Counts} */
    this.used = {}
    /** What must be there and stays, as goals and tools do. @type {Counts} */
    this.owned = {}
    /** What is needed and not looked at yet. @type {Set<string>} */
    this.open = new Set()
    /** @type {Map<string, Use[]>} */
    this.uses = new Map()
    /** The uses that need an item. @type {Map<string, Use[]>} */
    this.users = new Map()
  }

  /** Return how many of an item are needed. @param {string} name */
  needed (name) { return (this.used[name] || 0) + (this.owned[name] || 0) }

  /** Return how many of an item the stock has to spare, as far as is known. @param {string} name @returns {number} */
  spare (name) {
    const { costs } = this
    const items = name.startsWith('#') ? costs.open.members(name) : [name]
    return items.reduce((sum, each) => sum + Math.max(0, (costs.stock[each] || 0) - this.needed(each)), 0)
  }

  /** Tell whether an item is looked at after another, so that any number can still be made. */
  isBelow (/** @type {string} */ name, /** @type {string} */ other) {
    const { rank } = this.costs
    return (rank.get(name) ?? Infinity) < (rank.get(other) ?? Infinity)
  }

  /**
   * Find the uses for all targets. Return the item that cannot be had, or '' if all can.
   * @param {Target[]} targets
   */
  meet (targets) {
    for (const [name, count] of targets) {
      this.owned[name] = Math.max(this.owned[name] || 0, count)
      this.open.add(name)
    }
    for (const name of dearestFirst(this.open, this.costs.rank)) if (!this.make(name)) return name
    return ''
  }

  /** Choose ways for what the stock lacks of an item. Return whether there are enough. @param {string} name */
  make (name) {
    const { costs, used } = this
    const spare = name.startsWith('#') ? this.spare(name) : costs.stock[name] || 0
    if (name.startsWith('#')) this.reserve(name)
    const made = (this.uses.get(name) ?? []).reduce((sum, { way, times }) => sum + times * way.gives, 0)
    let lack = this.needed(name) - spare - made
    while (lack > 0) {
      /** @type {{use: Use, price: number} | null} */
      let best = null
      for (const way of costs.ways.get(name) ?? []) {
        const each = this.vain.has(way) ? null : this.use(name, way, lack)
        if (each && (!best || each.price < best.price)) best = each
      }
      if (!best) return false
      const { use } = best
      lack -= use.times * use.way.gives
      for (const [each, count] of Object.entries(use.way.takes)) used[each] = (used[each] || 0) + count * use.times
      if (use.fuel) used[use.fuel] = (used[use.fuel] || 0) + Math.ceil(use.times / burns(use.fuel))
      const { station } = use.way
      const carried = costs.stands[station] === Infinity ? [station] : []
      for (const each of [...use.tools, ...carried]) this.owned[each] = Math.max(this.owned[each] || 0, 1)
      this.record(use)
      for (const each of needsOf(use)) {
        this.users.set(each, [...this.users.get(each) ?? [], use])
        if (this.isBelow(each, name) || carried.includes(each)) this.open.add(each)
      }
    }
    return true
  }

  /** Add a use, or its number to an earlier one of the same way: one command does both. @param {Use} use */
  record (use) {
    const uses = this.uses.get(use.name) ?? []
    const same = uses.find(({ way, fuel, tools }) =>
      way === use.way && fuel === use.fuel && String(tools) === String(use.tools))
    if (same) Object.assign(same, { times: same.times + use.times, lack: same.lack + use.lack, why: use.why })
    else this.uses.set(use.name, [...uses, use])
  }

  /** Set items of the stock aside for a kind of item. @param {string} kind */
  reserve (kind) {
    let rest = this.needed(kind)
    for (const name of this.costs.open.members(kind)) {
      const count = Math.min(rest, this.spare(name))
      if (count > 0) this.used[name] = (this.used[name] || 0) + count
      rest -= Math.max(0, count)
    }
  }

  /**
   * Return the use of a way for so many items, or for fewer if there is too little of what it takes; and its price for
   * each item. Return null if it cannot be used.
   * @param {string} name @param {Way} way @param {number} lack
   */
  use (name, way, lack) {
    const { costs } = this
    const { registry } = costs.open.bot
    const before = this.uses.get(name)?.find((use) => use.way === way)
    let times = Math.min(Math.ceil(lack / way.gives), (way.most ?? Infinity) - (before?.times ?? 0))
    for (const [each, count] of Object.entries(way.takes)) {
      const more = this.isBelow(each, name) ? costs.bare.has(each) ? Infinity : costs.here.get(each)?.most ?? 0 : 0
      times = Math.min(times, Math.floor((this.spare(each) + more) / count))
    }
    if (times <= 0) return null
    let price = way.effort * times + way.search + costs.failures.cost(way) + costs.walk(way)
    for (const [each, count] of Object.entries(way.takes)) {
      const there = Math.min(count * times, this.spare(each))
      price += costs.cost(each, count * times - there)
      const again = there && CHANGED.has(way.kind) ? Math.min(DEAREST, costs.again(each, there)) : 0
      if (again > CHEAP) price += STOCK * again
    }
    /** @type {string[]} */
    const tools = []
    for (const choice of [...way.tools.length ? [way.tools] : [], ...way.needs.map((each) => [each])]) {
      /** @param {string} each */
      const rest = (each) => costs.has(each) - (this.used[each] || 0)
      const there = choice.filter((each) => rest(each) > 0)
      const [best] = there.sort((a, b) => tierOf(registry, b) - tierOf(registry, a)) // a weaker one may then go
      const [tool, cost] = best ? [best, 0] : this.cheapest(name, choice, (each) => 1 - Math.max(0, rest(each)))
      tools.push(tool)
      price += cost
    }
    const { station } = way
    if (station && costs.stands[station] === Infinity && costs.has(station) - (this.used[station] || 0) < 1) {
      price += costs.cost(station, 1) // if the only one is used up, it is made again after this
    }
    let fuel = ''
    if (way.kind === 'smelt') {
      const [best, cost] = this.cheapest(name, costs.fuels, (each) =>
        Math.ceil(times / burns(each)) + (this.kept[each] || 0) - this.spare(each))
      fuel = best
      price += cost
    }
    if (!(price < Infinity)) return null
    const gained = Math.min(lack, times * way.gives)
    return { use: { name, way, fuel, tools, times, lack: gained, why: this.why(name) }, price: price / gained }
  }

  /**
   * Return the cheapest of some items that serve the same end, and what it costs beyond the stock.
   * @param {string} name that needs one of them @param {string[]} choice
   * @param {(each: string) => number} lackOf how many more of each it takes than are there
   * @returns {[string, number]}
   */
  cheapest (name, choice, lackOf) {
    const { costs } = this
    /** @type {[string, number]} */
    let best = ['', Infinity]
    for (const each of choice) {
      const lack = lackOf(each)
      const cost = lack <= 0 || this.isBelow(each, name) ? costs.cost(each, lack) : Infinity
      if (cost < best[1]) best = [each, cost]
    }
    return best
  }

  /** Say what an item is for. @param {string} name */
  why (name) {
    const names = new Set(this.users.get(name)?.map((use) => use.name))
    return names.size ? `for ${[...names].join(', ')}` : 'it is wanted'
  }

  /** Return the uses in the order of the targets, and each after what it needs. @param {Target[]} targets */
  inOrder (targets) {
    /** @type {Use[]} */
    const order = []
    const seen = new Set()
    /** @param {string} name */
    const visit = (name) => {
      if (seen.has(name)) return
      seen.add(name)
      for (const use of this.uses.get(name) ?? []) {
        needsOf(use).forEach(visit)
        order.push(use)
      }
    }
    for (const [name] of targets) visit(name)
    return order
  }
}

/**
 * Yield the names of a set, to which cheaper ones are added meanwhile: those without a price, then the dearest first.
 * @param {Set<string>} open @param {Map<string, number>} rank
 */
function * dearestFirst (open, rank) {
  /** @param {string} name */
  const place = (name) => rank.get(name) ?? Infinity
  while (open.size) {
    const name = [...open].reduce((best, each) => (place(each) > place(best) ? each : best))
    open.delete(name)
    yield name
  }
}

/**
 * Return how many of each item some targets and their uses need, with what the stock has of it.
 * @param {import('./costs').Costs} costs @param {Target[]} targets @param {string | Use[]} uses
 */
function neededFor (costs, targets, uses) {
  /** @type {Counts} */
  const needed = {}
  /** @param {string} name @param {number} count */
  const add = (name, count) => {
    for (const each of name.startsWith('#') ? costs.open.members(name) : [name]) {
      needed[each] = (needed[each] || 0) + count
    }
  }
  const kept = new Map(targets)
  for (const { way, times, fuel, tools } of typeof uses === 'string' ? [] : uses) {
    for (const [name, count] of Object.entries(way.takes)) add(name, count * times)
    if (fuel) add(fuel, Math.ceil(times / burns(fuel)))
    for (const name of [...tools, way.station].filter(Boolean)) kept.set(name, Math.max(kept.get(name) || 0, 1))
  }
  for (const [name, count] of kept) add(name, count)
  return needed
}

/** Return all that a use needs. @param {Use} use */
const needsOf = ({ way, fuel, tools }) => [...Object.keys(way.takes), fuel, ...tools, way.station].filter(Boolean)

/**
 * Say why an item has no way. A way may be set aside: its own, or one to something that it needs.
 * @param {import('./costs').Costs} costs @param {string} name
 */
function reason (costs, name) {
  const seen = new Set([name])
  for (const each of seen) {
    for (const way of costs.ways.get(each) || []) {
      const why = costs.failures.why(way, SECONDS)
      if (why) return why
      for (const needed of [...Object.keys(way.takes), ...way.tools.slice(0, 1), ...way.needs, way.station]) {
        if (needed) seen.add(needed)
      }
    }
  }
  for (const each of seen) {
    const unburnt = costs.fuels.every((fuel) => !costs.here.has(fuel) && !costs.stock[fuel])
    const [smelted] = (costs.ways.get(each) || []).filter(({ kind }) => kind === 'smelt')
    if (unburnt && smelted) return `nothing known burns here, to smelt ${smelted.from}`
  }
  return /^eat\b/.test(name) && costs.open.isFull()
    ? 'the bot is not hungry, and nobody becomes hungry on a peaceful server'
    : `no way is known here to ${name.includes(' ') ? name.trim() : `get ${name}`}`
}

module.exports = { demandFor, neededFor, needsOf }
