'use strict'
/** Throw items away so that they do not come back. */
const need = require('../../shared/need')
const { Fault } = require('../../shared/fault')
const { amounts, difference, holdings, requireItems } = require('../words')
const { droppedItem, news } = require('./gather')
const { sparing } = require('./near')

const { goals } = need('mineflayer-pathfinder')

const FLIGHT = 3 // free blocks that are needed ahead of the bot: a thrown item then lies out of its reach
const LOOK = 10
const TRIES = 3
/** South, east, north, west, and the turns of the head to them. @type {[number, number, number][]} */
const WAYS = [[0, 1, Math.PI], [1, 0, -Math.PI / 2], [0, -1, 0], [-1, 0, Math.PI / 2]]

/**
 * Throw away up to `count` items of a name, or of each of several names with commas between. What the bot lays in its
 * way to a free place is gone too.
 * @param {Bot} bot @param {{name: string, count?: number}} parts @param {Task} task
 */
async function toss (bot, { name, count = 1 }, task) {
  const items = requireItems(bot, name, count)
  const before = holdings(bot)
  await sparing(bot, items.map(([item]) => item.name), () => stepAside(bot, task))
  const carried = holdings(bot)
  /** @type {Counts} */
  const thrown = {}
  await bot.autocraft.hands.use(task, async () => {
    const way = free(bot, bot.entity.position.floored())
    if (way) await bot.look(way[2], 0, true)
    await task.ticks(2)
    for (const [item, most] of items) {
      const many = Math.min(most, bot.inventory.count(item.id))
      if (!many) continue
      await bot.autocraft.hands.clicks(task, bot.toss(item.id, null, many), 10)
      thrown[item.name] = many
    }
    await task.ticks(5)
  })
  for (const each of Object.values(bot.entities)) {
    const lies = each.name === 'item' && each.position.distanceTo(bot.entity.position) < 2 * FLIGHT
    if (lies && thrown[droppedItem(each)?.name ?? '']) bot.autocraft.sightings.thrown.add(each.id)
  }
  const gone = difference(holdings(bot), carried)
  const kept = Object.entries(thrown).filter(([name, count]) => !(gone[name] >= count)).map(([name]) => name)
  if (kept.length) throw new Fault(`Not all of ${kept.join(', ')} was thrown away. ${news(bot, before)}`)
  if (!Object.keys(thrown).length) return `Nothing of ${name} is left to throw away. ${news(bot, before)}`
  for (const [each, many] of Object.entries(thrown)) {
    bot.autocraft.tell({ event: 'did', what: `toss ${each}`, count: many })
  }
  return `Threw ${amounts(thrown)} away. ${news(bot, before)}`
}

/** Return a direction in which an item can be thrown from a place, or undefined. @param {Bot} bot @param {Vec3} at */
function free (bot, at) {
  /** @param {Vec3} each */
  const empty = (each) => bot.blockAt(each)?.boundingBox === 'empty'
  return WAYS.find(([dx, dz]) =>
    [...Array(FLIGHT).keys()].every((far) => [0, 1].every((up) => empty(at.offset(dx * ++far, up, dz * far)))))
}

/**
 * Leave a pit, in which everything falls back. Walk to a near place from which an item can be thrown, if there is one.
 * @param {Bot} bot @param {Task} task
 */
async function stepAside (bot, task) {
  const here = bot.entity.position.floored()
  if (free(bot, here)) return
  const places = []
  for (let dx = -LOOK; dx <= LOOK; dx++) {
    for (let dz = -LOOK; dz <= LOOK; dz++) {
      for (let dy = -2; dy <= 2 * LOOK; dy++) {
        const at = here.offset(dx, dy, dz)
        const [floor, feet, head] = [-1, 0, 1].map((up) => bot.blockAt(at.offset(0, up, 0)))
        const stands = floor?.boundingBox === 'block' && [feet, head].every((each) => each?.name.endsWith('air'))
        if (stands && !bot.autocraft.bounds.outside(at) && free(bot, at)) places.push(at)
      }
    }
  }
  const near = places.sort((a, b) => a.distanceSquared(here) - b.distanceSquared(here)).slice(0, TRIES)
  for (const at of near) {
    try {
      return await bot.autocraft.travel(new goals.GoalBlock(at.x, at.y, at.z), task, at)
    } catch (error) {
      task.goOnAfter(error)
    }
  }
}

module.exports = { toss }
