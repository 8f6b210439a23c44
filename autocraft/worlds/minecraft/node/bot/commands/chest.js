'use strict'
/** Look into chests and barrels, put items in, and take items out. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { MISSED } = require('../patches/windows')
const { amounts, itemOf, place, requireItems } = require('../words')
const { breakBlock } = require('./gather')
const { approach } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const HOLDERS = /(chest|barrel|shulker_box)$/

/**
 * Open the chest at a place, call `act` with it, and remember what it contains afterwards.
 * @param {Bot} bot @param {{x: number, y: number, z: number}} parts @param {Task} task
 * @param {(chest: import('mineflayer').Chest) => Promise<string>} act
 */
async function withChest (bot, { x, y, z }, task, act) {
  const at = new Vec3(x, y, z).floored()
  await bot.autocraft.travel(new goals.GoalNear(at.x, at.y, at.z, 3), task, at)
  const block = bot.blockAt(at)
  if (!block || !HOLDERS.test(block.name)) {
    bot.autocraft.sightings.chest(at, 'Invalid')
    throw new Fault(`No chest at ${place(at)}, it is ${block ? block.name : 'not loaded'}`)
  }
  await approach(bot, at, task)
  if (/chest$/.test(block.name)) await uncover(bot, at, task)
  const { told } = bot.autocraft.hands
  const chest = await bot.autocraft.hands.ended(task, bot.openContainer(block), 10, 'the chest')
  try {
    return await act(chest)
  } finally {
    if (told === bot.autocraft.hands.told) bot.autocraft.sightings.chest(at, contents(chest))
    void chest.close()
    if (!task.stopped) await task.ticks(3)
  }
}

/**
 * Dig away the block above a chest if it keeps the chest shut, as every block does that light does not pass.
 * @param {Bot} bot @param {Vec3} at @param {Task} task
 */
async function uncover (bot, at, task) {
  const lid = bot.blockAt(at.offset(0, 1, 0))
  const shuts = lid?.boundingBox === 'block' && bot.registry.blocks[lid.type].filterLight && !HOLDERS.test(lid.name)
  if (!lid || !shuts) return
  const why = bot.autocraft.bounds.keep(lid)
  if (why) throw new Fault(`The chest at ${place(at)} stays shut: ${lid.name} lies on it, and ${why}`)
  await breakBlock(bot, lid.position, task)
  task.say(`Dug ${lid.name}, which lay on the chest.`)
}

/** @param {import('mineflayer').Chest} chest @returns {Record<string, number>} */
function contents (chest) {
  /** @type {Counts} */
  const counts = {}
  for (const item of chest.containerItems()) counts[item.name] = (counts[item.name] || 0) + item.count
  return counts
}

/** @param {Bot} bot @param {any} args @param {Task} task */
function check_chest (bot, args, task) {
  return withChest(bot, args, task, async (chest) => `The chest at ${place(args)} holds: ${amounts(contents(chest))}`)
}

/**
 * Put up to `count` items of a name into a chest, or of each of several names with commas between.
 * @param {Bot} bot @param {any} args @param {Task} task
 */
async function deposit (bot, args, task) {
  const { name, count = 1 } = args
  const items = requireItems(bot, name, count)
  return withChest(bot, args, task, async (chest) => {
    for (const [item, many] of items) {
      await move(bot, chest, item, many, chest.deposit, 'went into the chest', task)
      bot.autocraft.tell({ event: 'did', what: `deposit ${item.name}`, count: many })
      task.say(`Put ${many} ${item.name} into the chest at ${place(args)}.`)
    }
    return `It holds: ${amounts(contents(chest))}`
  })
}

/**
 * Move items into or out of a chest. Throws a Fault that says how many were moved if it breaks off.
 * @param {Bot} bot @param {import('mineflayer').Chest} chest @param {ItemKind} item @param {number} count
 * @param {import('mineflayer').Chest['deposit']} act @param {string} how @param {Task} task
 */
async function move (bot, chest, item, count, act, how, task) {
  const { told } = bot.autocraft.hands
  const [before, held] = [contents(chest)[item.name] || 0, bot.inventory.count(item.id)]
  const moved = () => Math.abs(told === bot.autocraft.hands.told
    ? (contents(chest)[item.name] || 0) - before
    : bot.inventory.count(item.id) - held) // what the chest holds is not known after the server has closed it
  let why = MISSED
  try {
    await bot.autocraft.hands.clicks(task, act(item.id, null, count), 15, 'the chest')
  } catch (error) {
    if (task.stopped || error.kind === 'bounds') throw error
    why = reasonOf(error)
  }
  if (moved() === count) return
  throw new Fault(`${moved() < count ? 'Only ' : ''}${moved()} of ${count} ${item.name} ${how}: ${why}`)
}

/** @param {Bot} bot @param {any} args @param {Task} task */
async function withdraw (bot, args, task) {
  const { name, count = 1 } = args
  const item = itemOf(bot, name)
  return withChest(bot, args, task, async (chest) => {
    const there = contents(chest)[item.name] || 0
    if (!there) throw new Fault(`I don't see ${item.name} in this chest. It holds: ${amounts(contents(chest))}`)
    if (there < count) throw new Fault(`Not enough ${item.name} in chest: ${there} of ${count}`)
    const room = roomFor(bot, item)
    if (room < count) throw new Fault(`Too little room in the inventory: it takes ${room} of ${count} ${item.name}`)
    await move(bot, chest, item, count, chest.withdraw, 'came out', task)
    return `Took ${count} ${item.name} out of the chest at ${place(args)}. It holds: ${amounts(contents(chest))}`
  })
}

/**
 * Return how many items of a kind the inventory has room for. More would fall to the ground.
 * @param {Bot} bot @param {ItemKind} item
 */
function roomFor (bot, { id, stackSize }) {
  const stacks = bot.inventory.items().filter((each) => each.type === id)
  const free = bot.inventory.emptySlotCount() * stackSize
  return stacks.reduce((sum, each) => sum + Math.max(0, stackSize - each.count), free)
}

module.exports = { check_chest, deposit, withdraw }
