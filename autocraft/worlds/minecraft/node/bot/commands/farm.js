'use strict'
/** Till, sow, sleep and fish. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { difference, holdings, itemOf, place, requireItem } = require('../words')
const { find } = require('../names')
const { dayOf } = require('../danger')
const { news, room } = require('./gather')
const { CROPS, FIELD, SOIL, isFree, wetness } = require('../plan/farm')
const { LEVEL } = require('../sides')
const { LOOK, approach, nearestBed, positions, targets } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const FAILURES = 2 // places where it did not work, after which a command stops trying
const DRY = 1000 // blocks that soil without water is farther away
/**
 * Blocks above the water at which the rod is aimed, one after the other. The farther the water, the more the line falls
 * short.
 */
const AIMS = [0.4, 1.2, 2.2, 0]

/**
 * Till a block, and then more soil beside what is tilled, first what water keeps wet.
 * @param {Bot} bot @param {{x: number, y: number, z: number, count?: number}} parts @param {Task} task
 */
async function till (bot, { x, y, z, count = 1 }, task) {
  const first = new Vec3(x, y, z).floored()
  const isWet = count > 1 ? wetness(bot) : () => false
  /** @param {Vec3} at */
  const far = (at) => at.distanceSquared(first) + (isWet(at) ? 0 : DRY)
  /** @param {Vec3[]} done @param {(at: Vec3) => boolean} isNew */
  const next = (done, isNew) => done
    .flatMap((at) => LEVEL.flatMap((side) => [0, -1, 1].map((up) => at.plus(side).offset(0, up, 0))))
    .filter((at) => isNew(at) && canTill(bot, at) && isInField(at, first))
    .sort((a, b) => far(a) - far(b))[0]
  const { done, rest } = await spread(task, first, count, next, 'no more free soil is beside it', async (at) => {
    await tillOne(bot, at, task)
    bot.autocraft.tell({ event: 'did', what: 'till', count: 1 })
  })
  return `Tilled ${done > 1 ? `${done} blocks from ${place(first)} on` : place(first)}${rest}.`
}

/**
 * Tell whether a block may be tilled that nobody has named: natural soil with nothing on it.
 * @param {Bot} bot @param {Vec3} at
 */
function canTill (bot, at) {
  const block = bot.blockAt(at)
  return block !== null && isOf(bot, block, SOIL) && isFree(bot, at) && !bot.autocraft.bounds.stays(block)
}

/** Tell whether a block is of one of some kinds. @param {Bot} bot @param {Block} block @param {string[]} names */
const isOf = (bot, { name }, names) => names.some((each) => find(bot.registry.blocksByName, each)?.name === name)

/** Tell whether a place belongs to a field that begins at another one. @param {Vec3} at @param {Vec3} first */
const isInField = (at, first) =>
  Math.max(Math.abs(at.x - first.x), Math.abs(at.y - first.y), Math.abs(at.z - first.z)) <= FIELD

/** @param {Bot} bot @param {Vec3} at @param {Task} task */
async function tillOne (bot, at, task) {
  const block = bot.blockAt(at)
  if (!block || !isOf(bot, block, [...SOIL, 'grass_path'])) {
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
}

/**
 * Sow at a place, and then on the nearest free farmland of the same field.
 * @param {Bot} bot @param {{name: string, x: number, y: number, z: number, count?: number}} parts @param {Task} task
 */
async function sow (bot, { name, x, y, z, count = 1 }, task) {
  const item = itemOf(bot, name)
  const seeds = Object.values(CROPS).map(({ seed }) => seed)
  if (!seeds.includes(item.name)) throw new Fault(`${item.name} cannot be sown: give ${seeds.join(', ')}`)
  let first = new Vec3(x, y, z).floored()
  if (bot.blockAt(first)?.name !== 'farmland' && bot.blockAt(first.offset(0, -1, 0))?.name === 'farmland') {
    first = first.offset(0, -1, 0)
  }
  /** @param {Vec3[]} done @param {(at: Vec3) => boolean} isNew */
  const next = (done, isNew) => positions(bot, [bot.registry.blocksByName.farmland.id], LOOK, 512)
    .filter((at) => isNew(at) && isFree(bot, at) && isInField(at, first))
    .sort((a, b) => a.distanceSquared(first) - b.distanceSquared(first))[0]
  const { done, rest } = await spread(task, first, count, next, 'no more free farmland is near', async (at) => {
    await sowOne(bot, item, at, task)
    bot.autocraft.tell({ event: 'did', what: `sow ${item.name}`, count: 1 })
  })
  const where = place(first.offset(0, 1, 0))
  return `Sowed ${done > 1 ? `${done} ${item.name} from ${where} on` : `${item.name} at ${where}`}${rest}.`
}

/** @param {Bot} bot @param {ItemKind} item @param {Vec3} at @param {Task} task */
async function sowOne (bot, item, at, task) {
  requireItem(bot, item.name)
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
}

/**
 * Do something at a place and then at others, until it is done `count` times. Return how often it was done and, as the
 * end of a sentence, why not more often. Throw the fault of the first place.
 * @param {Task} task @param {Vec3} first @param {number} count
 * @param {(done: Vec3[], isNew: (at: Vec3) => boolean) => Vec3 | undefined} next
 * @param {string} none why not more often if there is no other place @param {(at: Vec3) => Promise<void>} act
 */
async function spread (task, first, count, next, none, act) {
  /** @type {Vec3[]} */
  const done = []
  const tried = new Set()
  /** @type {Vec3 | undefined} */
  let at = first
  let why = none
  while (at && done.length < count && tried.size - done.length < FAILURES) {
    task.check()
    task.progress = `${done.length} of ${count}`
    tried.add(place(at))
    try {
      await act(at)
      done.push(at)
    } catch (error) {
      if (!done.length) throw error
      task.goOnAfter(error)
      why = reasonOf(error)
    }
    at = next(done, (each) => !tried.has(place(each)))
  }
  return { done: done.length, rest: done.length < count ? `, and no more of ${count}: ${why}` : '' }
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
