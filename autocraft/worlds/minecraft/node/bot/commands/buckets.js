'use strict'
/** Fill buckets. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { isAir } = require('../columns')
const { EYES, eyes, isOpen } = require('../sight')
const { holdings, place, plainName } = require('../words')
const { news } = require('./gather')
const { GoalWithin, HUNT, LIQUID, LOOK, entityNear, targets } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const TRIES = 6 // places from which a bucket is filled, or walks to a cow
const APART = 3 // blocks between two of them
const STILL = 20 // times that the bot looks at a source, at most
/** Where the bot looks at a source, a little below its surface. */
const POINTS = [[0.5, 0.5], [0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8]].map(([x, z]) => new Vec3(x, 0.85, z))

/** @param {Bot} bot @param {{name?: string}} parts @param {Task} task */
async function fill_bucket (bot, { name = 'water' }, task) {
  const source = plainName(name).replace(/_bucket$/, '').replace('milk', 'cow')
  const bucket = bot.registry.itemsByName.bucket
  if (!['water', 'lava', 'cow'].includes(source)) throw new Fault(`a bucket takes water, lava or milk, not ${name}`)
  if (!bot.inventory.count(bucket.id)) throw new Fault('No bucket in inventory')
  const before = holdings(bot)
  const full = source === 'cow' ? 'milk_bucket' : `${source}_bucket`
  await (source === 'cow' ? milk(bot, full, task) : dip(bot, source, full, task))
  if ((holdings(bot)[full] || 0) <= (before[full] || 0)) throw new Fault(`The bucket is not filled: no ${full} came`)
  return `Filled a bucket: ${full}. ${news(bot, before)}`
}

/** Milk the nearest cow, which may walk on meanwhile. @param {Bot} bot @param {string} full @param {Task} task */
async function milk (bot, full, task) {
  const had = holdings(bot)[full] || 0
  for (let tries = 0; tries < TRIES && (holdings(bot)[full] || 0) <= had; tries++) {
    const cow = entityNear(bot, HUNT, (each) => each.name === 'cow' && !bot.autocraft.bounds.spare(each))
    if (!cow) throw new Fault('No cow nearby, please explore first')
    const { x, y, z } = cow.position
    await bot.autocraft.travel(new goals.GoalNear(x, y, z, 2), task, cow.position)
    await hold(bot, task)
    await bot.lookAt(cow.position.offset(0, 0.9, 0), true)
    await task.wait(Promise.resolve(bot.useOn(cow)), 10)
    await task.ticks(10)
  }
}

/**
 * Fill a bucket from a source in the open, standing where nothing lies between.
 * @param {Bot} bot @param {string} source @param {string} full @param {Task} task
 */
async function dip (bot, source, full, task) {
  const open = targets(bot, [bot.registry.blocksByName[source].id], LOOK, 512)
  if (!open.length) throw new Fault(`No ${source} nearby, please explore first`)
  const had = holdings(bot)[full] || 0
  let why = ''
  /** Tell whether the bot can stand in a place, and fill a bucket there. @param {Vec3} at @param {Point} node */
  const fits = (at, { x, y, z }) => !isAir(bot.blockAt(new Vec3(x, y - 1, z))) &&
    pointOf(bot, new Vec3(x + 0.5, y + EYES, z + 0.5), at) !== undefined
  const apart = open.filter((at, index) => !open.slice(0, index).some((each) => each.distanceTo(at) < APART))
  for (const at of apart.slice(0, TRIES)) {
    try {
      await bot.autocraft.travel(new GoalWithin(at, 0, (node) => fits(at, node)), task, at)
    } catch (error) {
      task.goOnAfter(error)
      why = reasonOf(error)
      continue
    }
    await hold(bot, task)
    await aim(bot, at, task)
    bot.activateItem()
    await task.ticks(8)
    if ((holdings(bot)[full] || 0) > had) return
    why = `it stayed empty at ${place(at)}, from ${place(bot.entity.position)}`
  }
  throw new Fault(`The bucket is not filled with ${source}: ${why}`)
}

/**
 * Return the point of a source at which a bucket takes it up from some eyes, or undefined if something is between. The
 * two blocks in which the bot stands count as free.
 * @param {Bot} bot @param {Vec3} from @param {Vec3} at
 */
function pointOf (bot, from, at) {
  const own = [from.floored(), from.offset(0, -1, 0).floored()]
  const { blocksByStateId: kinds } = bot.registry
  const source = bot.blockAt(at)?.name
  /** Tell whether a bucket passes a place, or takes up the same liquid there. @param {Vec3} cell */
  const passes = (cell) => {
    const state = bot.world.getBlockStateId(cell) ?? 0
    const kind = kinds[state]
    const flows = LIQUID.test(kind?.name ?? '') && (state !== kind.minStateId || kind.name === source)
    return flows || isAir(kind) || own.some((each) => each.equals(cell))
  }
  return POINTS.map((each) => at.plus(each)).find((point) => isOpen(from, point, passes))
}

/** Look at a source until the bot stands still: in water it sinks meanwhile. @param {Bot} bot @param {Vec3} at */
async function aim (bot, at, /** @type {Task} */ task) {
  for (let turn = 0; turn < STILL; turn++) {
    const from = eyes(bot)
    await bot.lookAt(pointOf(bot, from, at) ?? at.plus(POINTS[0]), true)
    await task.ticks(2)
    if (eyes(bot).distanceTo(from) < 0.01) return
  }
}

/** @param {Bot} bot @param {Task} task */
async function hold (bot, task) {
  await task.wait(bot.equip(bot.registry.itemsByName.bucket.id, 'hand'), 10)
}

module.exports = { fill_bucket }
