'use strict'
/** Make room in a full inventory: put things into a chest, or throw away what is worth least. */
const { FAR } = require('../commands/near')
const { meals, once, smelting, tierOf, weaponOf } = require('../facts')
const { worthKeeping } = require('../nature')
const { PACE } = require('../sightings')
const { spots } = require('../spots')
const { holdings, placeOf } = require('../words')
const { COMMAND } = require('./kinds')

/** @typedef {import('./steps').Step} Step */
/**
 * @typedef {{name: string, count: number, places: number, whole: boolean, loss: number}} Spare what could go, whether
 *   nothing of it stays, and what that costs
 */

const PLACES = 36 // of the inventory
const FULL = 33 // places in use, from which things go
const CHEAP = 100 // seconds that a place may cost while others are free
const DEAR = 1000 // seconds that a thing may be worth which goes into a chest together with the cheapest
const SEVERAL = 6 // places to free at once by what serves for something
const STACK = 64
const STOMACH = 20 // points of food
const LEFT = 16 // blocks that are enough for a while
const TOOL = 50 // things for which the best tool of its sort serves
const OPENING = 10 // seconds to put things into a chest
const LITTER = 1 // second for each place of what is thrown away: it may be picked up again
const CHEST_PLACES = 27
const CHEST = 'chest'
const CHESTS = [CHEST, 'barrel']
const ON_THE_SPOT = new Set(['mine_block', 'craft_item', 'place_item']) // commands without a search or a walk
const AS_IT_IS = /bucket$|coal$|^(arrow|torch|crafting_table|furnace)$/ // what serves without being made into a thing

/** Return how many places of the inventory are in use. @param {Bot} bot */
const usedSlots = (bot) => bot.inventory.slots.slice(9, 45).filter(Boolean).length

/** Tell whether the inventory is so full that the planner looks for what could go. @param {Bot} bot */
const isFull = (bot) => usedSlots(bot) >= FULL

/**
 * Return steps that make room, the cheapest first; none while there is room, or if all is needed. If more places are
 * free, the cheapest must free more of them: what frees one place is full again after the next block.
 * @param {Bot} bot @param {import('./costs').Costs} costs @param {Counts} needed what stays
 * @param {Counts | null} soon what the new kinds ahead that need each thing are worth; null if it is not to hold new
 *   kinds
 * @param {Step[]} make the steps for a chest and for what is wanted, or none
 * @returns {Step[]}
 */
function room (bot, costs, needed, soon, make) {
  if (!isFull(bot)) return []
  const used = usedSlots(bot)
  const spare = spareOf(bot, costs, needed, soon ? (name) => soon[name] ?? 0 : servesIn(costs))
  const why = `the inventory is nearly full (${used}/${PLACES})`
  /** Return what a step costs for each place that it frees. @param {{cost: number, places: number}} step */
  const price = ({ cost, places }) => (COMMAND + cost) / places
  const stays = spare.filter(({ name }) => !CHESTS.includes(name))
  const dear = soon ? CHEAP : DEAR // new kinds will need it
  const all = [...thrown(spare), ...stored(bot, stays, dear), ...put(costs, needed, stays, dear),
    ...made(costs, needed, stays, dear, make, PLACES - used)].sort((a, b) => price(a) - price(b))
  const fit = all.filter(({ cost, places }) => used === PLACES || cost <= CHEAP * places)
  const isEarly = used < PLACES && fit[0]?.places < PLACES - used
  return isEarly ? [] : fit.map(({ cost, places, ...step }) => ({ ...step, why }))
}

/**
 * Return a function that tells for how many things an item serves: those that can be made with it, so that a stick is
 * worth more than a boat. The best tool of its sort, and what is used as it is, serve for TOOL things more.
 * @param {import('./costs').Costs} costs
 */
function servesIn ({ open: { bot: { registry }, kinds }, stock }) {
  /** @param {string} name */
  const sort = (name) => kinds.exec(name)?.[1] ?? name
  /** Tell whether no other tool of its sort is stronger; of two that are alike one is the best. @param {string} name */
  const isBest = (name) => Object.keys(stock).every((each) => sort(each) !== sort(name) ||
    tierOf(registry, each) < tierOf(registry, name) ||
    (tierOf(registry, each) === tierOf(registry, name) && each >= name))
  /** @param {string} name */
  const isTool = (name) => AS_IT_IS.test(name) || (Boolean(registry.itemsByName[name].maxDurability) && isBest(name))
  return (/** @type {string} */ name) => (isTool(name) ? TOOL : 0) + (uses(registry).get(name) ?? 1)
}

/** Return how many items can be made with each item, by recipes and in a furnace; itself is one of them. */
const uses = once((registry) => {
  /** @type {Map<string, Set<string>>} */
  const parts = new Map()
  /** @param {string | undefined} name @param {string} thing */
  const add = (name, thing) => { if (name) parts.set(name, (parts.get(name) ?? new Set()).add(thing)) }
  for (const [id, recipes] of Object.entries(registry.recipes)) {
    const { name } = registry.items[Number(id)]
    for (const { inShape, ingredients } of /** @type {any[]} */ (recipes)) {
      for (const part of inShape?.flat() ?? ingredients ?? []) add(registry.items[part?.id ?? part]?.name, name)
    }
  }
  for (const [from, thing] of Object.entries(smelting({ registry }))) add(from, thing)
  return new Map([...parts.keys()].map((name) => {
    const all = new Set([name])
    for (const each of all) for (const thing of parts.get(each) ?? []) all.add(thing) // which are walked too
    return [name, all.size]
  }))
})

/**
 * Return what could go, the cheapest for each place first. It costs the seconds to get it again, once for each thing
 * that it serves for; what serves for nothing costs nothing.
 * @param {Bot} bot @param {import('./costs').Costs} costs @param {Counts} needed
 * @param {(name: string) => number} serves for how many things @returns {Spare[]}
 */
function spareOf (bot, costs, needed, serves) {
  const items = bot.inventory.items()
  const own = new Set([weaponOf(bot)?.name, ...larder(bot)])
  /** How much is kept of the best of the blocks to lay in the way: with stones, earth is worth nothing. */
  const laid = Math.max(...items.filter(({ count }) => count >= LEFT)
    .map(({ name }) => worthKeeping(bot.registry, name) ?? 0), 0)
  /** @type {Spare[]} */
  const spare = []
  for (const name of new Set(items.map((item) => item.name))) {
    const stacks = items.filter((item) => item.name === name)
    const [{ stackSize }] = stacks
    const count = stacks.reduce((sum, item) => sum + item.count, 0)
    const least = Math.max(needed[name] || 0, own.has(name) ? stackSize : 0)
    const kept = laid > (worthKeeping(bot.registry, name) ?? laid) ? 0 : worthKeeping(bot.registry, name)
    const things = serves(name) || Number(costs.again(name) === Infinity) // it might be needed one day
    const enough = things ? Math.max(least, kept ?? (stackSize > 1 ? 2 * stackSize : 2)) : least
    /** @param {number} stays @param {boolean} isMissed */
    const offer = (stays, isMissed) => {
      const places = stacks.length - Math.ceil(stays / stackSize)
      const rest = count - places * stackSize // with which the place stays free for longer
      const more = kept !== null && rest >= Math.max(least, LEFT) ? count - rest : 0
      const away = Math.max(more, count - stays)
      const loss = isMissed ? (COMMAND + costs.again(name, away)) * things : 0
      // away is below 0 where a few lie in several places
      if (away > 0 && places > 0) spare.push({ name, count: away, places, whole: away === count, loss })
    }
    offer(enough, false)
    if (least < enough) offer(least, true)
  }
  /** Tell whether a thing is worth little in any number. @param {Spare} each */
  const junk = ({ name }) => worthKeeping(bot.registry, name) !== null
  return spare.sort((a, b) => a.loss / a.places - b.loss / b.places || Number(junk(b)) - Number(junk(a)) ||
    b.places - a.places)
}

/** Return the kinds of food to keep, the best first: as many as fill an empty stomach. @param {Bot} bot */
function larder (bot) {
  const counts = holdings(bot)
  /** What only the starving eat counts little. @param {string} name */
  const points = (name) => meals(bot, { [name]: counts[name] }, true) || meals(bot, { [name]: counts[name] }) / STACK
  const foods = Object.keys(counts).filter(points).sort((a, b) => points(b) - points(a))
  let rest = STOMACH
  return foods.filter((name) => {
    const stays = rest > 0
    rest -= points(name)
    return stays
  })
}

/**
 * Return the cheapest things that one command can throw away or put into a chest, with its arguments and what they are
 * worth; null if nothing can go. The command takes up to one number of each: all of what goes completely, and so many
 * of one thing of which a part stays. Many things come before a part of one that frees fewer places. What is worth
 * more than `dear`, and than twice the cheapest, stays.
 * @param {Spare[]} spare @param {number} most places @param {number} [dear] seconds
 */
function together (spare, most, dear = CHEAP) {
  const [best] = spare
  if (!(best?.loss < Infinity)) return null
  const cheap = spare.filter(({ loss }) => loss <= Math.max(dear, 2 * best.loss))
  const part = cheap.find(({ count, whole }) => !whole && count >= STACK)
  /** @type {Spare[]} */
  const all = []
  for (const each of cheap) {
    const fits = each === part || (each.whole && each.name !== part?.name && each.count <= (part?.count ?? Infinity))
    if (fits && placesOf(all) + each.places <= most) all.push(each)
  }
  const some = all.includes(best) || placesOf(all) > best.places ? all : [best]
  return {
    args: { name: some.map(({ name }) => name).join(','), count: Math.max(...some.map(({ count }) => count)) },
    worth: some.reduce((sum, { loss }) => sum + loss, 0),
    places: placesOf(some)
  }
}

/** Return how many places some things free. @param {Spare[]} some */
const placesOf = (some) => some.reduce((sum, { places }) => sum + places, 0)

/** Return the step that throws away the cheapest things: all that serves for nothing at once. @param {Spare[]} spare */
function thrown (spare) {
  const some = together(spare, Math.max(SEVERAL, placesOf(spare.filter(({ loss }) => !loss))))
  if (!some) return []
  return [{ name: 'toss', args: some.args, cost: some.worth + LITTER * some.places, places: some.places }]
}

/**
 * Return the steps that put things into a chest, for each chest with room. They cost the way there and back.
 * @param {Bot} bot @param {Spare[]} spare @param {number} dear seconds
 */
function stored (bot, spare, dear) {
  return chestsNear(bot).flatMap(({ at: { x, y, z }, held, search }) => {
    const free = CHEST_PLACES - placesIn(bot, held)
    const some = together(spare.filter(({ places }) => places <= free), free, dear)
    const cost = 2 * search - OPENING
    return some ? [{ name: 'deposit', args: { ...some.args, x, y, z }, cost, places: some.places }] : []
  })
}

/**
 * Return the step that puts down a chest that is carried, if the next command can put something into it.
 * @param {import('./costs').Costs} costs @param {Counts} needed @param {Spare[]} spare @param {number} dear seconds
 */
function put (costs, needed, spare, dear) {
  const name = CHESTS.find((each) => costs.has(each) > (needed[each] || 0))
  const some = name ? together(spare, CHEST_PLACES, dear) : null
  const { bot } = costs.open
  const feet = bot.entity.position.floored()
  const at = some ? spots(bot).find((each) => !each.equals(feet)) : null // not the place where the bot stands
  if (!name || !some || !at) return []
  const { x, y, z } = at
  const cost = OPENING + COMMAND + costs.again(name)
  return [{ name: 'place_item', args: { name, x, y, z }, cost, places: some.places }]
}

/**
 * Return the first step to a chest, if none is carried, what it is made of is near, and the places last: each step may
 * take one.
 * @param {import('./costs').Costs} costs @param {Counts} needed @param {Spare[]} spare @param {number} dear seconds
 * @param {Step[]} make @param {number} free places
 */
function made (costs, needed, spare, dear, make, free) {
  const some = together(spare, CHEST_PLACES, dear)
  const last = make.findIndex(({ name, args }) => name === 'craft_item' && args.name === CHEST)
  const isNear = make.slice(0, last + 1).every(({ name }) => ON_THE_SPOT.has(name))
  const isCarried = CHESTS.some((each) => costs.has(each) > (needed[each] || 0))
  if (!some || last < 0 || last >= free || !isNear || isCarried) return []
  return [{ ...make[0], cost: OPENING + COMMAND * (last + 2) + costs.cost(CHEST, 1), places: some.places }]
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
      const search = OPENING + at.xzDistanceTo(here) / PACE + Math.abs(at.y - here.y) // a second for a block of height
      return held ? [{ at, held, search }] : []
    })
    .filter(({ at }) => at.distanceTo(here) <= FAR && !bot.autocraft.bounds.outside(at))
    .sort((a, b) => a.search - b.search)
}

/** Return how many places some items take. @param {Bot} bot @param {Counts} held */
const placesIn = (bot, held) => Object.entries(held)
  .reduce((sum, [name, count]) => sum + Math.ceil(count / (bot.registry.itemsByName[name]?.stackSize ?? 1)), 0)

module.exports = { CHEST, chestsNear, isFull, room }
