'use strict'
/** Choose which kinds of item to get next, of those that the bot never held. */

const AHEAD = 160 // kinds that share what they need
const GATHER = 40 // kinds to gather for at once
const COMMAND = 30 // seconds that each command costs beside its own time
const VARIANT = 0.25 // what a kind is worth of which another wood, stone or colour was held
const BY_HAND = new Set(['craft', 'smelt', 'any'])

/** @typedef {import('./demand').Target} Target */
/** @typedef {import('./steps').Use} Use */
/** @typedef {{name: string, worth: number, uses: Use[], price: number}} Kind */

/**
 * Return the kinds that can be made of what the bot carries, but for variants that are dearer than the next thing to
 * gather. If there are none, return the cheapest kinds, so that enough is gathered for all of them at once.
 * @param {import('./costs').Costs} costs that know all items @param {string[]} items @param {Set<string>} held
 * @param {RegExp} variant what is left out of a name to get its family
 * @param {(targets: Target[]) => string | Use[]} demand returns what some targets need
 * @param {() => Promise<void>} pause
 * @returns {Promise<{next: Target[], soon: string[]}>} the kinds to get next, and the items that these and the kinds
 *   after them need
 */
async function newKinds (costs, items, held, variant, demand, pause) {
  /** @type {Kind[]} */
  const kinds = []
  for (const [name, worth] of worths(costs, items, held, variant)) {
    const uses = demand([[name, 1]])
    if (typeof uses !== 'string') kinds.push({ name, worth, uses, price: 0 })
    await pause()
  }
  share(costs, kinds)
  kinds.sort((a, b) => a.price - b.price)
  /** @type {Target[]} */
  const ready = []
  const most = kinds.find(({ uses }) => !byHand(costs, uses))?.price ?? Infinity
  for (const { name, worth, uses, price } of kinds) {
    const first = byHand(costs, uses) && (worth === 1 || price <= most)
    if (first && byHand(costs, demand([...ready, [name, 1]]))) ready.push([name, 1])
  }
  const soon = kinds.flatMap(({ uses }) => uses.flatMap(({ way, tools }) => [...Object.keys(way.takes), ...tools]))
  /** @type {Target[]} */
  let next = ready.length ? ready : kinds.slice(0, GATHER).map(({ name }) => [name, 1])
  while (next.length > 1 && typeof demand(next) === 'string') next = next.slice(0, next.length / 2)
  return { next: next.length ? next : [['a new kind of item', 1]], soon }
}

/**
 * Return the kinds that were never held and what each is worth, the cheapest first. The first of a family is worth 1.
 * @param {import('./costs').Costs} costs @param {string[]} items @param {Set<string>} held @param {RegExp} variant
 * @returns {[string, number][]}
 */
function worths (costs, items, held, variant) {
  /** @param {string} name */
  const family = (name) => name.replace(variant, '')
  const known = new Set([...held].map(family))
  const open = items.filter((name) => !held.has(name) && costs.of(name) < Infinity)
  const kinds = open.sort((a, b) => costs.of(a) - costs.of(b)).map((name) => {
    const worth = known.has(family(name)) ? VARIANT : 1
    known.add(family(name))
    return /** @type {[string, number]} */ ([name, worth])
  })
  /** @param {[string, number]} kind */
  const price = ([name, worth]) => costs.of(name) / worth
  return kinds.sort((a, b) => price(a) - price(b)).slice(0, AHEAD)
}

/**
 * Price kinds: those that need the same thing share what it costs, by their worth. So what opens many kinds is cheap.
 * @param {import('./costs').Costs} costs @param {Kind[]} kinds
 */
function share (costs, kinds) {
  /** @type {Counts} */
  const worth = {}
  for (const kind of kinds) for (const { name } of kind.uses) worth[name] = (worth[name] || 0) + kind.worth
  for (const kind of kinds) {
    kind.price = kind.uses.reduce((sum, { name, way, times }) =>
      sum + (COMMAND + way.search + way.effort * times + costs.failures.cost(way) + lost(costs, way)) / worth[name], 0)
  }
}

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
  typeof uses !== 'string' && uses.every(({ way }) => BY_HAND.has(way.kind) && !lost(costs, way))

module.exports = { COMMAND, newKinds }
