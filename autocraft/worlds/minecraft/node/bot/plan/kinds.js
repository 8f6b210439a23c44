'use strict'
/** Choose which kinds of item to get next, of those that the bot never held. */
const { dangerOf, searchFor } = require('./sources')
const { LOOKED_FOR } = require('./steps')

const AHEAD = 120 // kinds of which a plan is made, to know what each needs
const GATHER = 40 // kinds to gather for at once
const COMMAND = 30 // seconds that each command costs beside its own time
const VARIANT = 0.25 // what a kind is worth of which another wood, stone or colour was held
const MATERIAL = 0.5 // and what a tool, weapon or armor is worth of which one of another material was held
const BY_HAND = new Set(['craft', 'smelt', 'any'])

/** @typedef {import('./demand').Target} Target */
/** @typedef {import('./steps').Use} Use */
/** @typedef {{name: string, worth: number, uses: Use[], price: number}} Kind */
/** @typedef {Map<string, number>} Parts seconds, or a worth, by the thing that is needed or the walk to a station */

/**
 * Return the kinds that can be made of what the bot carries, but for those that are dearer than the next thing to
 * gather and are variants or need a walk. If there are none, return the cheapest kinds, so that enough is gathered for
 * all of them at once.
 * @param {import('./costs').Costs} costs that know all items @param {string[]} items @param {Set<string>} held
 * @param {RegExp} variant what is left out of a name to get its family
 * @param {(targets: Target[]) => string | Use[]} demand returns what some targets need
 * @param {() => Promise<void>} pause
 * @returns {Promise<{next: Target[], soon: string[]}>} the kinds to get next, and the items that these and the kinds
 *   after them need
 */
async function newKinds (costs, items, held, variant, demand, pause) {
  const { shares, ahead } = shared(costs, worths(costs, items, held, variant))
  /** @type {Kind[]} */
  const kinds = []
  for (const [name, worth] of ahead) {
    const uses = demand([[name, 1]])
    if (typeof uses !== 'string') {
      const price = priceOf(new Map(uses.flatMap((use) => parts(costs, use))), shares, worth)
      kinds.push({ name, worth, uses, price })
    }
    await pause()
  }
  /** Tell whether a kind is new and costs a command from here. @param {Kind} kind */
  const isNear = ({ worth, uses, price }) => worth > VARIANT && price <= COMMAND &&
    uses.every(({ way }) => !way.search && !costs.walk(way))
  kinds.sort((a, b) => Number(isNear(b)) - Number(isNear(a)) || a.price - b.price)
  /** @type {Target[]} */
  const ready = []
  const gathered = kinds.findIndex(({ uses }) => !byHand(costs, uses))
  /** What a cheaper kind takes that others need, and that cannot be made yet. @type {Counts} */
  const kept = {}
  /** Tell whether there is enough for some uses without that. @param {Use[]} uses */
  const leaves = (uses) => uses.every(({ way, times }) => Object.entries(way.takes).every(([each, count]) =>
    uses.some(({ name }) => name === each) || costs.has(each) - (kept[each] || 0) >= count * times))
  for (const [place, { name, worth, uses, price }] of kinds.entries()) {
    if (price < COMMAND && !byHand(costs, uses)) {
      for (const { way, times } of uses) {
        for (const [each, count] of Object.entries(way.takes)) kept[each] = Math.max(kept[each] || 0, count * times)
      }
    }
    const isHere = worth === 1 && !uses.some(({ way }) => costs.walk(way))
    const first = byHand(costs, uses) && (isHere || gathered < 0 || place < gathered)
    if (first && leaves(uses) && byHand(costs, demand([...ready, [name, 1]]))) ready.push([name, 1])
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
  /** @param {string} name */
  const gear = (name) => costs.open.kinds.exec(name)?.[1] ?? name
  const known = new Set([...held].flatMap((name) => [family(name), gear(name)]))
  const open = items.filter((name) => !held.has(name) && costs.of(name) < Infinity)
  return open.sort((a, b) => costs.of(a) - costs.of(b)).map((name) => {
    const worth = known.has(family(name)) ? VARIANT : known.has(gear(name)) ? MATERIAL : 1
    known.add(family(name)).add(gear(name))
    return [name, worth]
  })
}

/**
 * Share what things cost among all kinds that need them, by their worth. So what opens many kinds is cheap, as
 * redstone is, though it is far.
 * @param {import('./costs').Costs} costs @param {[string, number][]} kinds with the worth of each
 * @returns {{shares: Parts, ahead: [string, number][]}} the worth of all kinds that need a thing, and the kinds that
 *   are the cheapest then
 */
function shared (costs, kinds) {
  /** @type {Map<string, Parts>} */
  const chains = new Map()
  /** Return what one more of an item needs beyond the stock. @param {string} name @returns {Parts} */
  const chain = (name) => {
    const known = chains.get(name)
    const price = costs.here.get(name)
    if (known || !price) return known ?? new Map()
    const { way, with: needed } = price
    const times = Math.max(1, 1 / way.gives)
    const all = new Map([...needed.flatMap((each) => [...chain(each)]), ...parts(costs, { name, way, times })])
    chains.set(name, all)
    return all
  }
  /** @type {Parts} */
  const shares = new Map()
  for (const [name, worth] of kinds.filter(([, each]) => each > VARIANT)) {
    for (const each of chain(name).keys()) shares.set(each, (shares.get(each) ?? 0) + worth)
  }
  const priced = kinds.map((kind) => ({ kind, price: priceOf(chain(kind[0]), shares, kind[1]) }))
  const ahead = priced.sort((a, b) => a.price - b.price).slice(0, AHEAD)
  return { shares, ahead: ahead.map(({ kind }) => kind) }
}

/** @param {Parts} all @param {Parts} shares @param {number} least share @returns {number} seconds */
const priceOf = (all, shares, least) =>
  [...all].reduce((sum, [name, each]) => sum + each / Math.max(least, shares.get(name) ?? 0), 0)

/**
 * Return the seconds of a use, and those of the walk to the table or furnace that it needs. Of what is in sight only
 * the command counts, up to the seconds for which the bot would look for it later. One of a kind of item, such as any
 * log, takes no command.
 * @param {import('./costs').Costs} costs @param {Pick<Use, 'name' | 'way' | 'times'>} use @returns {[string, number][]}
 */
function parts (costs, { name, way, times }) {
  if (way.kind === 'any') return [[name, 0]]
  const { search, effort, station, kind, from } = way
  const isSeen = !search && LOOKED_FOR.has(kind) && !dangerOf(from)
  const saved = isSeen ? searchFor(costs.open.bot, from) : 0
  const own = (search ? 2 : 1) * COMMAND + search + Math.max(0, effort * times - saved) + costs.failures.cost(way) +
    lost(costs, way)
  const far = costs.walk(way)
  return far ? [[name, own], [`to ${station}`, COMMAND + far]] : [[name, own]]
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
