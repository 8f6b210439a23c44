'use strict'
/**
 * Plan what to do next for some goals. The steps are commands, from where the bot is and what it carries. The plan
 * proves nothing and need not be the shortest. The planner does its first step and plans again.
 */
const { holdings, itemOf } = require('../words')
const { smelting } = require('../facts')
const { pausing } = require('../pausing')
const { Costs } = require('./costs')
const { demandFor } = require('./demand')
const { COMMAND, newKinds } = require('./kinds')
const { Near } = require('./near')
const { withSpare } = require('./spare')
const { Steps } = require('./steps')
const { drawn } = require('./tree')
const { PREY, needsBefore } = require('./living')
const { Ways } = require('./ways')

/**
 * @typedef {{items: [string, number][], deeds: [string, string, number][]}} Wanted one goal: items to hold, and deeds
 *   as verb, thing and how often
 * @typedef {import('./steps').Step} Step
 * @typedef {import('./steps').Use} Use
 * @typedef {import('./demand').Target} Target
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
  const holding = wanted.flat().some(isHold)
  const costs = new Costs(ways, near, Object.fromEntries(usable), failures, holding ? COMMAND : 0)
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

module.exports = { plan }
