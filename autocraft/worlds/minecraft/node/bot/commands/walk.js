'use strict'
/** Walk to places, blocks and entities, and explore. */
const need = require('../../shared/need')
const { Fault } = require('../../shared/fault')
const { fledOften } = require('../danger')
const { blockOf, place, plainName } = require('../words')
const { FAR, LOOK, approach, entityNear, positions, reachable, targets } = require('./near')
const { STEEPEST, wayOf } = require('./ways')

const { goals } = need('mineflayer-pathfinder')

const NEAR = 24 // blocks to which a search goes that sees a block

/** @param {Bot} bot @param {{x: number, y: number, z: number}} parts @param {Task} task */
async function goto (bot, { x, y, z }, task) {
  await bot.autocraft.travel(new goals.GoalNear(x, y, z, 1), task, { x, y, z })
  return `Arrived at ${place(bot.entity.position)}.`
}

/** @param {Bot} bot @param {{name: string}} parts @param {Task} task */
async function goto_block (bot, { name }, task) {
  const block = blockOf(bot, name)
  const [at] = targets(bot, [block.id], FAR)
  const { places } = bot.autocraft
  const known = at ? null : places.near(block.name)
  if (known) {
    try {
      await bot.autocraft.travel(new goals.GoalNear(known.x, known.y, known.z, 3), task, known)
    } catch (error) {
      if (error.kind === 'failed' && !task.stopped) places.drop(block.name, known)
      throw error
    }
    places.forget()
    if (bot.blockAt(known)?.name !== block.name) throw new Fault(`No ${block.name} is at ${place(known)} any more`)
    return `Arrived at ${block.name} ${place(known)}.`
  }
  if (!at) throw new Fault(`No ${block.name} nearby, please explore first`)
  await approach(bot, at, task)
  return `Arrived at ${block.name} ${place(at)}.`
}

/** @param {Bot} bot @param {{name: string, seconds: number}} parts @param {Task} task */
async function follow (bot, { name, seconds }, task) {
  /** @param {Entity} each */
  const fits = (each) => each.username === name || each.name === plainName(name)
  const target = entityNear(bot, FAR, fits)
  if (!target) throw new Fault(`No ${name} nearby, please explore first`)
  const begun = Date.now()
  try {
    return await walkBehind(bot, target, { name, seconds }, task)
  } finally {
    const what = target.username ? `follow:${target.username}` : `follow ${target.name}`
    const count = Math.round((Date.now() - begun) / 1000)
    if (count) bot.autocraft.tell({ event: 'did', what, count })
  }
}

/**
 * Walk to a target. This may dig, so it leads out of a hole. Then walk behind it without changing a block.
 * @param {Bot} bot @param {Entity} target @param {{name: string, seconds: number}} parts @param {Task} task
 */
async function walkBehind (bot, target, { name, seconds }, task) {
  const { flights } = bot.autocraft.hands
  const ends = Date.now() + seconds * 1000
  const { x, y, z } = target.position
  try {
    await bot.autocraft.travel(new goals.GoalNear(x, y, z, 2), task, { x, y, z }, () => Date.now() >= ends)
  } catch (error) {
    task.goOnAfter(error)
  }
  while (Date.now() < ends) {
    await bot.autocraft.hands.rest(task)
    const why = fledOften(bot, flights)
    if (why) throw new Fault(`Stopped following ${name} at ${place(bot.entity.position)}: ${why}`, 'danger')
    if (!bot.pathfinder.goal) bot.pathfinder.setGoal(new goals.GoalFollow(target, 2), true)
    await task.ticks(10)
    if (!bot.entities[target.id]) return `${name} is gone; the bot is at ${place(bot.entity.position)}.`
  }
  return `Followed ${name} for ${seconds} seconds to ${place(bot.entity.position)}.`
}

/**
 * @param {Bot} bot @param {{direction: string, seconds: number, block: string, entity: string}} parts
 * @param {Task} task
 */
async function explore_until (bot, { direction, seconds, block, entity }, task) {
  const [dx, dy, dz] = wayOf(direction)
  const steep = !dx && !dz
  const ids = block ? [blockOf(bot, block).id] : []
  const ends = Date.now() + seconds * 1000
  let far = FAR // or LOOK, if there was no way to what is farther
  /** Return the nearest block that is sought within a radius, and not deep below. @param {number} radius */
  const lies = (radius) => positions(bot, ids, radius, 1, (at) =>
    reachable(bot, at) && !bot.autocraft.bounds.outside(at) && Math.abs(at.y - bot.entity.position.y) <= LOOK)[0]
  const found = () => {
    const at = block ? lies(LOOK) : undefined
    if (at) {
      bot.autocraft.places.remember(blockOf(bot, block).name, [at.x, at.y, at.z])
      return `${blockOf(bot, block).name} at ${place(at)}`
    }
    const one = entity && entityNear(bot, LOOK, (each) => each.name === plainName(entity) || each.username === entity)
    return one ? `${entity} at ${place(one.position)}` : ''
  }
  let blocked = 0
  for (let turn = 0; Date.now() < ends; turn++) {
    const seen = found()
    task.progress = `no ${block || entity} in sight yet`
    if (seen) return `Explore success. ${seen}; the bot is at ${place(bot.entity.position)}.`
    const there = block && far > LOOK ? lies(far) : undefined
    const stride = steep ? STEEPEST : 12 + (turn * 7) % 16
    const at = bot.entity.position
    const target = there ??
      { x: at.x + dx * stride, y: steep ? Math.floor(at.y + dy * stride) : at.y, z: at.z + dz * stride }
    const goal = there
      ? new goals.GoalNear(there.x, there.y, there.z, NEAR)
      : steep ? new goals.GoalY(target.y) : new goals.GoalNearXZ(target.x, target.z, 3)
    const ended = () => Date.now() > ends || found() || (block && !there && far > LOOK && lies(far))
    try {
      await bot.autocraft.travel(goal, task, target, ended)
      blocked = 0
    } catch (error) {
      task.goOnAfter(error)
      if (there) far = LOOK
      else if (Date.now() < ends && ++blocked >= 3) {
        throw new Fault(`The way ${direction} is blocked at ${place(bot.entity.position)}: try another direction`)
      }
    }
  }
  throw new Fault(`Max exploration time reached. The bot is at ${place(bot.entity.position)}.`)
}

module.exports = { goto, goto_block, follow, explore_until }
