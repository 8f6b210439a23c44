'use strict'
/** Give items to players, guard a place or a player, and remember places by names. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { fledOften, monsters, solid } = require('../danger')
const { EYES, isOpen } = require('../sight')
const { place, requireItem } = require('../words')
const { kill_mob } = require('./fight')
const { droppedItem, pickUp } = require('./gather')
const { FAR, GoalWithin, entityNear, sparing, stepAside } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const HANDED = 100 // ticks in which a player picks up what it was given
const THROWS = 3 // how often the bot throws what was not picked up
const WAYS = 5 // how often it walks to a player who walks on
const BESIDE = 4 // blocks within which what is thrown reaches a player
const PAST = 2 // blocks within which it flies past the player
const HAND = 1.3 // height above the feet from which it flies
const UNCHANGED = { canDig: false, scafoldingBlocks: [] } // the rules of a walk that changes no block
const ASIDE = 3 // blocks that the bot goes away from a player, so that others can throw something there
const APART = 8 // blocks within which another player may pick up what is thrown, or throw something too
const STANDS = 0.3 // blocks that a player moves in five ticks at most who stands still
const AROUND = 12 // blocks around what is guarded in which a monster is fought
const AWAY = 4 // blocks from what is guarded after which the bot goes back
const FIGHT = 60 // seconds of one fight at most

/** Return a player in sight. @param {Bot} bot @param {string} name */
function playerNear (bot, name) {
  const player = entityNear(bot, FAR, (each) => each.username === name)
  if (!player) throw new Fault(`No player ${name} nearby, please explore first`)
  return player
}

/**
 * Tell whether what is thrown at one place gets to another one.
 * @param {Bot} bot @param {Vec3} from @param {Vec3} to
 */
function isInReach (bot, from, to) {
  const far = from.xzDistanceTo(to)
  return far >= PAST && far <= BESIDE && Math.abs(from.y - to.y) <= 1 &&
    isOpen(from.offset(0, HAND, 0), to.offset(0, 1, 0), (at) => !solid(bot, at))
}

/**
 * Walk to a player, wherever that one goes meanwhile, and wait a moment until it stands still. Then go to where nothing
 * is in the way of what is thrown, if a way there changes no block.
 * @param {Bot} bot @param {string} name @param {Task} task
 */
async function meet (bot, name, task) {
  const far = () => bot.entity.position.distanceTo(playerNear(bot, name).position)
  for (let ways = 0; ways === 0 || far() > BESIDE; ways++) {
    if (ways === WAYS) throw new Fault(`${name} walks on, and is ${far().toFixed(0)} blocks away.`)
    const { x, y, z } = playerNear(bot, name).position
    await bot.autocraft.travel(new goals.GoalNear(x, y, z, BESIDE - 1), task, { x, y, z })
    for (let from = new Vec3(x, y, z), ticks = 0; ticks < HANDED / 2; ticks += 5) {
      const now = playerNear(bot, name).position.clone()
      if (now.distanceTo(from) < STANDS) break
      from = now
      await task.ticks(5)
    }
  }
  const to = playerNear(bot, name).position.clone()
  if (isInReach(bot, bot.entity.position, to)) return
  const goal = new GoalWithin(to.floored(), 0, ({ x, y, z }) => isInReach(bot, new Vec3(x + 0.5, y, z + 0.5), to))
  await tryTo(task, () => bot.autocraft.byRules(UNCHANGED, () => bot.autocraft.travel(goal, task)))
}

/** Do something, and go on if it fails. @param {Task} task @param {() => Promise<unknown>} act */
async function tryTo (task, act) {
  try {
    await act()
  } catch (error) {
    task.goOnAfter(error)
  }
}

/**
 * Go a few blocks away from a player, if others are near: the bot would pick up what they throw to the same player.
 * @param {Bot} bot @param {string} name @param {Task} task
 */
async function makeRoom (bot, name, task) {
  if (!entityNear(bot, APART, (each) => each.type === 'player' && each.username !== name)) return
  await tryTo(task, () => stepAside(bot, playerNear(bot, name).position, task, ASIDE))
}

/**
 * Throw items to a player, and fetch and throw again what that one has not picked up.
 * @param {Bot} bot @param {{player: string, name: string, count?: number}} parts @param {Task} task
 */
async function give (bot, { player: name, name: what, count = 1 }, task) {
  const item = requireItem(bot, what, count)
  const held = () => bot.inventory.count(item.id)
  await meet(bot, name, task)
  /** How many of the item others near were seen to pick up: the player, other players and mobs. @type {Counts} */
  const finders = {}
  const found = () => Object.values(finders).reduce((sum, each) => sum + each, 0)
  const thrown = new Set() // the ids of what was thrown
  let gone = 0 // how many were thrown and did not come back
  /** @param {Entity} who @param {Entity} each */
  const picked = (who, each) => {
    const got = droppedItem(each)
    const isNear = who.username === name || who.position.distanceTo(bot.entity.position) <= APART
    if (got?.name !== item.name || !isNear) return
    const finder = String(who.username ?? who.name)
    if (who !== bot.entity) finders[finder] = (finders[finder] ?? 0) + got.count
    else if (thrown.has(each.id)) gone -= got.count
  }
  bot.on('playerCollect', picked)
  try {
    for (let throws = 1; ; throws++) {
      const rest = Math.min(count - gone, held()) // what others or a hopper took is not thrown once more
      if (rest <= 0) break
      const before = new Set(Object.keys(bot.entities))
      await bot.autocraft.hands.use(task, async () => {
        // what is thrown ahead lies out of the bot's own reach
        await bot.lookAt(playerNear(bot, name).position.offset(0, EYES, 0), true)
        await task.ticks(2)
        await bot.autocraft.hands.clicks(task, bot.toss(item.id, null, rest), 10)
        gone += rest
        await task.ticks(5)
      })
      for (const [id, each] of Object.entries(bot.entities)) if (!before.has(id)) thrown.add(each.id)
      for (let ticks = 0; ticks < HANDED && found() < count; ticks += 5) await task.ticks(5)
      if (found() >= count || throws === THROWS) break
      await sparing(bot, [item.name], async () => {
        await pickUp(bot, bot.entity.position.clone(), task, item.name)
        await meet(bot, name, task)
      })
    }
  } finally {
    bot.removeListener('playerCollect', picked)
  }
  const { [name]: taken = 0, ...others } = finders
  const lost = found() - taken
  const arrived = Math.min(count, Math.max(taken, gone - lost))
  if (arrived > 0) bot.autocraft.tell({ event: 'did', what: `give:${name} ${item.name}`, count: arrived })
  await makeRoom(bot, name, task)
  if (arrived < count) {
    const why = lost ? `: ${Object.keys(others).join(' and ')} picked up ${lost}` : ''
    throw new Fault(`Only ${arrived} of ${count} ${item.name} went to ${name}${why}.`)
  }
  const lies = taken < count ? ` ${name} has not picked up ${count - taken} of them yet.` : ''
  return `Gave ${count} ${item.name} to ${name}, ${held()} left.${lies}`
}

/** @param {Bot} bot @param {{seconds: number, player?: string}} parts @param {Task} task */
async function guard (bot, { seconds, player: name }, task) {
  const post = bot.entity.position.clone()
  const { flights } = bot.autocraft.hands
  let killed = 0
  const begun = Date.now()
  const guarded = () => Math.round((Date.now() - begun) / 1000)
  try {
    while (guarded() < seconds) {
      await bot.autocraft.hands.rest(task)
      const why = fledOften(bot, flights)
      if (why) throw new Fault(`Stopped guarding: ${why}`, 'danger')
      const at = name ? playerNear(bot, name).position.clone() : post
      const enemy = monsters(bot, 2 * AROUND)
        .find((each) => each.position.distanceTo(at) <= AROUND && !bot.autocraft.bounds.spare(each))
      if (enemy) {
        try {
          await kill_mob(bot, { name: String(enemy.name), seconds: FIGHT }, task)
          killed++
        } catch (error) {
          task.goOnAfter(error)
          task.say(reasonOf(error))
          await task.ticks(20)
        }
      } else if (bot.entity.position.distanceTo(at) > AWAY) {
        await bot.autocraft.travel(new goals.GoalNear(at.x, at.y, at.z, 2), task, at)
      } else await task.ticks(10)
      task.progress = `${guarded()} of ${seconds} s, ${killed} killed`
    }
  } finally {
    const what = name ? `guard:${name}` : 'guard'
    if (guarded()) bot.autocraft.tell({ event: 'did', what, count: guarded() })
  }
  return `Guarded ${name ?? place(post)} for ${seconds} seconds; ${killed} monsters were killed.`
}

/** @param {Bot} bot @param {{name: string}} parts */
async function remember_place (bot, { name }) {
  const plain = name.trim().toLowerCase().replace(/[\s-]+/g, '_')
  const { x, y, z } = bot.entity.position.floored()
  bot.autocraft.places.name(plain, [x, y, z])
  return `${place(bot.entity.position)} is remembered as ${plain}.`
}

module.exports = { give, guard, remember_place }
