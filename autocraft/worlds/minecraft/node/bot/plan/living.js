'use strict'
/** Put what keeps the bot alive before the next step: shelter, its grave, food; and room in the inventory. */
const { DAY, isNight, monsters, solid, nameAt } = require('../danger')
const { HEALS, LAST, carriesFood, hostileOf, meals, weaponOf, weapons } = require('../facts')
const { dimensionOf, mobsByDrop, worthKeeping } = require('../nature')
const { closedIn } = require('../shelter')
const { HUNT, LOOK, entityNear, nearest, targets } = require('../commands/near')
const { PACE, isInTime } = require('../sightings')
const { blockOf, holdings } = require('../words')
const { isHere } = require('./sources')
const { DEEP } = require('./steps')
const { isFit, secondsUntil } = require('./times')

const { Vec3 } = require('../../shared/need')('vec3')

/** @typedef {import('./steps').Step} Step */

const ROOF = 4 // blocks above that keep monsters of the night away
const OUTSIDE = 16 // blocks beside the bot from which on a way up leads over open land
const BESIDE = 8 // blocks to a monster for which a weak bot does not open its shelter, unless waiting did not help
const DUSK = 13000
const WEAK = 8
const PECKISH = 14
const HUNGRY = 8
const STARVING = 1
const FAR = 96 // blocks; a grave farther away is fetched only if its items are worth the way
const DEADLY = { near: 24, deaths: 2, ticks: 12000 } // so many deaths in so many ticks: not gone to again
const MEAT = ['cow', 'pig', 'sheep', 'rabbit', 'chicken']
const PREY = MEAT[0] // what is looked for where no animal is in sight
const APART = 12 // blocks between an animal that is hunted for food and any monster
const FLOCK = 4 // animals that one step kills for food at most
const MEAL = 4 // points of food that a fight with a monster costs
const PROVISIONS = 16 // points of food to take along at most
const HUNTS = 3 // searches for animals in vain within a day, after which the bot goes on as it is
const FAR_OFF = new Set(['explore_until', 'goto_block', 'goto'])
const UNDER_A_ROOF = new Set(['craft_item', 'equip', 'eat', 'toss', 'deposit', 'withdraw'])

/**
 * Steps that go before those of a plan, the most pressing first; the planner takes the first that has not just failed.
 * @param {Bot} bot @param {Step[]} steps @param {Step[]} room steps that make room
 * @param {string} direction in which to look for animals
 * @param {() => number} ground its height around the bot
 * @param {(items: Counts) => number} again seconds to get again what the plan needs of some items
 */
function needsBefore (bot, steps, room, direction, ground, again) {
  const [step] = steps
  return [shelter(bot, steps), grave(bot, again), ...room, food(bot, steps, direction, ground), dusk(bot, step)]
    .filter((each) => each !== null)
}

/** Return the step that brings the bot to safety before others, or null. @param {Bot} bot @param {Step[]} steps */
function shelter (bot, steps) {
  if (bot.game.difficulty === 'peaceful') return null
  const hurt = bot.health <= WEAK && bot.food >= HEALS
  const hunted = bot.health <= WEAK && monsters(bot, closedIn(bot) ? BESIDE : 16).length > 0
  const dark = isNight(bot) && (isExposed(bot) ? !safeAtNight(bot, steps) : leadsOut(bot, steps[0]))
  if (!hurt && !hunted && !dark) return null
  return { name: 'shelter', args: {}, why: dark ? 'it is night' : `health is ${Math.round(bot.health)}` }
}

/** Tell whether a step leads a bot that is under a roof to the open sky. @param {Bot} bot @param {Step} step */
function leadsOut (bot, { name, args }) {
  if (name === 'mine_block') {
    const [block] = targets(bot, [blockOf(bot, args.name).id], LOOK, 1)
    return block !== undefined && isExposed(bot, block)
  }
  if (name === 'kill_mob' && !hostileOf(bot).has(args.name)) {
    const animal = entityNear(bot, HUNT, (each) => each.name === args.name)
    return animal !== null && isExposed(bot, animal.position)
  }
  const { x, y, z } = args
  const to = name === 'goto' ? new Vec3(x, y, z) : name === 'goto_block' ? bot.autocraft.places.near(args.name) : null
  const { position } = bot.entity
  return to !== null && to.y > position.y + ROOF && (isExposed(bot, to) || to.xzDistanceTo(position) > OUTSIDE)
}

/** Tell whether only few blocks lie between a place and the open sky. @param {Bot} bot @param {Vec3} [place] */
function isExposed (bot, place = bot.entity.position) {
  const feet = place.floored()
  let above = 0
  for (let up = 2; up <= 48 && above < ROOF; up++) {
    const at = feet.offset(0, up, 0)
    if (solid(bot, at) && !/leaves/.test(nameAt(bot, at))) above++
  }
  return above < ROOF
}

/** Tell whether the bot can do the first of some steps by night. @param {Bot} bot @param {Step[]} steps */
function safeAtNight (bot, [step, next = step]) {
  const { name, args, station } = step
  const hidden = closedIn(bot) && (!station || nearest(bot, [station, `lit_${station}`]) !== null)
  if (name === 'smelt_item') return hidden // it takes long
  if (UNDER_A_ROOF.has(name)) return hidden || !monsters(bot, 24).length
  if (name === 'place_item' || name === 'sleep') return !monsters(bot, 24).length
  if (name === 'goto' && args.y < bot.entity.position.y - DEEP) return true
  const hunted = prey(name === 'goto' ? next : step)
  const armed = weapons(bot.registry).includes(weaponOf(bot)?.name ?? '')
  return hostileOf(bot).has(hunted) && isFit(bot) && armed
}

/** Return the mob that a step is about, or ''. @param {Step} step @returns {string} */
function prey ({ name, args }) {
  return (name === 'explore_until' ? args.entity : name === 'kill_mob' ? args.name : '') ?? ''
}

/**
 * Fetch the items of a death while they lie there, unless the bot died there twice. From far away they must be worth
 * the way there and back.
 * @param {Bot} bot @param {(items: Counts) => number} again @returns {Step | null}
 */
function grave (bot, again) {
  const { grave: at, deaths } = bot.autocraft.sightings
  if (!at || !isInTime(bot, at) || (isNight(bot) && isExposed(bot))) return null
  const place = new Vec3(at.x, at.y, at.z)
  const [name] = Object.keys(at.items).sort((a, b) => worth(bot, b) - worth(bot, a))
  const far = place.distanceTo(bot.entity.position)
  if (!name || (far > FAR && again(at.items) < 2 * far / PACE)) return null
  const many = deaths.filter((each) =>
    bot.time.age - each.age < DEADLY.ticks && place.distanceTo(new Vec3(each.x, each.y, each.z)) < DEADLY.near)
  if (many.length >= DEADLY.deaths) return null
  return { name: 'collect', args: { name }, why: `it fell where the bot died, at (${at.x}, ${at.y}, ${at.z})` }
}

/** Return how much an item is worth fetching. @param {Bot} bot @param {string} name */
function worth (bot, name) {
  const order = [/diamond/, /iron|gold/, /_(pickaxe|sword|axe|shovel)$/, /./].findIndex((names) => names.test(name))
  return worthKeeping(bot.registry, name) === 0 ? 0 : 4 - order
}

/**
 * Hunt before hunger costs health, earlier before a long way, and if hunger keeps wounds from healing. Leave an animal
 * alone that is beside a monster: a weak bot went back to the same creeper again and again. Then look for a kind that
 * is not in sight, since a search for a kind in sight ends at once. The bot looks for animals only when it has nothing
 * to do at hand, and never in the Nether. Before it fights several monsters it gets food to take along, with which
 * wounds heal between them.
 * @param {Bot} bot @param {Step[]} steps @param {string} direction
 * @param {() => number} ground its height around the bot @returns {Step | null}
 */
function food (bot, steps, direction, ground) {
  const [step, next = step] = steps
  const far = FAR_OFF.has(step.name)
  const fights = hostileOf(bot).has(prey(step.name === 'wait' ? next : step))
  const weak = bot.food < HEALS && (bot.health <= WEAK || (fights && !isFit(bot)))
  const carried = meals(bot, holdings(bot), true)
  const provisions = fights ? provisionsFor(steps) : 0
  const wants = carried < provisions || (bot.food <= (weak ? HEALS : far ? PECKISH : HUNGRY) &&
    (weak || !carriesFood(bot)))
  if (isNight(bot) || !wants) return null
  const enemies = monsters(bot, HUNT)
  const meat = MEAT.filter((name) => !LAST.test(name) || !holdings(bot)[name]) // it is eaten only by who starves
  /** @param {Entity} each */
  const fits = (each) => meat.includes(each.name || '') && !bot.autocraft.bounds.spare(each) &&
    !enemies.some((enemy) => enemy.position.distanceTo(each.position) < APART)
  const animal = entityNear(bot, HUNT, fits)
  if (animal) {
    const lack = 20 - bot.food + (weak ? 20 - bot.health : 0) + provisions - carried
    const flock = Object.values(bot.entities).filter((each) => each.name === animal.name && fits(each) &&
      each.position.distanceTo(bot.entity.position) <= HUNT)
    const count = Math.min(flock.length, FLOCK, Math.ceil(lack / Math.max(1, meatOf(bot, animal.name ?? ''))))
    const args = { name: animal.name, seconds: 120, count: Math.max(1, count) }
    return { name: 'kill_mob', args, why: `food is ${bot.food}` }
  }
  const hungry = bot.food <= (far ? HUNGRY / 2 : STARVING) || (fights && bot.health <= WEAK)
  const most = far && bot.health <= WEAK ? 2 * HUNTS : HUNTS // a weak bot looks for a meal rather than for work
  const looks = weak || (far && bot.food <= HUNGRY) || (step.name === 'wait' && carried < provisions)
  const searches = MEAT.flatMap((name) => bot.autocraft.failures.searches(name, DAY))
  const entity = MEAT.find((name) => !entityNear(bot, HUNT, (each) => each.name === name))
  if (!entity || !isHere(bot, PREY) || !(hungry || (looks && searches.length < most))) return null
  const { x, y, z } = bot.entity.position.floored()
  const up = ground()
  const below = (!isExposed(bot) || y < up - DEEP) && !bot.autocraft.failures.climbed(up, bot.entity.position)
  return below
    ? { name: 'goto', args: { x, y: up, z }, why: `food is ${bot.food}, and no animal is below the ground` }
    : { name: 'explore_until', args: { direction, seconds: 60, entity }, why: `food is ${bot.food}` }
}

/** Return the points of food to carry when the fights of a plan begin. @param {Step[]} steps */
function provisionsFor (steps) {
  const [fight] = steps.filter(({ name }) => name === 'kill_mob')
  return Math.min(PROVISIONS, MEAL * ((fight?.gains ?? 1) - 1))
}

/** Return the points of food that an animal gives. @param {Bot} bot @param {string} animal */
const meatOf = (bot, animal) => [...mobsByDrop(bot.registry)].reduce((sum, [item, mobs]) =>
  sum + meals(bot, { [item]: mobs.find(([mob]) => mob === animal)?.[1] ?? 0 }, true), 0)

/** Wait for the night rather than look for monsters by day. @param {Bot} bot @param {Step} step */
function dusk (bot, { name, args }) {
  if (name !== 'explore_until' || !hostileOf(bot).has(args.entity) || isNight(bot) || !isExposed(bot)) return null
  if (dimensionOf(args.entity) !== 'overworld') return null
  const seconds = Math.max(1, secondsUntil(bot, DUSK))
  return { name: 'wait', args: { seconds }, why: `${args.entity} comes out at night` }
}

module.exports = { PREY, food, isExposed, needsBefore, shelter }
