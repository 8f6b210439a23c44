'use strict'
/** Till, sow, sleep and fish. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { difference, holdings, itemOf, place, requireItem } = require('../words')
const { find } = require('../names')
const { dayOf } = require('../danger')
const { news, room } = require('./gather')
const { LOOK, approach, nearestBed, targets } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

/** @type {Record<string, string>} */
const SEEDS = { wheat_seeds: 'wheat', carrot: 'carrots', potato: 'potatoes', beetroot_seeds: 'beetroots' }
/**
 * Blocks above the water at which the rod is aimed, one after the other. The farther the water, the more the line falls
 * short.
 */
const AIMS = [0.4, 1.2, 2.2, 0]

/** @param {Bot} bot @param {{x: number, y: number, z: number}} parts @param {Task} task */
async function till (bot, { x, y, z }, task) {
  const at = new Vec3(x, y, z).floored()
  const block = bot.blockAt(at)
  const soils = ['dirt', 'grass_block', 'grass_path']
    .map((name) => find(bot.registry.blocksByName, name))
    .map((each) => each?.name)
  if (!block || !soils.includes(block.name)) {
    throw new Fault(`only dirt and grass_block can be tilled, ${place(at)} is ${block ? block.name : 'not loaded'}`)
  }
  const above = bot.blockAt(at.offset(0, 1, 0))
  if (above && !above.name.endsWith('air')) throw new Fault(`${above.name} is on top of ${place(at)}: dig it first`)
  const hoe = bot.inventory.items().find((item) => item.name.endsWith('_hoe'))
  if (!hoe) throw new Fault('No hoe in inventory')
  await approach(bot, at, task)
  await bot.autocraft.hands.use(task, async () => {
    await task.wait(bot.equip(hoe, 'hand'), 10)
    await task.wait(bot.activateBlock(block), 10, 'tilling')
    await task.ticks(5)
  })
  const now = bot.blockAt(at)
  if (now?.name !== 'farmland') throw new Fault(`${place(at)} is still ${now ? now.name : 'not loaded'}`)
  return `Tilled ${place(at)}.`
}

/** @param {Bot} bot @param {{name: string, x: number, y: number, z: number}} parts @param {Task} task */
async function sow (bot, { name, x, y, z }, task) {
  const item = itemOf(bot, name)
  if (!Object.hasOwn(SEEDS, item.name)) {
    throw new Fault(`${item.name} cannot be sown: give ${Object.keys(SEEDS).join(', ')}`)
  }
  requireItem(bot, name)
  let at = new Vec3(x, y, z).floored()
  if (bot.blockAt(at)?.name !== 'farmland' && bot.blockAt(at.offset(0, -1, 0))?.name === 'farmland') {
    at = at.offset(0, -1, 0)
  }
  const field = bot.blockAt(at)
  if (!field || field.name !== 'farmland') {
    throw new Fault(`${place(at)} is ${field ? field.name : 'not loaded'}, not farmland: till it first`)
  }
  await approach(bot, at, task)
  await bot.autocraft.hands.use(task, async () => {
    await task.wait(bot.equip(item.id, 'hand'), 10)
    await task.wait(bot.placeBlock(field, new Vec3(0, 1, 0), {}), 10, 'sowing')
    await task.ticks(3)
  })
  const crop = bot.blockAt(at.offset(0, 1, 0))
  if (!crop || crop.name.endsWith('air')) {
    throw new Fault(`the server did not let the bot sow ${item.name} at ${place(at)}${bot.autocraft.sightings.reply()}`)
  }
  return `Sowed ${item.name} at ${place(at.offset(0, 1, 0))}.`
}

/** @param {Bot} bot @param {object} args @param {Task} task */
async function sleep (bot, args, task) {
  const bed = nearestBed(bot, LOOK)
  if (!bed) throw new Fault('No bed nearby, please explore first')
  await approach(bot, bed.position, task)
  try {
    await task.wait(bot.sleep(bed), 10, 'the bed')
  } catch (error) {
    task.goOnAfter(error)
    throw new Fault(`The bot cannot sleep: ${reasonOf(error)}`)
  }
  const night = bot.time.day
  while (bot.isSleeping && bot.time.day === night && bot.time.timeOfDay > 12000) await task.ticks(10)
  await task.ticks(10)
  bot.isSleeping = false // not every server says that the bot is awake
  const now = bot.time.timeOfDay < 13000 ? `day ${dayOf(bot)}` : 'still night'
  return `Slept in the bed at ${place(bed.position)}; it is ${now}.`
}

/** @param {Bot} bot @param {object} args @param {Task} task */
async function fish (bot, args, task) {
  const rod = bot.inventory.items().find((item) => item.name === 'fishing_rod')
  if (!rod) throw new Fault('No fishing_rod in inventory')
  const [water] = targets(bot, [bot.registry.blocksByName.water.id], LOOK)
  if (!water) throw new Fault('No water nearby, please explore first')
  const before = holdings(bot)
  await bot.autocraft.travel(new goals.GoalNear(water.x, water.y, water.z, 3), task, water)
  return bot.autocraft.hands.use(task, () => cast(bot, rod, water, before, task))
}

/**
 * Throw the rod until the bobber swims, and wait for the bite.
 * @param {Bot} bot @param {Item} rod @param {Vec3} water @param {Counts} before @param {Task} task
 */
async function cast (bot, rod, water, before, task) {
  await task.wait(bot.equip(rod, 'hand'), 10)
  for (const higher of AIMS) {
    await bot.lookAt(water.offset(0.5, 0.9 + higher, 0.5), true)
    await task.ticks(2)
    const bite = bot.fish()
    bite.catch(() => {})
    await task.ticks(30)
    if (floats(bot, water)) return waitForCatch(bot, bite, before, task)
    bot.activateItem() // pull the line in again
    await task.ticks(10)
  }
  throw new Fault('Finishing timeout, make sure you get to and look at a water block!')
}

/**
 * Wait for the bite, and until the caught item has arrived.
 * @param {Bot} bot @param {Promise<void>} bite @param {Counts} before @param {Task} task
 */
async function waitForCatch (bot, bite, before, task) {
  try {
    await task.wait(bite, 60, 'fishing')
  } catch (error) {
    if (task.stopped || error.kind === 'bounds') throw error
    bot.activateItem()
    throw new Fault('Finishing timeout, make sure you get to and look at a water block!')
  }
  await task.ticks(30)
  if (!Object.values(difference(before, holdings(bot))).some((by) => by > 0)) {
    throw new Fault(`Something bit, but nothing came into the inventory${room(bot)}.`)
  }
  return `Fished. ${news(bot, before)}`
}

/**
 * Tell whether the bobber fell into water. If no bobber is seen, return true, so that only a bobber that is known to be
 * on land is thrown again.
 * @param {Bot} bot @param {Vec3} near
 */
function floats (bot, near) {
  const bobber = Object.values(bot.entities)
    .filter((each) => /bobber|fishing_hook|fishing_float/i.test(each.name || ''))
    .sort((a, b) => a.position.distanceTo(near) - b.position.distanceTo(near))[0]
  if (!bobber) return true
  return [0, -0.6].some((dy) => (bot.blockAt(bobber.position.offset(0, dy, 0)) || {}).name === 'water')
}

module.exports = { till, sow, sleep, fish }
