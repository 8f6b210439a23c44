'use strict'
/**
 * Plan what to do next for some goals. The steps are commands, from where the bot is and what it carries. The plan
 * proves nothing and need not be the shortest. The planner does its first step and plans again.
 */
const { holdings, itemOf } = require('../words')
const { burns, smelting } = require('../facts')
const { pausing } = require('../pausing')
const { Costs } = require('./costs')
const { newKinds } = require('./kinds')
const { Near } = require('./near')
const { withSpare } = require('./spare')
const { SECONDS, Steps } = require('./steps')
const { drawn } = require('./tree')
const { PREY, needsBefore } = require('./living')
const { Ways } = require('./ways')

/**
 * @typedef {{items: [string, number][], deeds: [string, string, number][]}} Wanted one goal: items to hold, and deeds
 *   as verb, thing and how often
 * @typedef {import('./steps').Step} Step
 * @typedef {import('./steps').Use} Use
 * @typedef {import('./ways').Way} Way
 * @typedef {[string, number]} Target an item, a kind of item or a deed, and how many
 * @typedef {{name: string, way: Way | null, fuel: string}} Choice
 */

/**
 * Plan for the goals that have a way, in their order. The others are set aside.
 * @param {Bot} bot
 * @param {{goals: Wanted[], kinds: string, avoid: string[]}} wanted `kinds` is a pattern whose first group is the kind
 *   of an item, `avoid` are the items that are used for nothing
 * @returns {Promise<{steps: Step[], why: string, tree: string[]}>} without steps, `why` says why no open goal has a
 *   way; it is empty if all goals are reached
 */
async function plan (bot, { goals, kinds, avoid }) {
  const { failures } = bot.autocraft
  failures.pass(bot.time.age)
  const wanted = goals.map((goal) => targetsOf(bot, goal))
  const pause = pausing()
  const near = await Near.of(bot, pause)
  const ways = new Ways(bot, near, Object.entries(smelting(bot)), new RegExp(`^${kinds}$`), new Set(avoid))
  const usable = Object.entries(holdings(bot)).filter(([name]) => !ways.avoid.has(name))
  const costs = new Costs(ways, near, Object.fromEntries(usable), failures)
  const holding = wanted.flat().some(isHold)
  const names = holding ? Object.keys(bot.registry.itemsByName) : wanted.flat().map(([name]) => name)
  await costs.find(names, pause)
  /** @param {Target[]} some */
  const demand = (some) => demandFor(costs, some)
  const { held } = bot.autocraft.sightings
  const { next, needed } = holding ? await newKinds(costs, names, held, demand, pause) : { next: [], needed: [] }
  const targets = wanted.flatMap((some) => [
    some.filter((target) => !isHold(target)),
    ...some.filter(isHold).flatMap(([, count]) => next.slice(0, count).map((target) => [target]))
  ])
  const each = targets.map(demand)
  const together = demand(targets.filter((_, at) => typeof each[at] !== 'string').flat())
  // targets that each have a way alone may have none together
  const all = /** @type {Use[]} */ ([together, ...each].find((one) => typeof one !== 'string') ?? [])
  const planner = new Steps(bot, near, failures, ways)
  const steps = planner.of(holding ? withSpare(bot, costs.stock, all) : all)
  if (steps.length) {
    const takes = all.flatMap(({ way }) => Object.keys(way.takes))
    const kept = new Set([...targets.flat().map(([name]) => name), ...takes, ...needed])
    const before = needsBefore(bot, steps, kept, planner.direction(PREY), holding)
    const urgent = before.find((each) => !failures.same(each, bot.entity.position))
    if (urgent) steps.unshift(urgent)
  }
  const why = steps.length ? '' : String(each.find((one) => typeof one === 'string') ?? '')
  return { steps, why, tree: drawn(costs, targets.flat(), all) }
}

/** Tell whether a target is to hold so many kinds of item. @param {Target} target */
const isHold = ([name]) => name === 'hold'

/** @param {Bot} bot @param {Wanted} goal @returns {Target[]} */
function targetsOf (bot, { items, deeds }) {
  return [
    ...items.map(([name, count]) => /** @type {Target} */ ([name[0] === '#' ? name : itemOf(bot, name).name, count])),
    ...deeds.map(([verb, thing, count]) => /** @type {Target} */ ([`${verb} ${thing}`.trim(), count]))
  ]
}

/**
 * Choose a way for every item that the targets may need. An item comes after all that it needs itself.
 *
 * The choice is the cheapest way whose needs have ways themselves. If there is none, it is the cheapest way, and a need
 * without a way gets none.
 * @param {Costs} costs @param {Target[]} targets
 * @returns {Choice[]}
 */
function choices (costs, targets) {
  /** @type {Map<string, Choice>} */
  const found = new Map()
  const sure = new Set()
  const vain = new Set() // items without a way, for the present target
  const begun = new Set() // and not finished: a way that needs one of these would lead in a circle
  /** @param {string} name @param {number} count */
  const visit = (name, count) => {
    if (sure.has(name)) return true
    if (!vain.has(name)) {
      begun.add(name)
      const lack = Math.max(1, count - costs.has(name))
      const open = openWays(costs, name, lack, begun).map((way) => choiceOf(costs, name, way, lack, begun))
      const choice = open.find((each) => needs(costs, each, lack).every(([part, many]) => visit(part, many)))
      begun.delete(name)
      if (choice) sure.add(name)
      else vain.add(name)
      found.delete(name) // its place is after what was found for it now
      found.set(name, choice ?? open[0] ?? { name, way: null, fuel: '' })
    }
    return sure.has(name) || costs.has(name) >= count
  }
  for (const [name, count] of targets) {
    vain.clear()
    visit(name, count)
  }
  return [...found.values()]
}

/**
 * Return the ways that need nothing of `begun`, the cheapest first.
 * @param {Costs} costs @param {string} name @param {number} count @param {Set<string>} begun
 */
function openWays (costs, name, count, begun) {
  /** @param {Way} way */
  const price = (way) => costs.price(way, Math.ceil(count / way.gives))
  /** @param {Way} way */
  const needed = (way) => [...Object.keys(way.takes), ...costs.owned(way), way.station].filter(Boolean)
  const open = (costs.ways.get(name) || []).filter(
    (way) => price(way) < Infinity && !needed(way).some((each) => begun.has(each))
  )
  return open.sort((a, b) => price(a) - price(b))
}

/**
 * Return a way with the fuel that it burns.
 * @param {Costs} costs @param {string} name @param {Way} way @param {number} count @param {Set<string>} begun
 * @returns {Choice}
 */
function choiceOf (costs, name, way, count, begun) {
  return { name, way, fuel: way.kind === 'smelt' ? costs.fuel(Math.ceil(count / way.gives), begun) : '' }
}

/**
 * Return what a choice needs, with counts.
 * @param {Costs} costs @param {Choice} choice @param {number} count
 * @returns {[string, number][]}
 */
function needs (costs, { way, fuel }, count) {
  if (!way) return []
  const times = Math.ceil(count / way.gives)
  /** @type {[string, number][]} */
  const takes = Object.entries(way.takes).map(([each, many]) =>
    [each, way.kind === 'any' ? costs.has(each) + times : many * times])
  const lacking = costs.owned(way).filter((tool) => !costs.has(tool))
  const others = [fuel, ...lacking, costs.stands[way.station] ? '' : way.station].filter(Boolean)
  return [...takes, ...others.map((each) => /** @type {[string, number]} */ ([each, 1]))]
}

/**
 * Return how often each way is used for the targets, ingredients first; or the reason why one of them has no way.
 * @param {Costs} costs @param {Target[]} targets
 * @returns {string | Use[]}
 */
function demandFor (costs, targets) {
  const { stock } = costs
  /** @type {Counts} */
  const used = {} // what recipes and furnaces take, and what is put down
  /** @type {Counts} */
  const owned = {} // what must be there and stays, as goals and tools do
  /** @type {Record<string, Set<string>>} */
  const purposes = {}
  /** @param {string} name @param {number} count */
  const use = (name, count) => { used[name] = (used[name] || 0) + count }
  /** @param {string} name @param {number} count */
  const own = (name, count) => { owned[name] = Math.max(owned[name] || 0, count) }
  for (const [name, count] of targets) own(name, count)
  const uses = []
  for (const { name, way, fuel } of choices(costs, targets).reverse()) {
    const lack = (used[name] || 0) + (owned[name] || 0) - costs.has(name)
    if (lack <= 0) continue
    if (!way) return reason(costs, name)
    const times = Math.ceil(lack / way.gives)
    for (const [each, many] of Object.entries(way.takes)) {
      if (way.kind === 'any') own(each, (stock[each] || 0) + times)
      else use(each, many * times)
    }
    for (const each of costs.owned(way)) own(each, 1)
    if (way.station && !costs.stands[way.station]) used[way.station] = Math.max(used[way.station] || 0, 1)
    for (const each of [...Object.keys(way.takes), fuel, ...costs.owned(way), way.station]) {
      (purposes[each] ??= new Set()).add(name)
    }
    if (way.kind === 'smelt') {
      if (!fuel) return `nothing known burns here, to smelt ${way.from}`
      use(fuel, Math.ceil(times / burns(fuel)))
    }
    const why = purposes[name] ? `for ${[...purposes[name]].join(', ')}` : 'it is wanted'
    uses.unshift({ name, way, fuel, times, lack, why })
  }
  return uses
}

/**
 * Say why an item has no way. A way may be set aside: its own, or one to something that it needs.
 * @param {Costs} costs @param {string} name
 */
function reason (costs, name) {
  const seen = new Set([name])
  for (const each of seen) {
    for (const way of costs.ways.get(each) || []) {
      const why = costs.failures.why(way, SECONDS)
      if (why) return why
      for (const needed of [...Object.keys(way.takes), ...costs.owned(way), way.station]) if (needed) seen.add(needed)
    }
  }
  return /^eat\b/.test(name) && costs.open.isFull()
    ? 'the bot is not hungry, and nobody becomes hungry on a peaceful server'
    : `nothing known gives ${name} here`
}

module.exports = { plan }
