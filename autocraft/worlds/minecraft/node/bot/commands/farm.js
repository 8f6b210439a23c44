'use strict'
/** Fields, beds and fishing. */
const { Fault } = require('../fault')
const { holdings, itemOf, place } = require('../words')
const { news } = require('./gather')
const { approach, nearest } = require('./near')

const SEEDS = { wheat_seeds: 'wheat', carrot: 'carrots', potato: 'potatoes', beetroot_seeds: 'beetroots' }

async function till (bot, { x, y, z }, task) {
  const at = bot.vec(x, y, z).floored()
  const block = bot.blockAt(at)
  if (!block || !/^(dirt|grass_block|grass_path|dirt_path)$/.test(block.name)) throw new Fault(`only dirt and grass_block can be tilled, ${place(at)} is ${block ? block.name : 'not loaded'}`)
  const above = bot.blockAt(at.offset(0, 1, 0))
  if (above && !above.name.endsWith('air')) throw new Fault(`${above.name} is on top of ${place(at)}: dig it first`)
  const hoe = bot.inventory.items().find((item) => item.name.endsWith('_hoe'))
  if (!hoe) throw new Fault('No hoe in inventory')
  await approach(bot, at, task)
  await task.wait(bot.equip(hoe, 'hand'), 10)
  await task.wait(bot.activateBlock(block), 10, 'tilling')
  await task.ticks(5)
  if (bot.blockAt(at).name !== 'farmland') throw new Fault(`${place(at)} is still ${bot.blockAt(at).name}`)
  return `Tilled ${place(at)}.`
}

async function sow (bot, { name, x, y, z }, task) {
  const item = itemOf(bot, name)
  const crop = SEEDS[item.name]
  if (!crop) throw new Fault(`${item.name} cannot be sown: give ${Object.keys(SEEDS).join(', ')}`)
  if (!bot.inventory.count(item.id)) throw new Fault(`No ${item.name} in inventory`)
  let at = bot.vec(x, y, z).floored()
  if (bot.blockAt(at)?.name !== 'farmland' && bot.blockAt(at.offset(0, -1, 0))?.name === 'farmland') at = at.offset(0, -1, 0)
  const field = bot.blockAt(at)
  if (!field || field.name !== 'farmland') throw new Fault(`${place(at)} is ${field ? field.name : 'not loaded'}, not farmland: till it first`)
  await approach(bot, at, task)
  await task.wait(bot.equip(item.id, 'hand'), 10)
  await task.wait(bot.placeBlock(field, bot.vec(0, 1, 0)), 10, 'sowing')
  await task.ticks(3)
  return `Sowed ${item.name} at ${place(at.offset(0, 1, 0))}.`
}

async function sleep (bot, args, task) {
  const names = Object.keys(bot.registry.blocksByName).filter((name) => name === 'bed' || name.endsWith('_bed'))
  const bed = nearest(bot, names, 32)
  if (!bed) throw new Fault('No bed nearby, please explore first')
  await approach(bot, bed.position, task)
  try {
    await task.wait(bot.sleep(bed), 10, 'the bed')
  } catch (error) {
    if (task.stopped || (error.kind && error.kind !== 'failed')) throw error
    throw new Fault(`The bot cannot sleep: ${error.message}`)
  }
  const night = bot.time.day
  while (bot.isSleeping && bot.time.day === night && bot.time.timeOfDay > 12000) await task.ticks(10)
  await task.ticks(10)
  bot.isSleeping = false // not every server says that one is awake
  return `Slept in the bed at ${place(bed.position)}; it is ${bot.time.timeOfDay < 13000 ? 'day' : 'still night'}.`
}

async function fish (bot, args, task) {
  const rod = bot.inventory.items().find((item) => item.name === 'fishing_rod')
  if (!rod) throw new Fault('No fishing_rod in inventory')
  const water = nearest(bot, ['water'], 16)
  if (!water) throw new Fault('No water nearby, please explore first')
  const before = holdings(bot)
  await bot.travel(new bot.goals.GoalNear(water.position.x, water.position.y, water.position.z, 4), task, water.position)
  await task.wait(bot.equip(rod, 'hand'), 10)
  await bot.lookAt(water.position.offset(0.5, 1, 0.5), true)
  try {
    await task.wait(bot.fish(), 60, 'fishing')
  } catch (error) {
    if (task.stopped || error.kind === 'bounds') throw error
    bot.activateItem()
    throw new Fault('Finishing timeout, make sure you get to and look at a water block!')
  }
  await task.ticks(30)
  return `Fished. ${news(bot, before)}`
}

module.exports = { till, sow, sleep, fish }
