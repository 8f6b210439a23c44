'use strict'
/** Fill buckets. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { holdings, place, plainName } = require('../words')
const { news } = require('./gather')
const { entityNear, targets } = require('./near')

const { goals } = need('mineflayer-pathfinder')

const TRIES = 6 // places from which a bucket is filled, or walks to a cow
const APART = 3 // blocks between two of them

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
    const cow = entityNear(bot, 48, (each) => each.name === 'cow' && !bot.autocraft.bounds.spare(each))
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
 * Fill a bucket from a source in the open, standing beside it.
 * @param {Bot} bot @param {string} source @param {string} full @param {Task} task
 */
async function dip (bot, source, full, task) {
  const open = targets(bot, [bot.registry.blocksByName[source].id], 32, 512)
  if (!open.length) throw new Fault(`No ${source} nearby, please explore first`)
  const had = holdings(bot)[full] || 0
  let why = ''
  const apart = open.filter((at, index) => !open.slice(0, index).some((each) => each.distanceTo(at) < APART))
  for (const at of apart.slice(0, TRIES)) {
    try {
      await bot.autocraft.travel(new goals.GoalNear(at.x, at.y + 1, at.z, 2), task, at)
    } catch (error) {
      if (error.kind !== 'failed' || task.stopped) throw error
      why = reasonOf(error)
      continue
    }
    await hold(bot, task)
    await bot.lookAt(at.offset(0.5, 0.85, 0.5), true)
    await task.ticks(2)
    bot.activateItem()
    await task.ticks(8)
    if ((holdings(bot)[full] || 0) > had) return
    why = `nothing came from ${place(at)}`
  }
  throw new Fault(`The bucket is not filled with ${source}: ${why}`)
}

/** @param {Bot} bot @param {Task} task */
async function hold (bot, task) {
  await task.wait(bot.equip(bot.registry.itemsByName.bucket.id, 'hand'), 10)
}

module.exports = { fill_bucket }
