'use strict'
/** Tell what threatens the bot, take a weapon in hand, strike, or run away. */
const { blowOf } = require('../shared/weapons')
const { MOBS, hostileOf, weaponOf } = require('./facts')
const { eyes, towards } = require('./sight')

const DAY = 24000 // ticks
const ARM = 3.5 // blocks within which a monster can hit
const EDGE = 3.3 // blocks that a blow reaches, from feet to feet
const FUSE = 5 // blocks within which a creeper comes and explodes
const LIT = 3 // blocks within which a creeper lights its fuse
const PUT_OUT = 8 // blocks from which a creeper puts its fuse out again
const STAYS = 4 // flights from one creeper after which it is known to stay: the bot would starve beside it
const HELD = 8 // flights from a creeper at one place after which it is known to be held there
const STILL = 2 // blocks within which that is one place
const SHOT = 16
const HURT = 3000 // milliseconds after an injury in which the bot looks for an archer
const IMMUNE = 10 // ticks after a blow in which a mob takes no other one
const IDLE = 40 // ticks in which the mob must be hurt, or come nearer to the bot
/** @type {('entityHurt' | 'entityDead')[]} */
const HARMED = ['entityHurt', 'entityDead']
const LATE = 3 // ticks by which a blow may be late against the one after it, which would else count for nothing
const LEAST = 3
const RUN = 8 // blocks of a way that are checked before the bot runs
const FLIGHTS = 6 // times that the bot flees during one command, after which it gives up beside monsters

/** Tell whether monsters appear under the open sky. @param {Bot} bot */
const isNight = (bot) => bot.time.timeOfDay >= 12542 && bot.time.timeOfDay <= 23460

/** Return the number of the day, as the server counts them; the first day is 1. @param {Bot} bot */
const dayOf = (bot) => bot.time.day + 1

/**
 * Return the hostile mobs within a radius that the bot has not killed, the nearest first.
 * @param {Bot} bot @param {number} radius @param {string[]} [more] names of mobs that count as hostile too
 * @returns {Entity[]}
 */
function monsters (bot, radius, more) {
  const hostile = hostileOf(bot)
  /** @param {Entity} each */
  const far = (each) => each.position.distanceTo(bot.entity.position)
  return Object.values(bot.entities)
    .filter((each) => (hostile.has(each.name || '') || more?.includes(each.name || '')) && each.position &&
      far(each) <= radius && !bot.autocraft.prey.killed.has(each.id))
    .sort((a, b) => far(a) - far(b))
}

/** Tell whether no block stands between the bot's eyes and a mob. @param {Bot} bot @param {Entity} mob */
function inSight (bot, mob) {
  const high = mob.height || 1.8
  return [0.85, 0.3].some((part) => {
    const point = mob.position.offset(0, high * part, 0)
    const far = point.distanceTo(eyes(bot))
    return far < 1 || !towards(bot, point, far)
  })
}

/**
 * Return the monster that threatens the bot now, or null. `hurt` is the time of its last injury, in milliseconds.
 * @param {Bot} bot @param {number} hurt
 */
function attacker (bot, hurt) {
  const lately = Date.now() - hurt < HURT
  return monsters(bot, SHOT, lately ? MOBS.neutral : undefined).find((each) => {
    const name = each.name || ''
    const far = each.position.distanceTo(bot.entity.position)
    const shoots = MOBS.shooting.includes(name) && lately
    const reach = name === 'creeper' ? nearOf(bot, each) : shoots ? SHOT : ARM
    return far < reach && (lately || isNight(bot) || !MOBS.dark.includes(name)) && inSight(bot, each)
  }) ?? null
}

/**
 * Tell whether the bot fled from a mob in vain: it stays where the bot has to be.
 * @param {Bot} bot @param {Entity} mob
 */
const stays = (bot, mob) => (bot.autocraft.prey.fled.get(mob.id)?.times ?? 0) >= STAYS

/**
 * Return the blocks within which a creeper threatens the bot. One that stood at the same place through many flights is
 * held by something: the bot would flee from it until it starves.
 * @param {Bot} bot @param {Entity} creeper
 */
function nearOf (bot, creeper) {
  const { times, still, at } = bot.autocraft.prey.fled.get(creeper.id) ?? { times: 0, still: 0, at: creeper.position }
  if (still >= HELD && at.distanceTo(creeper.position) <= STILL) return 0
  return times < STAYS ? FUSE : LIT
}

/** Count a flight from a mob. @param {Bot} bot @param {Entity} mob */
function countFlight (bot, mob) {
  const { fled } = bot.autocraft.prey
  const last = fled.get(mob.id)
  const still = last && last.at.distanceTo(mob.position) <= STILL ? last.still + 1 : 1
  fled.set(mob.id, { times: (last?.times ?? 0) + 1, still, at: mob.position.clone() })
}

/**
 * Run from monsters until none is within `far` blocks, or for so many ticks.
 * @param {Bot} bot @param {Task} task @param {{far?: number, ticks?: number}} [limits]
 */
async function flee (bot, task, { far = 10, ticks = 60 } = {}) {
  try {
    for (let left = ticks; left > 0 && monsters(bot, far).length; left -= 5) {
      const way = wayOut(bot, far)
      if (way === null) break
      await bot.look(way, 0, true)
      for (const key of ['sprint', 'forward', 'jump']) bot.setControlState(key, true)
      await task.ticks(5)
    }
  } finally { bot.clearControlStates() }
}

/**
 * Return the yaw that leads away from all monsters, of those in which the bot can run, or null if it can run nowhere.
 * @param {Bot} bot @param {number} far
 */
function wayOut (bot, far) {
  const at = bot.entity.position
  const push = monsters(bot, far).reduce((sum, { position: p }) => {
    const by = 1 / Math.max(1, at.distanceSquared(p))
    return { x: sum.x + (at.x - p.x) * by, z: sum.z + (at.z - p.z) * by }
  }, { x: 0, z: 0 })
  const away = Math.atan2(-push.x, -push.z)
  const turns = [0, 1, -1, 2, -2, 3, -3].map((turn) => away + turn * Math.PI / 6)
  const free = turns.map((yaw) => freeAhead(bot, yaw))
  const best = free.findIndex((length) => length === RUN)
  const most = Math.max(...free)
  return best >= 0 ? turns[best] : most >= LEAST ? turns[free.indexOf(most)] : null
}

/**
 * Return how many blocks the bot can run in a direction before a wall, a deep fall or a liquid.
 * @param {Bot} bot @param {number} yaw
 */
function freeAhead (bot, yaw) {
  let at = bot.entity.position.floored()
  const from = bot.entity.position
  for (let length = 1; length <= RUN; length++) {
    const next = from.offset(-Math.sin(yaw) * length, 0, -Math.cos(yaw) * length).floored()
    next.y = at.y
    const up = [1, 0, -1, -2].find((dy) => solid(bot, next.offset(0, dy - 1, 0)))
    if (up === undefined || [0, 1].some((dy) => solid(bot, next.offset(0, up + dy, 0)))) return length - 1
    if ([up - 1, up, up + 1].some((dy) => /lava|fire|water|cactus|magma/.test(nameAt(bot, next.offset(0, dy, 0))))) {
      return length - 1
    }
    if (bot.autocraft.bounds.outside(next)) return length - 1
    at = next.offset(0, up, 0)
  }
  return RUN
}

/** Return the nearest place to stand outside fire and liquids, or null. @param {Bot} bot */
function landing (bot) {
  const feet = bot.entity.position.floored()
  /** @param {Vec3} at */
  const clear = (at) => !solid(bot, at) && !/lava|fire|water|magma/.test(nameAt(bot, at))
  /** @type {Vec3[]} */
  const found = []
  for (let dy = -1; dy <= 3; dy++) {
    for (let dx = -6; dx <= 6; dx++) {
      for (let dz = -6; dz <= 6; dz++) {
        const at = feet.offset(dx, dy, dz)
        if (clear(at) && clear(at.offset(0, 1, 0)) && solid(bot, at.offset(0, -1, 0))) found.push(at)
      }
    }
  }
  return found.sort((a, b) => a.distanceSquared(feet) - b.distanceSquared(feet))[0] ?? null
}

/** Take the best weapon in hand, unless a window is open. @param {Bot} bot @param {Task} task */
async function arm (bot, task) {
  const weapon = weaponOf(bot)
  if (weapon && !bot.currentWindow && bot.heldItem?.type !== weapon.type) await task.wait(bot.equip(weapon, 'hand'), 10)
}

/** Return the ticks until a blow with what is in hand counts and has its full force. @param {Bot} bot */
function recharge (bot) {
  const whole = Math.max(IMMUNE + LATE, Math.ceil(20 / blowOf(bot.heldItem?.name ?? '').speed))
  return Math.max(0, whole - (Date.now() - bot.autocraft.prey.blow) / 50)
}

/** Look at a mob and strike it. @param {Bot} bot @param {Entity} mob */
async function blow (bot, mob) {
  await bot.lookAt(mob.position.offset(0, (mob.height || 1) * 0.6, 0), true)
  if (bot.entities[mob.id]) bot.attack(mob)
}

/** Tell whether a mob is there, and the bot has not killed it. @param {Bot} bot @param {Entity} mob */
const lives = (bot, mob) => bot.entities[mob.id] !== undefined && !bot.autocraft.prey.killed.has(mob.id)

/**
 * Fight hand to hand as good players do, while `fit` holds: strike from as far as a blow reaches as soon as it has its
 * full force, step back from a monster that comes, go up to what does not come, and run from a fuse that burns. End
 * when the mob is dead, or for a while no blow hurt it, as through a wall, and it came no nearer. Return how
 * often it was hurt.
 * @param {Bot} bot @param {Entity} mob @param {Task} task @param {() => boolean} fit
 */
async function spar (bot, mob, task, fit) {
  const name = mob.name || ''
  const comes = hostileOf(bot).has(name) && !MOBS.shooting.includes(name) && !stays(bot, mob)
  const far = () => mob.position.distanceTo(bot.entity.position)
  let [hits, idle] = [0, 0]
  /** @param {Entity} each */
  const hear = (each) => { if (each?.id === mob.id) [hits, idle] = [hits + 1, 0] }
  for (const event of HARMED) bot.on(event, hear)
  try {
    for (let least = Infinity; idle < IDLE && lives(bot, mob) && fit(); idle++) {
      await bot.autocraft.hands.rest(task)
      if (far() < least - 0.2) [idle, least] = [0, far()]
      if (far() < EDGE && !recharge(bot)) {
        await bot.autocraft.hands.use(task, async () => {
          await arm(bot, task)
          await blow(bot, mob)
        })
      } else if (name === 'creeper' && far() < LIT) await flee(bot, task, { far: PUT_OUT, ticks: 40 })
      else await bot.lookAt(mob.position.offset(0, 1, 0), true)
      const close = far() < EDGE
      bot.setControlState('back', close && comes && freeAhead(bot, bot.entity.yaw + Math.PI) > 1)
      bot.setControlState('forward', !close && !comes && freeAhead(bot, bot.entity.yaw) > 1)
      await task.ticks(1)
    }
  } finally {
    for (const event of HARMED) bot.off(event, hear)
    bot.setControlState('back', false)
    bot.setControlState('forward', false)
  }
  return hits
}

/** @param {Bot} bot @param {Vec3} at */
const solid = (bot, at) => bot.blockAt(at, false)?.boundingBox === 'block'

/** @param {Bot} bot @param {Vec3} at */
const nameAt = (bot, at) => bot.registry.blocksByStateId[bot.world.getBlockStateId(at) ?? -1]?.name ?? ''

/**
 * Return the end of a sentence if the bot has fled too often since it had fled `before` times, else ''.
 * @param {Bot} bot @param {number} before
 */
function fledOften (bot, before) {
  const often = bot.autocraft.hands.flights >= before + FLIGHTS
  return often ? `the bot fled ${FLIGHTS} times: go away from the monsters first` : ''
}

/** Tell whether only air lies above a place, as far as the world is loaded. @param {Bot} bot @param {Vec3} at */
function underSky (bot, at) {
  for (let up = 2; up <= 64; up++) if (solid(bot, at.offset(0, up, 0))) return false
  return true
}

module.exports = {
  DAY, SHOT, arm, attacker, blow, countFlight, dayOf, fledOften, flee, isNight, landing, lives, monsters, nameAt,
  recharge, solid, spar, stays, underSky, wayOut
}
