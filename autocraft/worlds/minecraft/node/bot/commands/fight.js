'use strict'
/** Fight near and far. */
const need = require('../../shared/need')
const { Fault, checkBounds, reasonOf } = require('../../shared/fault')
const { fledOften, lives, spar } = require('../danger')
const { holdings, place, plainName } = require('../words')
const { news, pickUp } = require('./gather')
const { HUNT, LOOK, entityNear } = require('./near')

const { goals } = need('mineflayer-pathfinder')

const NEAR = 6 // blocks to which the bot goes up to a mob, and from where it lets a monster come

/**
 * Return a mob or, for "player:NAME", a player. Throws a Fault if none is within the radius.
 * @param {Bot} bot @param {string} name @param {number} radius
 */
function targetOf (bot, name, radius) {
  const player = /^player:(.+)$/.exec(name)
  /** @param {Entity} each */
  const fits = (each) =>
    player ? each.username === player[1] : each.type !== 'player' && each.name === plainName(name)
  const target = entityNear(bot, radius, (each) => fits(each) && !bot.autocraft.bounds.spare(each))
  if (target) return target
  const spared = entityNear(bot, radius, fits)
  if (spared) checkBounds(bot.autocraft.bounds.spare(spared))
  throw new Fault(`No ${name} nearby, please explore first`)
}

/**
 * Kill so many mobs of a kind, one after another. Fewer are enough where no more are near.
 * @param {Bot} bot @param {{name: string, seconds?: number, count?: number}} parts @param {Task} task
 */
async function kill_mob (bot, { name, seconds = 300, count = 1 }, task) {
  const before = holdings(bot)
  const ends = Date.now() + seconds * 1000
  const { flights } = bot.autocraft.hands
  let killed = 0
  let why = ''
  while (killed < count && !why) {
    try {
      await killOne(bot, name, ends, flights, task)
      killed++
    } catch (error) {
      if (!killed) throw error
      task.goOnAfter(error)
      why = `, and no more of ${count}: ${reasonOf(error)}`
    }
  }
  return `Killed ${killed > 1 ? `${killed} ` : ''}${name}${why || '!'} ${news(bot, before)}`
}

/**
 * Kill the nearest mob of a kind.
 * @param {Bot} bot @param {string} name @param {number} ends @param {number} flights before the command
 * @param {Task} task
 */
async function killOne (bot, name, ends, flights, task) {
  const target = targetOf(bot, name, HUNT)
  const far = () => target.position.distanceTo(bot.entity.position)
  const goesOn = () => lives(bot, target) && Date.now() <= ends && !fledOften(bot, flights)
  let near = NEAR
  while (lives(bot, target)) {
    if (Date.now() > ends) throw new Fault(`Failed to kill ${name}.`)
    const why = fledOften(bot, flights)
    if (why) throw new Fault(`Failed to kill ${name}: ${why}`)
    task.progress = `${target.name || name} is at ${place(target.position)}`
    if (far() > near) {
      const p = target.position.clone()
      try {
        // half the way at most, since a monster comes to meet the bot
        const goal = new goals.GoalNear(p.x, p.y, p.z, Math.max(near, far() / 2))
        await bot.autocraft.travel(goal, task, p, () => !goesOn() || far() <= near)
      } catch (error) {
        task.goOnAfter(error)
        throw new Fault(`Failed to kill ${name}: ${reasonOf(error)}`)
      }
      if (far() > near + 2) { await task.ticks(2); continue }
    }
    near = await spar(bot, target, task, goesOn) ? NEAR : Math.max(1, near / 2)
  }
  if (!bot.autocraft.prey.killed.has(target.id)) {
    throw new Fault(`${name} is gone, and the bot did not kill it: it was last at ${place(target.position)}`)
  }
  await task.ticks(20)
  await pickUp(bot, target.position.clone(), task)
}

/**
 * Aim a little above a target that is far away. The server learns where the bot looks at the next tick.
 * @param {Bot} bot @param {Entity} target @param {number} far @param {Task} task
 */
async function aim (bot, target, far, task) {
  await bot.lookAt(target.position.offset(0, (target.height || 1) * 0.7 + far * far * 0.0035, 0), true)
  await task.ticks(1)
}

/** @param {Bot} bot @param {{weapon: string, target: string}} parts @param {Task} task */
async function shoot (bot, { weapon, target: name }, task) {
  const kinds = ['bow', 'crossbow', 'snowball', 'ender_pearl', 'egg', 'splash_potion', 'trident']
  const kind = plainName(weapon)
  if (!kinds.includes(kind)) throw new Fault(`${weapon} cannot be shot: give ${kinds.join(', ')}`, 'invalid')
  const item = bot.registry.itemsByName[kind]
  if (!item || !bot.inventory.count(item.id)) throw new Fault(`No ${kind} in inventory`)
  if (/bow$/.test(kind) && !bot.inventory.items().some((each) => each.name.endsWith('arrow'))) {
    throw new Fault('No arrow in inventory')
  }
  const target = targetOf(bot, name, LOOK)
  await bot.autocraft.hands.use(task, () => shootAt(bot, item, target, task))
  if (!bot.autocraft.prey.killed.has(target.id)) {
    const tense = bot.entities[target.id] ? 'is' : 'was last'
    throw new Fault(`Failed to shoot ${name}; it ${tense} at ${place(target.position)}`)
  }
  return `Shot ${name}!`
}

/** @param {Bot} bot @param {ItemKind} item @param {Entity} target @param {Task} task */
async function shootAt (bot, item, target, task) {
  await task.wait(bot.equip(item.id, 'hand'), 10)
  for (let shots = 0; shots < 12 && bot.entities[target.id]; shots++) {
    const far = target.position.distanceTo(bot.entity.position)
    await aim(bot, target, far, task)
    bot.activateItem()
    await task.ticks(/bow$|trident/.test(item.name) ? 24 : 4)
    await aim(bot, target, far, task)
    bot.deactivateItem()
    bot.autocraft.prey.struck.set(target.id, Date.now())
    await task.ticks(20)
    if (!bot.inventory.count(item.id)) break
  }
}

module.exports = { kill_mob, shoot }
