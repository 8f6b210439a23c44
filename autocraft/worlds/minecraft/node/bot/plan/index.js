'use strict'
/**
 * Plan what to do next for some goals. The steps are commands, from where the bot is and what it carries. The plan
 * proves nothing and need not be the shortest. The planner does its first step and plans again.
 */
const { isNight } = require('../danger')
const { holdings, itemOf } = require('../words')
const { smelting } = require('../facts')
const { refusal } = require('../mode')
const { pausing } = require('../pausing')
const { Costs } = require('./costs')
const { demandFor, neededFor, needsOf } = require('./demand')
const { HERE } = require('./failures')
const { COMMAND, newKinds } = require('./kinds')
const { Near } = require('./near')
const { CHEST, isFull, room } = require('./room')
const { dangerOf } = require('./sources')
const { lasting, withSpare } = require('./spare')
const { Steps } = require('./steps')
const { drawn } = require('./tree')
const { PREY, isExposed, needsBefore } = require('./living')
const { isFit } = require('./times')
const { Ways } = require('./ways')

const UNANSWERED = 2 // crafts in a row, after which the server is taken for one that works out no recipes

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
 * @param {{goals: Wanted[], kinds: string, variant?: string, avoid: string[], others?: import('./ways').Other[]}}
 *   wanted `kinds` is a pattern whose first group is the kind of an item, `variant` one of what is left out of an
 *   item's name to get its family, `avoid` are the items that are used for nothing
 * @returns {Promise<{steps: Step[], why: string, tree: string[], needed: Counts, asks: Record<string, Counts>}>}
 *   `needed` is what the plan takes of the stock, `asks` what each other bot is asked for. Without steps and asks,
 *   `why` says why no open goal has a way; it is empty if all goals are reached
 */
async function plan (bot, { goals, kinds, variant = '', avoid, others }) {
  const { failures } = bot.autocraft
  failures.pass(bot.time.age)
  const wanted = goals.map((goal) => targetsOf(bot, goal))
  const pause = pausing()
  const avoided = new Set(avoid)
  const holding = wanted.flat().some(isHold)
  const usable = Object.entries(holding ? lasting(bot) : holdings(bot))
    .filter(([name, count]) => count && !avoided.has(name))
  const near = await Near.of(bot, pause, new Set(usable.map(([name]) => name)))
  const ways = new Ways(bot, near, Object.entries(smelting(bot)), new RegExp(`^${kinds}$`), avoided, others)
  const costs = new Costs(ways, near, Object.fromEntries(usable), failures, holding ? COMMAND : 0)
  const names = holding
    ? Object.keys(bot.registry.itemsByName)
    : [...wanted.flat().map(([name]) => name), ...isFull(bot) ? [CHEST, ...Object.keys(costs.stock)] : []]
  await costs.find(names, pause)
  /** @param {Target[]} some */
  const demand = (some) => demandFor(costs, some)
  const { held } = bot.autocraft.sightings
  const { next, soon } = holding
    ? await newKinds(costs, names, held, new RegExp(variant, 'g'), demand, pause)
    : { next: [], soon: null }
  const targets = wanted.flatMap((some) => [
    some.filter((target) => !isHold(target)),
    ...some.filter(isHold).flatMap(([, count]) => next.slice(0, count).map((target) => [target]))
  ]).filter((some) => some.length)
  const planner = new Steps(bot, near, failures, ways)
  const { uses, why } = usesFor(targets, demand)
  const { now, asks } = withoutAsked(uses)
  const inOrder = atHandFirst(near, costs.stock, now)
  const [kind] = next
  const alone = kind ? demand([kind]) : ''
  const steps = planner.of(holding
    ? withSpare(bot, costs.stock, firstOf(costs, alone, inOrder))
    : huntsFirst(bot, costs.stock, inOrder))
  const crafts = steps.some(({ name }) => name === 'craft_item')
  const refused = crafts && bot.autocraft.hands.unanswered >= UNANSWERED
    ? 'the server answers no click of the crafting grid, so nothing can be made on it'
    : steps.map(({ name }) => refusal(bot, name)).find(Boolean)
  const all = neededFor(costs, targets.flat(), uses)
  bot.autocraft.planned = holding || !steps.length ? [] : Object.keys(all)
  if (refused) return { steps: [], why: refused, tree: [], needed: all, asks: {} }
  if (steps.length) {
    const needed = kind ? neededFor(costs, [kind], alone) : all
    const chest = isFull(bot) && !holding ? demand([[CHEST, costs.has(CHEST) + 1], ...targets.flat()]) : ''
    const make = typeof chest === 'string' ? [] : new Steps(bot, near, failures, ways).of(chest)
    const space = room(bot, costs, needed, soon, make)
    /** @param {Counts} items */
    const seconds = (items) => Object.entries(items).filter(([name]) => needed[name])
      .reduce((sum, [name, count]) => sum + costs.again(name, Math.min(count, needed[name])), 0)
    const before = needsBefore(bot, steps, space, planner.direction(PREY), planner.surface, seconds)
    /** @param {Step} step */
    const failed = (step) => failures.same(step, bot.entity.position)
    const elsewhere = isNight(bot) && isExposed(bot) && before[0]?.name === 'shelter' && failed(before[0])
      ? planner.walk(2 * HERE, 'no shelter could be made here')
      : null
    const urgent = elsewhere ?? before.find((each) => !failed(each))
    if (urgent) steps.unshift(urgent)
  }
  const needed = Object.fromEntries(Object.entries(all).filter(([name]) => costs.stock[name]))
  const tree = drawn(costs, targets.flat(), uses)
  return { steps, why: steps.length || Object.keys(asks).length ? '' : why, tree, needed, asks }
}

/**
 * Return the uses that need nothing of what others are asked for, and what each is asked for.
 * @param {Use[]} uses ingredients first
 */
function withoutAsked (uses) {
  /** @type {Record<string, Counts>} */
  const asks = {}
  const awaited = new Set()
  const now = uses.filter((use) => {
    const { name, way: { kind, from }, times } = use
    if (kind === 'ask') asks[from] = { ...asks[from], [name]: (asks[from]?.[name] ?? 0) + times }
    const waits = kind === 'ask' || needsOf(use).some((each) => awaited.has(each))
    if (waits) awaited.add(name)
    return !waits
  })
  return { now, asks }
}

/**
 * Return the uses with those first that make something at a table near the bot, of what it carries beyond the
 * needs of the uses before them: else it leaves, and comes back for them.
 * @param {Near} near @param {Counts} stock @param {Use[]} uses ingredients first
 */
function atHandFirst (near, stock, uses) {
  const rest = { ...stock }
  const ready = uses.filter(({ way: { kind, station, takes }, times }) => {
    const needs = Object.entries(takes)
    const enough = needs.every(([name, count]) => (rest[name] || 0) >= count * times)
    for (const [name, count] of needs) rest[name] = (rest[name] || 0) - count * times
    return kind === 'craft' && station && enough && !near.station(station)
  })
  return [...ready, ...uses.filter((use) => !ready.includes(use))]
}

/**
 * Return the uses by night with the hunts for monsters first, if the bot is fit and has what they need: for the others
 * it would take shelter, and then wait for the next night.
 * @param {Bot} bot @param {Counts} stock @param {Use[]} uses ingredients first
 */
function huntsFirst (bot, stock, uses) {
  if (!isNight(bot) || !isExposed(bot) || !isFit(bot)) return uses
  const hunts = uses.filter(({ way: { kind, from }, tools }) =>
    kind === 'kill' && dangerOf(from) && tools.every((each) => stock[each]))
  return [...hunts, ...uses.filter((use) => !hunts.includes(use))]
}

/**
 * Return the uses with that first with which the first kind alone begins, for all kinds if the stock allows it: a hoe
 * of the diamonds that are there does not wait for those of others.
 * @param {Costs} costs @param {string | Use[]} alone the uses for the first kind @param {Use[]} uses for all
 */
function firstOf (costs, alone, uses) {
  if (typeof alone === 'string' || !alone.length) return uses
  const [{ name, way }] = alone
  /** Tell whether all is there that a use takes. @param {Use} use */
  const canBegin = (use) => Object.entries(neededFor(costs, [], [{ ...use, way: { ...use.way, station: '' } }]))
    .every(([each, count]) => costs.has(each) >= count)
  const all = uses.find((use) => use.name === name && use.way === way && canBegin(use))
  return [all ?? alone[0], ...uses.filter((use) => use !== all)]
}

/**
 * Return the uses for all targets together, or else for those that have a way; `why` says why the first other has none.
 * Targets that each have a way alone may have none together.
 * @param {Target[][]} targets @param {(some: Target[]) => string | Use[]} demand
 * @returns {{uses: Use[], why: string}}
 */
function usesFor (targets, demand) {
  const all = demand(targets.flat())
  if (typeof all !== 'string') return { uses: all, why: '' }
  const each = targets.map(demand)
  const together = demand(targets.filter((_, at) => typeof each[at] !== 'string').flat())
  const uses = [together, ...each].find((one) => typeof one !== 'string')
  return { uses: /** @type {Use[]} */ (uses ?? []), why: String(each.find((one) => typeof one === 'string') ?? '') }
}

/** Tell whether a target is to hold so many kinds of item. @param {Target} target */
const isHold = ([name]) => name === 'hold'

/** @param {Bot} bot @param {Wanted} goal @returns {Target[]} */
function targetsOf (bot, { items, deeds }) {
  return [
    ...items.map(([name, count]) => /** @type {Target} */ ([name[0] === '#' ? name : itemOf(bot, name).name, count])),
    ...deeds.map(([verb, thing, count]) => /** @type {Target} */ ([verb === 'hold' ? verb : `${verb} ${thing}`, count]))
  ]
}

module.exports = { plan }
