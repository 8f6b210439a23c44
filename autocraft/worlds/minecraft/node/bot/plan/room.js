'use strict'
/** Make room in a full inventory: put things into a chest, or throw away what is cheapest to make again. */
const { NEVER, weaponOf } = require('../facts')
const { worthKeeping } = require('../nature')
const { PACE } = require('../sightings')
const { placeOf } = require('../words')
const { COMMAND } = require('./kinds')

/** @typedef {import('./steps').Step} Step */
/**
 * @typedef {{name: string, count: number, places: number, whole: boolean, loss: number}} Spare what could go, whether
 *   nothing of it stays, and what that costs
 */

const PLACES = 36 // of the inventory
const FULL = 33 // places in use, from which cheap things go
const CHEAP = 10 // seconds
const ENOUGH = 3 // places to free at once
const AGAIN = 1000 // seconds more that something is worth which will be needed
const OPENING = 10 // seconds to put things into a chest
const FAR = 64 // blocks to the farthest chest
const CHEST = 27 // places of a chest
const CHESTS = ['chest', 'barrel']

/** Return how many places of the inventory are in use. @param {Bot} bot */
const usedSlots = (bot) => bot.inventory.slots.slice(9, 45).filter(Boolean).length

/** Tell whether the inventory is so full that the planner looks for what could go. @param {Bot} bot */
const isFull = (bot) => usedSlots(bot) >= FULL

/**
 * Return steps that make room, the cheapest first. There are none while there is room, or if all is needed.
 * @param {Bot} bot @param {import('./costs').Costs} costs @param {import('./near').Near} near
 * @param {Counts} needed what stays
 * @param {Set<string> | null} soon what new kinds of item will need; null if it is not to hold new kinds. If it is,
 *   all that serves for none goes at once
 * @returns {Step[]}
 */
function room (bot, costs, near, needed, soon) {
  if (!isFull(bot)) return []
  const used = usedSlots(bot)
  const spare = spareOf(bot, costs, needed, soon)
  const why = `the inventory is nearly full (${used}/${PLACES})`
  const most = soon ? { places: PLACES, more: AGAIN / 2 } : { places: ENOUGH, more: CHEAP }
  /**
   * Return what a step costs; for each place that it frees, if each command costs more.
   * @param {{cost: number, places: number}} step
   */
  const price = ({ cost, places }) => soon ? (COMMAND + cost) / places : cost
  return [...thrown(spare, most), ...stored(bot, spare, most), ...put(bot, costs, near, needed)]
    .filter(({ cost }) => cost <= (used < PLACES && !soon ? CHEAP : Number.MAX_VALUE))
    .sort((a, b) => price(a) - price(b))
    .map(({ name, args }) => ({ name, args, why }))
}

/**
 * Return what could go, the cheapest for each place first.
 * @param {Bot} bot @param {import('./costs').Costs} costs @param {Counts} needed
 * @param {Set<string> | null} soon @returns {Spare[]}
 */
function spareOf (bot, costs, needed, soon) {
  const items = bot.inventory.items()
  const foods = items.filter(({ name }) => bot.registry.foodsByName?.[name] && !NEVER.test(name))
  const own = new Set([weaponOf(bot)?.name, foods.sort((a, b) => b.count - a.count)[0]?.name])
  /** @type {Spare[]} */
  const spare = []
  for (const name of new Set(items.map((item) => item.name))) {
    const stacks = items.filter((item) => item.name === name)
    const [{ stackSize }] = stacks
    const count = stacks.reduce((sum, item) => sum + item.count, 0)
    /** @param {number} least @param {(away: number) => number} loss */
    const offer = (least, loss) => {
      const away = count - least // below 0 where a few lie in several places
      const places = stacks.length - Math.ceil(least / stackSize)
      if (away > 0 && places > 0) spare.push({ name, count: away, places, whole: least === 0, loss: loss(away) })
    }
    const least = Math.max(needed[name] || 0, own.has(name) ? stackSize : 0)
    const enough = worthKeeping(bot.registry, name) ?? (stackSize > 1 ? 2 * stackSize : 2)
    offer(Math.max(least, enough), () => 0)
    if (least < enough) offer(least, (away) => costs.again(name, away) + (soon?.has(name) ? AGAIN : 0))
  }
  /** Tell whether a thing is worth little in any number. @param {Spare} each */
  const junk = ({ name }) => worthKeeping(bot.registry, name) !== null
  return spare.sort((a, b) => a.loss / a.places - b.loss / b.places || Number(junk(b)) - Number(junk(a)) ||
    b.places - a.places)
}

/** @typedef {{places: number, more: number}} Most places to free at once, and seconds that others may be worth more */

/**
 * Return the cheapest things that one command can throw away or put into a chest, with its arguments and what they are
 * worth; null if nothing can go. Many that go completely come before a part of one that frees fewer places.
 * @param {Spare[]} spare @param {Most} most
 */
function together (spare, most) {
  const [best] = spare
  if (!(best?.loss < Infinity)) return null
  /** Tell whether one command can take all of it with others. @param {Spare} each */
  const fits = ({ count, places, whole }) => whole && places === 1 && count <= 64
  const whole = spare.filter((each) => fits(each) && each.loss <= best.loss + most.more).slice(0, most.places)
  const some = fits(best) || whole.length > Math.max(ENOUGH, best.places) ? whole : [best]
  const name = some.map((each) => each.name).join(',')
  return {
    args: { name, count: some.length > 1 ? 64 : best.count },
    worth: some.reduce((sum, each) => sum + each.loss, 0),
    places: some.reduce((sum, each) => sum + each.places, 0)
  }
}

/** Return the step that throws away the cheapest things. @param {Spare[]} spare @param {Most} most */
function thrown (spare, most) {
  const some = together(spare, most)
  return some ? [{ name: 'toss', args: some.args, cost: some.worth, places: some.places }] : []
}

/**
 * Return the step that puts things into the nearest chest with room.
 * @param {Bot} bot @param {Spare[]} spare @param {Most} most
 */
function stored (bot, spare, most) {
  for (const { at: { x, y, z }, held, search } of chestsNear(bot)) {
    const free = CHEST - placesIn(bot, held)
    const fitting = spare.filter(({ places }) => places <= free)
    const some = together(fitting, { ...most, places: Math.min(most.places, free) })
    if (some) return [{ name: 'deposit', args: { ...some.args, x, y, z }, cost: search, places: some.places }]
  }
  return []
}

/**
 * Return the step that puts down a chest that is carried. What it costs serves for all that goes into it.
 * @param {Bot} bot @param {import('./costs').Costs} costs @param {import('./near').Near} near @param {Counts} needed
 */
function put (bot, costs, near, needed) {
  const name = CHESTS.find((each) => costs.has(each) > (needed[each] || 0))
  const [at] = near.spots()
  if (!name || !at) return []
  const { x, y, z } = at
  const cost = 2 * OPENING + costs.again(name) / ENOUGH
  return [{ name: 'place_item', args: { name, x, y, z }, cost, places: ENOUGH }]
}

/**
 * Return the chests near that the bot has opened or placed, the nearest first, with what each holds and the seconds
 * until it is open.
 * @param {Bot} bot
 */
function chestsNear (bot) {
  const here = bot.entity.position
  return [...bot.autocraft.sightings.chests]
    .flatMap(([text, known]) => {
      const at = placeOf(text)
      const held = typeof known === 'object' ? known : bot.autocraft.journal.placed(at) ? {} : null
      return held ? [{ at, held, search: OPENING + at.distanceTo(here) / PACE }] : []
    })
    .filter(({ at }) => at.distanceTo(here) <= FAR && !bot.autocraft.bounds.outside(at))
    .sort((a, b) => a.search - b.search)
}

/** Return how many places some items take. @param {Bot} bot @param {Counts} held */
const placesIn = (bot, held) => Object.entries(held)
  .reduce((sum, [name, count]) => sum + Math.ceil(count / (bot.registry.itemsByName[name]?.stackSize ?? 1)), 0)

module.exports = { chestsNear, isFull, room }
