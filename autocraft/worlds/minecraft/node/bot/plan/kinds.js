'use strict'
/** Choose which kinds of item to get next, of those that the bot never held. */
const { isUsed } = require('../nature')
const { dangerOf, searchFor } = require('./sources')
const { LOOKED_FOR } = require('./steps')

const AHEAD = 120 // kinds of which a plan is made, to know what each needs
const GATHER = 40 // kinds to gather for at once
const COMMAND = 30 // seconds that each command costs beside its own time
const VARIANT = 0.25 // what a kind is worth of which another wood, stone or colour was held
const MATERIAL = 0.5 // and what a tool, weapon or armor is worth of which one of another material was held
const BLOCK = 0.5 // how much a block is worth of another thing, if it gives no light, and no hand uses it
const MADE = new Set(['craft', 'smelt', 'any']) // kinds of ways that need only what is carried

/** @typedef {import('./demand').Target} Target */
/** @typedef {import('./steps').Use} Use */
/** @typedef {Map<string, number>} Parts seconds, or a worth, by the thing that is needed or the walk to a station */

/**
 * Return the kinds that can be made of what the bot carries: those that take one command from here, and those that cost
 * less than all that must be gathered. If there are none, return the cheapest kinds, so that enough is gathered for all
 * of them at once.
 * @param {import('./costs').Costs} costs that know all items @param {string[]} items @param {Set<string>} held
 * @param {RegExp} variant what is left out of a name to get its family
 * @param {(targets: Target[]) => string | Use[]} demand returns what some targets need
 * @param {() => Promise<void>} pause
 * @returns {Promise<{next: Target[], soon: Counts}>} the kinds to get next, and what all kinds ahead that need an item
 *   are worth together
 */
async function newKinds (costs, items, held, variant, demand, pause) {
  /** @type {Target[]} */
  const ready = []
  /** @type {Target[]} */
  const open = []
  /** @type {Counts} */
  const soon = {}
  let gathers = false // whether a cheaper kind must be gathered
  /** What a cheaper kind takes that others need, and that cannot be made yet. @type {Counts} */
  const kept = {}
  /** Tell whether there is enough for some uses without that. @param {Use[]} uses */
  const leaves = (uses) => uses.every(({ way, times }) => Object.entries(way.takes).every(([each, count]) =>
    uses.some(({ name }) => name === each) || costs.has(each) - (kept[each] || 0) >= count * times))
  for (const { name, worth, price } of shared(costs, worths(costs, items, held, variant))) {
    await pause()
    const uses = demand([[name, 1]])
    if (typeof uses === 'string') continue
    for (const { way, tools } of uses) {
      for (const each of [...Object.keys(way.takes), ...tools, way.station]) soon[each] = (soon[each] ?? 0) + worth
    }
    const isNear = worth === 1 && uses.filter(({ way }) => way.kind !== 'any').length === 1 &&
      !costs.walk(uses[uses.length - 1].way)
    const isMade = byHand(costs, uses)
    gathers ||= !isMade
    for (const { way, times } of isMade || price >= COMMAND ? [] : uses) {
      for (const [each, count] of Object.entries(way.takes)) kept[each] = Math.max(kept[each] || 0, count * times)
    }
    if (!isMade) open.push([name, 1])
    else if ((isNear || !gathers) && leaves(uses) && byHand(costs, demand([...ready, [name, 1]]))) ready.push([name, 1])
  }
  let next = ready.length ? ready : open.slice(0, GATHER)
  while (next.length > 1 && typeof demand(next) === 'string') next = next.slice(0, next.length / 2)
  return { next: next.length ? next : [['a new kind of item', 1]], soon }
}

/**
 * Return the kinds that were never held and what each is worth, the cheapest first. The first of a family is worth 1,
 * or less if it is a mere block.
 * @param {import('./costs').Costs} costs @param {string[]} items @param {Set<string>} held @param {RegExp} variant
 * @returns {[string, number][]}
 */
function worths (costs, items, held, variant) {
  const { open: { bot: { registry }, kinds } } = costs
  /** @param {string} name */
  const family = (name) => name.replace(variant, '')
  /** @param {string} name */
  const gear = (name) => kinds.exec(name)?.[1] ?? name
  const known = new Set([...held].flatMap((name) => [family(name), gear(name)]))
  const open = items.filter((name) => !held.has(name) && costs.of(name) < Infinity)
  return open.sort((a, b) => costs.of(a) - costs.of(b)).map((name) => {
    const worth = known.has(family(name)) ? VARIANT : known.has(gear(name)) ? MATERIAL : 1
    known.add(family(name)).add(gear(name))
    const block = registry.blocksByName[name]
    return [name, block && !block.emitLight && !isUsed(name) ? BLOCK * worth : worth]
  })
}

/**
 * Share what things cost among all kinds that need them, by their worth. So what opens many kinds is cheap, as
 * redstone is, though it is far.
 * @param {import('./costs').Costs} costs @param {[string, number][]} kinds with the worth of each
 * @returns {{name: string, worth: number, price: number}[]} the kinds that are the cheapest then, with their seconds
 */
function shared (costs, kinds) {
  /** @type {Map<string, Parts>} */
  const chains = new Map()
  /** Seconds that failures add. Each kind pays all of them, so that another one is tried first. @type {Parts} */
  const late = new Map()
  /** Return what one more of an item needs beyond the stock. @param {string} name @returns {Parts} */
  const chain = (name) => {
    const known = chains.get(name)
    const price = costs.here.get(name)
    if (known || !price) return known ?? new Map()
    const { way, with: needed } = price
    const times = Math.max(1, 1 / way.gives)
    const all = new Map([...needed.flatMap((each) => [...chain(each)]), ...parts(costs, { name, way, times })])
    chains.set(name, all)
    late.set(name, costs.failures.cost(way))
    return all
  }
  /** @type {Parts} */
  const shares = new Map()
  for (const [name, worth] of kinds.filter(([, each]) => each > VARIANT)) {
    for (const each of chain(name).keys()) shares.set(each, (shares.get(each) ?? 0) + worth)
  }
  /** @param {string} name @param {number} least share */
  const priceOf = (name, least) =>
    [...chain(name)].reduce((sum, [each, seconds]) =>
      sum + (late.get(each) ?? 0) + seconds / Math.max(least, shares.get(each) ?? 0), 0)
  return kinds.map(([name, worth]) => ({ name, worth, price: priceOf(name, worth) }))
    .sort((a, b) => a.price - b.price).slice(0, AHEAD)
}

/**
 * Return the seconds of a use, and those of the walk to the table or furnace that it needs. Of what is in sight only
 * the command counts, up to the seconds for which the bot would look for it later. One of a kind of item, such as any
 * log, takes no command.
 * @param {import('./costs').Costs} costs @param {Pick<Use, 'name' | 'way' | 'times'>} use @returns {[string, number][]}
 */
function parts (costs, { name, way, times }) {
  if (way.kind === 'any') return [[name, 0]]
  const { search, effort, station, from } = way
  const saved = isSeen(way) ? searchFor(costs.open.bot, from) : 0
  const own = (search ? 2 : 1) * COMMAND + search + Math.max(0, effort * times - saved) + lost(costs, way)
  const far = costs.walk(way)
  return far ? [[name, own], [`to ${station}`, COMMAND + far]] : [[name, own]]
}

/** Tell whether the source of a way is in sight and does no harm. @param {import('./ways').Way} way */
const isSeen = ({ kind, search, from }) => !search && LOOKED_FOR.has(kind) && !dangerOf(from)

/**
 * Return the seconds to make the tools and armor again that a way uses up, as a furnace does.
 * @param {import('./costs').Costs} costs @param {import('./ways').Way} way
 */
const lost = (costs, { takes }) => Object.keys(takes)
  .filter((name) => costs.open.bot.registry.itemsByName[name]?.maxDurability)
  .reduce((sum, name) => sum + costs.again(name), 0)

/**
 * Tell whether all is made of what the bot carries, and of no tool or armor.
 * @param {import('./costs').Costs} costs @param {string | Use[]} uses
 */
const byHand = (costs, uses) =>
  typeof uses !== 'string' && uses.every(({ way }) => MADE.has(way.kind) && !lost(costs, way))

module.exports = { COMMAND, newKinds }
