'use strict'
/**
 * Close the bot in, where no monster reaches it: in a hole that it digs, or between blocks that it places around it.
 */
const need = require('../shared/need')
const { Fault } = require('../shared/fault')
const { breakBlock, canHarvest } = require('./commands/gather')
const { arm, blow, monsters, nameAt, recharge, solid } = require('./danger')
const { fillers, isUsed, remains } = require('./nature')
const { LEVEL, SIDES } = require('./sides')
const { EYES } = require('./sight')
const { place } = require('./words')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const DEEP = 3 // blocks of depth of a hole, so that the ground around its mouth holds a lid
const WIDE = 6 // blocks around the bot in which a place for a hole is searched
const SUNK = 0.2 // blocks by which farmland and soul sand are lower than others
const SLOW = 4000 // milliseconds that digging one block may take
const BLOWS = 12 // with which the bot drives out a monster before it closes itself in

/** Return the block in which the feet are, which is not the farmland below them. @param {Entity} entity */
const feetOf = ({ position }) => position.offset(0, SUNK, 0).floored()

/** Return the places around a bot that stands at `feet`, through which something could come. @param {Vec3} feet */
const around = (feet) => [
  feet.offset(0, -1, 0), ...LEVEL.map((way) => feet.plus(way)), ...LEVEL.map((way) => feet.plus(way).offset(0, 1, 0)),
  feet.offset(0, 2, 0)
]

/** Return what the bot can fill places with, the least worth first. @param {Bot} bot */
const fillings = (bot) =>
  fillers(bot.registry).flatMap((name) => bot.inventory.items().filter((item) => item.name === name))
/** @param {Bot} bot */
const amount = (bot) => fillings(bot).reduce((sum, item) => sum + item.count, 0)

/** Tell whether the bot is closed in. @param {Bot} bot */
function closedIn (bot) {
  const feet = feetOf(bot.entity)
  return !liquid(bot, feet) && !liquid(bot, feet.offset(0, 1, 0)) && around(feet).every((at) => solid(bot, at))
}

/**
 * Return the nearest monster that stands where the bot stands, or in one of the places `more`, or undefined.
 * @param {Bot} bot @param {...Vec3} more
 */
function inside (bot, ...more) {
  const feet = feetOf(bot.entity)
  const places = [feet, feet.offset(0, 1, 0), ...more]
  return monsters(bot, 3).find((each) => places.some((at) => at.equals(feetOf(each))))
}

/** @param {Bot} bot @param {Vec3} at */
const liquid = (bot, at) => /water|lava|bubble/.test(nameAt(bot, at))

/** Close the bot in. Throws a Fault if it has no means for it. @param {Bot} bot @param {Task} task */
async function closeIn (bot, task) {
  if (!closedIn(bot)) await bot.autocraft.journal.during('shelter', () => closeAround(bot, task))
}

/** @param {Bot} bot @param {Task} task */
async function closeAround (bot, task) {
  const feet = feetOf(bot.entity)
  const open = around(feet).filter((at) => !solid(bot, at)).length
  const hole = holeNear(bot)
  const here = !liquid(bot, feet) && amount(bot) > open + 1
  if (!hole && !here) throw new Fault('there is no ground to dig in, and there are not enough blocks to close it with')
  if (hole && !(here && open <= DEEP)) await digIn(bot, hole, task)
  await close(bot, task)
  if (closedIn(bot)) return
  const holes = around(feetOf(bot.entity)).filter((at) => !solid(bot, at)).map(place).join(', ')
  throw new Fault(`the bot could not close itself in at ${place(bot.entity.position)}: it is open at ${holes}`)
}

/**
 * Return the nearest place where a hole can be dug quickly and is safe, or null.
 * @param {Bot} bot @returns {Vec3 | null}
 */
function holeNear (bot) {
  const feet = feetOf(bot.entity)
  /** @type {Vec3[]} */
  const found = []
  for (let dy = -2; dy <= 2; dy++) {
    for (let dx = -WIDE; dx <= WIDE; dx++) {
      for (let dz = -WIDE; dz <= WIDE; dz++) found.push(feet.offset(dx, dy, dz))
    }
  }
  found.sort((a, b) => a.distanceSquared(feet) - b.distanceSquared(feet) || a.x - b.x || a.z - b.z)
  return found.find((at) => holds(bot, at)) ?? null
}

/** Tell whether a hole can be dug at a place, and closed. @param {Bot} bot @param {Vec3} at */
function holds (bot, at) {
  if ([0, 1].some((dy) => solid(bot, at.offset(0, dy, 0)) || liquid(bot, at.offset(0, dy, 0)))) return false
  let gained = amount(bot)
  let open = 1
  for (let down = 1; down <= DEEP; down++) {
    const cell = at.offset(0, -down, 0)
    const block = bot.blockAt(cell)
    if (!block || block.boundingBox !== 'block' || !block.diggable || bot.autocraft.bounds.stays(block)) return false
    if (block.name === 'farmland' || bot.autocraft.bounds.outside(cell) || quickest(bot, block) > SLOW) return false
    if (canHarvest(bot, block) && fillers(bot.registry).includes(remains(bot.registry, block.name))) gained++
    if (down === 1 && !LEVEL.some((way) => solid(bot, cell.plus(way)))) return false
    for (const way of LEVEL) {
      if (liquid(bot, cell.plus(way))) return false
      if (down > 1 && !solid(bot, cell.plus(way))) open++
    }
  }
  return solid(bot, at.offset(0, -DEEP - 1, 0)) && gained >= open
}

/**
 * Return the milliseconds that digging takes with the best tool that is there.
 * @param {Bot} bot @param {Block} block
 */
function quickest (bot, block) {
  const tools = [null, ...bot.inventory.items().map((item) => item.type)]
  return Math.min(...tools.map((tool) => block.digTime(tool, false, false, false, [], {})))
}

/** @param {Bot} bot @param {Vec3} at @param {Task} task */
async function digIn (bot, at, task) {
  if (!feetOf(bot.entity).equals(at)) {
    await bot.autocraft.travel(new goals.GoalBlock(at.x, at.y, at.z), task, at)
  }
  for (let down = 1; down <= DEEP; down++) {
    const cell = at.offset(0, -down, 0)
    await stepTo(bot, at, task)
    if (solid(bot, cell)) await breakBlock(bot, cell, task)
    for (let wait = 0; wait < 20 && bot.entity.position.y > cell.y + 0.1; wait += 2) {
      await stepTo(bot, at, task)
      await task.ticks(2)
    }
  }
  await task.ticks(10) // wait until the bot has picked up what it dug
}

/** Walk to the middle of a column of blocks. @param {Bot} bot @param {Vec3} at @param {Task} task */
async function stepTo (bot, at, task) {
  for (let turn = 0; turn < 12; turn++) {
    const middle = new Vec3(at.x + 0.5, bot.entity.position.y, at.z + 0.5)
    if (bot.entity.position.distanceTo(middle) < 0.19) break
    await bot.lookAt(middle.offset(0, EYES, 0), true)
    bot.setControlState('sneak', true)
    bot.setControlState('forward', true)
    await task.ticks(1)
  }
  bot.clearControlStates()
}

/**
 * Place blocks at the open places around the bot. The place above it comes last. Before the last one is closed, what
 * came in is killed.
 * @param {Bot} bot @param {Task} task
 */
async function close (bot, task) {
  const open = around(feetOf(bot.entity)).filter((at) => !solid(bot, at))
  for (const [left, at] of open.entries()) {
    if (left === open.length - 1) await clear(bot, at, task)
    if (solid(bot, at)) continue
    if (!sideOf(bot, at)) {
      const side = LEVEL.map((way) => at.plus(way)).find((each) => sideOf(bot, each))
      if (side) await fill(bot, side, task)
    }
    await fill(bot, at, task)
  }
}

/**
 * Kill the monsters that stand with the bot, or in the last open place. Throws a Fault if one stays.
 * @param {Bot} bot @param {Vec3} last @param {Task} task
 */
async function clear (bot, last, task) {
  const { fight = 'back' } = bot.autocraft.options.reflexes ?? {}
  for (let blows = 0; ; blows++) {
    const mob = inside(bot, last)
    if (!mob) return
    if (blows === BLOWS || fight !== 'back' || bot.autocraft.bounds.spare(mob)) {
      throw new Fault(`${mob.name} stands where the bot would close itself in: kill it, or go away from it first`)
    }
    await arm(bot, task)
    await blow(bot, mob)
    await task.ticks(recharge(bot))
  }
}

/**
 * Return the way to a block against which one can be placed, or undefined. A click on a furnace would open it.
 * @param {Bot} bot @param {Vec3} at
 */
const sideOf = (bot, at) =>
  SIDES.find((way) => solid(bot, at.plus(way)) && !isUsed(nameAt(bot, at.plus(way))))

/**
 * Place a plain block, if the bot has one and there is a block to place it against. A crop or another plant that is
 * there is broken first.
 * @param {Bot} bot @param {Vec3} at @param {Task} task
 */
async function fill (bot, at, task) {
  const [item] = fillings(bot)
  const side = sideOf(bot, at)
  const ground = side && bot.blockAt(at.plus(side))
  if (!item || !side || !ground) return
  try {
    if (!/air$|^$/.test(nameAt(bot, at)) && !liquid(bot, at)) await breakBlock(bot, at, task)
    await task.wait(bot.equip(item, 'hand'), 5)
    await task.wait(bot.placeBlock(ground, side.scaled(-1), {}), 6, 'placing')
  } catch (error) {
    task.goOnAfter(error)
    console.error('fill', at, error.message)
  }
  await task.ticks(1)
}

module.exports = { closeIn, closedIn, inside }
