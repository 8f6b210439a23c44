'use strict'
/** Place blocks, and use blocks that stand in the world. */
const need = require('../../shared/need')
const { Fault, checkBounds } = require('../../shared/fault')
const { moveOver } = require('../patches/search')
const { put } = require('../put')
const { SIDES } = require('../sides')
const { towards } = require('../sight')
const { place, requireItem } = require('../words')
const { approach, isIn, reaches, stepAside } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const REACH = 4.2 // blocks from the eyes to where a bucket is emptied

/** @param {Bot} bot @param {{name: string, x: number, y: number, z: number}} parts @param {Task} task */
async function place_item (bot, { name, x, y, z }, task) {
  const item = requireItem(bot, name)
  const at = new Vec3(x, y, z).floored()
  checkBounds(bot.autocraft.bounds.outside(at))
  const there = bot.blockAt(at)
  if (!there) throw new Fault(`${place(at)} is not loaded: go nearer first`)
  if (there.boundingBox !== 'empty') {
    throw new Fault(
      `Error placing ${item.name}: ${there.name} is at ${place(at)}, please find another position to place`
    )
  }
  const side = SIDES.find((way) => bot.blockAt(at.plus(way))?.boundingBox === 'block')
  const ground = side && bot.blockAt(at.plus(side))
  if (!side || !ground) throw new Fault(`No block to place ${item.name} on. You cannot place a floating block.`)
  task.say(`Placing ${item.name} on ${ground.name} at ${place(at)}`)
  const liquid = /^(water|lava)_bucket$/.test(item.name)
  bot.autocraft.freePlace = at
  try {
    await standBeside(bot, at, task)
    if (liquid && !(await aimedInto(bot, at, task))) {
      await bot.autocraft.travel(new goals.GoalPlaceBlock(at, bot.world, { range: REACH }), task, at)
    }
  } finally { bot.autocraft.freePlace = null }
  return bot.autocraft.hands.use(task, async () => {
    await task.wait(bot.equip(item.id, 'hand'), 10)
    if (liquid) return pour(bot, item, at, task)
    return put(bot, item, ground, side, task)
  })
}

/**
 * Empty a bucket into a place. The bot must look at a face of a block beside the place, and must see that face.
 * @param {Bot} bot @param {ItemKind} item @param {Vec3} at @param {Task} task
 */
async function pour (bot, item, at, task) {
  if (!(await aimedInto(bot, at, task))) {
    throw new Fault(
      `Error placing ${item.name}: no side of ${place(at)} can be seen, please find another position to place`
    )
  }
  bot.activateItem()
  await task.ticks(4)
  const now = bot.blockAt(at)
  if (!now || !/water|lava|obsidian|stone/.test(now.name)) {
    throw new Fault(`Error placing ${item.name}: it did not get to ${place(at)}, please find another position to place`)
  }
  return `Placed ${item.name} at ${place(at)}: it is ${now.name}.`
}

/**
 * Look at each block beside a place in turn, until one is in sight with the face towards the place. Return whether
 * there is one.
 * @param {Bot} bot @param {Vec3} at @param {Task} task
 */
async function aimedInto (bot, at, task) {
  for (const way of SIDES) {
    const beside = bot.blockAt(at.plus(way))
    if (!beside || beside.boundingBox !== 'block') continue
    const face = beside.position.offset(0.5, 0.5, 0.5).minus(way.scaled(0.49))
    const seen = towards(bot, face, 4.5)
    if (!seen || !seen.position.equals(beside.position) || !SIDES[seen.face].equals(way.scaled(-1))) continue
    await bot.lookAt(face, true)
    await task.ticks(2)
    return true
  }
  return false
}

/** Walk to within reach of a place, but not into it. @param {Bot} bot @param {Vec3} at @param {Task} task */
async function standBeside (bot, at, task) {
  const inside = () => isIn(bot, at)
  if (reaches(bot, at) && !inside()) return
  if (!reaches(bot, at, 30) || !inside()) await approach(bot, at, task)
  if (inside()) {
    moveOver(bot)
    await task.ticks(2)
  }
  if (inside()) await stepAside(bot, at, task)
  if (inside()) throw new Fault(`Error placing: the bot stands at ${place(at)}, please find another position to place`)
}

/** @param {Bot} bot @param {{x: number, y: number, z: number}} parts @param {Task} task */
async function activate (bot, { x, y, z }, task) {
  const at = new Vec3(x, y, z).floored()
  const block = bot.blockAt(at)
  if (!block || block.name.endsWith('air')) throw new Fault(`there is nothing to use at ${place(at)}`)
  checkBounds(bot.autocraft.bounds.outside(at))
  await approach(bot, at, task)
  await task.wait(bot.activateBlock(block), 10, block.name)
  await task.ticks(5)
  bot.autocraft.tell({ event: 'did', what: `use ${block.name}`, count: 1 })
  const window = bot.currentWindow
  const now = bot.blockAt(at)
  const opened = window
    ? ' A window opened; it was closed again, since deposit, withdraw, craft_item and smelt_item open their own.'
    : ''
  return `Used ${block.name} at ${place(at)}.${opened}${now && now.stateId !== block.stateId ? ' It changed.' : ''}`
}

module.exports = { place_item, activate }
