'use strict'
/** Give items to players, guard a place or a player, and remember places by names. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { fledOften, monsters } = require('../danger')
const { EYES } = require('../sight')
const { place, requireItem } = require('../words')
const { kill_mob } = require('./fight')
const { droppedItem, pickUp } = require('./gather')
const { FAR, entityNear, stepAside } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const HANDED = 100 // ticks in which a player picks up what it was given
const THROWS = 3 // how often the bot throws what was not picked up
const WAYS = 5 // how often it walks to a player who walks on
const BESIDE = 3 // blocks within which what is thrown reaches a player
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
 * Walk to a player, wherever that one goes meanwhile, and wait a moment until it stands still.
 * @param {Bot} bot @param {string} name @param {Task} task
 */
async function meet (bot, name, task) {
  const far = () => bot.entity.position.distanceTo(playerNear(bot, name).position)
  for (let ways = 0; ways === 0 || far() > BESIDE; ways++) {
    if (ways === WAYS) throw new Fault(`${name} walks on, and is ${far().toFixed(0)} blocks away.`)
    const { x, y, z } = playerNear(bot, name).position
    await bot.autocraft.travel(new goals.GoalNear(x, y, z, 2), task, { x, y, z })
    for (let from = new Vec3(x, y, z), ticks = 0; ticks < HANDED / 2; ticks += 5) {
      const now = playerNear(bot, name).position.clone()
      if (now.distanceTo(from) < STANDS) break
      from = now
      await task.ticks(5)
    }
  }
  // what is thrown from the same place falls back to the bot
  if (far() < 1) await stepAside(bot, playerNear(bot, name).position, task)
}

/**
 * Go a few blocks away from a player, if others are near: the bot would pick up what they throw to the same player.
 * @param {Bot} bot @param {string} name @param {Task} task
 */
async function makeRoom (bot, name, task) {
  if (!entityNear(bot, APART, (each) => each.type === 'player' && each.username !== name)) return
  try {
    await stepAside(bot, playerNear(bot, name).position, task, BESIDE)
  } catch (error) {
    if (task.stopped || error.kind !== 'failed') throw error
  }
}

/**
 * Throw items to a player, and fetch and throw again what that one has not picked up.
 * @param {Bot} bot @param {{player: string, name: string, count?: number}} parts @param {Task} task
 */
async function give (bot, { player: name, name: what, count = 1 }, task) {
  const item = requireItem(bot, what, count)
  const held = () => bot.inventory.count(item.id)
  let given = 0 // what was thrown and did not come back
  let taken = 0 // what of it the player was seen to pick up
  let lost = 0 // what of it a mob or another player near was seen to pick up
  let finder = '' // the last of these
  let left = held() // what the bot held after the last throw
  const takeBack = () => {
    given -= Math.max(0, Math.min(given - taken, held() - left))
    left = held()
  }
  /** @param {Entity} who @param {Entity} each */
  const picked = (who, each) => {
    const got = who === bot.entity ? null : droppedItem(each)
    if (got?.name !== item.name) return
    if (who.username === name) taken += got.count
    else if (who.position.distanceTo(bot.entity.position) <= APART) {
      lost += got.count
      finder = String(who.username ?? who.name)
    }
  }
  bot.on('playerCollect', picked)
  try {
    for (let throws = 1; throws <= THROWS && taken + lost < count; throws++) {
      await meet(bot, name, task)
      takeBack() // what the bot walked over
      const rest = Math.min(count - given, held()) // what another player or a hopper took is not thrown once more
      if (rest <= 0) break
      await bot.autocraft.hands.use(task, async () => {
        // what is thrown ahead lies out of the bot's own reach
        await bot.lookAt(playerNear(bot, name).position.offset(0, EYES, 0), true)
        await task.ticks(2)
        await bot.autocraft.hands.clicks(task, bot.toss(item.id, null, rest), 10)
      })
      given += rest
      left -= rest
      for (let ticks = 0; ticks < HANDED && taken + lost < count; ticks += 5) await task.ticks(5)
      if (taken + lost < count && throws < THROWS) await pickUp(bot, bot.entity.position.clone(), task, item.name)
      takeBack()
    }
  } finally {
    bot.removeListener('playerCollect', picked)
  }
  const arrived = Math.max(taken, given - lost) // what was picked up may have lain there before
  if (arrived > 0) bot.autocraft.tell({ event: 'did', what: `give:${name} ${item.name}`, count: arrived })
  await makeRoom(bot, name, task)
  if (arrived < count) {
    const why = lost ? `: ${finder} picked up ${lost}` : ''
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
          if (task.stopped || error.kind !== 'failed') throw error
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
