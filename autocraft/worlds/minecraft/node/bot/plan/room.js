'use strict'
/** Make room in a full inventory: put things into a chest, or throw away what is worth least. */
const { once, smelting, tierOf, weaponOf, NEVER } = require('../facts')
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
const CHEAP = 100 // seconds; what is worth so much more than the cheapest goes with it
const SEVERAL = 9 // places to free at once
const HALF = 18 // places to free at once where nothing is lost
const ALONE = 6 // places for which things that are worth nothing go alone
const STACK = 64
const LEFT = 16 // blocks that are enough for a while
const TOOL = 20 // things for which the best tool of its sort serves
const AGAIN = 1000 // seconds more that something is worth which will be needed
const OPENING = 10 // seconds to put things into a chest
const FAR = 64 // blocks to the farthest chest
const RISE = 1 // blocks that the bot goes up or down in a second
const CHEST = 27 // places of a chest
const SHARE = 3 // places that are worth putting down a chest
const CHESTS = ['chest', 'barrel']
const USED = /bucket$|coal$|^(arrow|torch|crafting_table|furnace)$/

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
  const worth = soon
    ? (/** @type {string} */ name, /** @type {number} */ away) => costs.again(name, away) + (soon.has(name) ? AGAIN : 0)
    : worthOf(costs)
  const spare = spareOf(bot, worth, needed)
  const idle = placesOf(spare.filter(({ loss }) => !loss))
  const why = `the inventory is nearly full (${used}/${PLACES})`
  const many = spare[0]?.loss < AGAIN ? PLACES : SHARE * 2
  const most = soon
    ? { places: many, more: AGAIN / 2 }
    : { places: SEVERAL, more: idle >= ALONE ? 0 : Math.max(CHEAP, spare[0]?.loss ?? 0) }
  /** Return what a step costs for each place that it frees. @param {{cost: number, places: number}} step */
  const price = ({ cost, places }) => (COMMAND + cost) / places
  const [dear, store] = soon ? [spare, most] : [spare.filter(({ loss }) => loss), { places: HALF, more: AGAIN }]
  const kept = dear.filter(({ name }) => !CHESTS.includes(name))
  const inside = together(kept, store)
  return [...thrown(spare, most), ...stored(bot, kept, store), ...put(bot, costs, near, needed, inside)]
    .filter(({ cost, places }) => cost <= (used < PLACES && !soon ? CHEAP * places : Number.MAX_VALUE))
    .sort((a, b) => price(a) - price(b))
    .map(({ name, args }) => ({ name, args, why }))
}

/**
 * Return a function that tells what so many of an item are worth: the seconds to get them again, once for each thing
 * that can be made with it. So a stick is worth more than a boat. The best tool of its sort, and what is used without
 * being made into something, count as if TOOL things were made with them.
 * @param {import('./costs').Costs} costs
 */
function worthOf (costs) {
  const { open: { bot: { registry }, kinds }, stock } = costs
  /** @param {string} name */
  const sort = (name) => kinds.exec(name)?.[1] ?? name
  /** Tell whether no other tool of its sort is stronger; of two that are alike one is the best. @param {string} name */
  const isBest = (name) => Object.keys(stock).every((each) => sort(each) !== sort(name) ||
    tierOf(registry, each) < tierOf(registry, name) ||
    (tierOf(registry, each) === tierOf(registry, name) && each >= name))
  /** @param {string} name */
  const isTool = (name) => USED.test(name) || (Boolean(registry.itemsByName[name].maxDurability) && isBest(name))
  return (/** @type {string} */ name, /** @type {number} */ away) =>
    (COMMAND + costs.again(name, away)) * ((isTool(name) ? TOOL : 0) + made(registry, name).size)
}

/**
 * Return the items that can be made with an item, by recipes and in a furnace, and itself.
 * @param {Registry} registry @param {string} name
 */
function made (registry, name) {
  const all = new Set([name])
  for (const each of all) for (const thing of parts(registry).get(each) ?? []) all.add(thing) // which are walked too
  return all
}

/** Return the items of which each item is a part. */
const parts = once((registry) => {
  /** @type {Map<string, Set<string>>} */
  const found = new Map()
  /** @param {string | undefined} name @param {string} thing */
  const add = (name, thing) => { if (name) found.set(name, (found.get(name) ?? new Set()).add(thing)) }
  for (const [id, recipes] of Object.entries(registry.recipes)) {
    const { name } = registry.items[Number(id)]
    for (const { inShape, ingredients } of /** @type {any[]} */ (recipes)) {
      for (const part of inShape?.flat() ?? ingredients ?? []) add(registry.items[part?.id ?? part]?.name, name)
    }
  }
  for (const [from, thing] of Object.entries(smelting({ registry }))) add(from, thing)
  return found
})

/**
 * Return what could go, the cheapest for each place first.
 * @param {Bot} bot @param {(name: string, away: number) => number} worth @param {Counts} needed @returns {Spare[]}
 */
function spareOf (bot, worth, needed) {
  const items = bot.inventory.items()
  const foods = items.filter(({ name }) => bot.registry.foodsByName?.[name] && !NEVER.test(name))
  const own = new Set([weaponOf(bot)?.name, foods.sort((a, b) => b.count - a.count)[0]?.name])
  /** @type {Spare[]} */
  const spare = []
  for (const name of new Set(items.map((item) => item.name))) {
    const stacks = items.filter((item) => item.name === name)
    const [{ stackSize }] = stacks
    const count = stacks.reduce((sum, item) => sum + item.count, 0)
    const least = Math.max(needed[name] || 0, own.has(name) ? stackSize : 0)
    const kept = worthKeeping(bot.registry, name)
    const enough = Math.max(least, kept ?? (stackSize > 1 ? 2 * stackSize : 2))
    /** @param {number} stays @param {(away: number) => number} loss */
    const offer = (stays, loss) => {
      const places = stacks.length - Math.ceil(stays / stackSize)
      const rest = count - places * stackSize // with which the place stays free for longer
      const more = kept !== null && rest >= Math.max(least, LEFT) ? count - rest : 0
      const away = Math.max(more, count - stays)
      // away is below 0 where a few lie in several places
      if (away > 0 && places > 0) spare.push({ name, count: away, places, whole: away === count, loss: loss(away) })
    }
    offer(enough, () => 0)
    if (least < enough) offer(least, (away) => worth(name, away))
  }
  /** Tell whether a thing is worth little in any number. @param {Spare} each */
  const junk = ({ name }) => worthKeeping(bot.registry, name) !== null
  return spare.sort((a, b) => a.loss / a.places - b.loss / b.places || Number(junk(b)) - Number(junk(a)) ||
    b.places - a.places)
}

/** @typedef {{places: number, more: number}} Most places to free at once, and seconds that others may be worth more */

/**
 * Return the cheapest things that one command can throw away or put into a chest, with its arguments and what they are
 * worth; null if nothing can go. The command takes up to one number of each: all of what goes completely, and so many
 * of one thing of which a part stays. Many things come before a part of one that frees fewer places.
 * @param {Spare[]} spare @param {Most} most
 */
function together (spare, most) {
  const [best] = spare
  if (!(best?.loss < Infinity)) return null
  const cheap = spare.filter(({ loss }) => loss <= best.loss + most.more)
  const part = cheap.find(({ count, whole }) => !whole && count >= STACK)
  const count = part?.count ?? STACK
  /** @type {Spare[]} */
  const all = []
  for (const each of cheap) {
    const fits = each === part || (each.whole && each.count <= count && each.name !== part?.name)
    if (fits && placesOf(all) + each.places <= most.places) all.push(each)
  }
  const some = all.includes(best) || placesOf(all) > best.places ? all : [best]
  return {
    args: { name: some.map((each) => each.name).join(','), count: some.length > 1 ? count : some[0].count },
    worth: some.reduce((sum, each) => sum + each.loss, 0),
    places: placesOf(some)
  }
}

/** Return how many places some things free. @param {Spare[]} some */
const placesOf = (some) => some.reduce((sum, each) => sum + each.places, 0)

/** Return the step that throws away the cheapest things. @param {Spare[]} spare @param {Most} most */
function thrown (spare, most) {
  const some = together(spare, most)
  return some ? [{ name: 'toss', args: some.args, cost: some.worth, places: some.places }] : []
}

/**
 * Return the steps that put things into a chest, for each chest with room.
 * @param {Bot} bot @param {Spare[]} spare @param {Most} most
 */
function stored (bot, spare, most) {
  return chestsNear(bot).flatMap(({ at: { x, y, z }, held, search }) => {
    const free = CHEST - placesIn(bot, held)
    const fitting = spare.filter(({ places }) => places <= free)
    const some = together(fitting, { ...most, places: Math.min(most.places, free) })
    return some ? [{ name: 'deposit', args: { ...some.args, x, y, z }, cost: search, places: some.places }] : []
  })
}

/**
 * Return the step that puts down a chest that is carried, if something is to go into it. What it costs serves for all.
 * @param {Bot} bot @param {import('./costs').Costs} costs @param {import('./near').Near} near @param {Counts} needed
 * @param {ReturnType<typeof together>} some what goes into it
 */
function put (bot, costs, near, needed, some) {
  const name = CHESTS.find((each) => costs.has(each) > (needed[each] || 0))
  const at = near.spots().find((each) => !each.equals(near.bot.entity.position.floored())) // the bot stands there
  if (!name || !at || !some) return []
  const { x, y, z } = at
  const cost = 2 * OPENING + costs.again(name) / SHARE
  return [{ name: 'place_item', args: { name, x, y, z }, cost, places: Math.min(SHARE, some.places) }]
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
      const search = OPENING + at.xzDistanceTo(here) / PACE + Math.abs(at.y - here.y) / RISE
      return held ? [{ at, held, search }] : []
    })
    .filter(({ at }) => at.distanceTo(here) <= FAR && !bot.autocraft.bounds.outside(at))
    .sort((a, b) => a.search - b.search)
}

/** Return how many places some items take. @param {Bot} bot @param {Counts} held */
const placesIn = (bot, held) => Object.entries(held)
  .reduce((sum, [name, count]) => sum + Math.ceil(count / (bot.registry.itemsByName[name]?.stackSize ?? 1)), 0)

module.exports = { chestsNear, isFull, room }
