'use strict'
/** Break blocks and gather what they drop. */
const need = require('../../shared/need')
const { Fault, checkBounds, reasonOf } = require('../../shared/fault')
const { dropsAlways, isSheared } = require('../nature')
const { isRipe } = require('../plan/farm')
const { isHere, isInTime } = require('../sightings')
const { blockOf, difference, holdings, itemOf, place } = require('../words')
const { FULL, breakBlock, canHarvest, droppedItem, dropsOf, neededTool, news, pickUp, room } = require('./gather')
const { LOOK, approach, entityNear, inOrder, positions, targets } = require('./near')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

/**
 * Blocks from which the bot goes back to where it died, though its items may be gone. From farther away it goes while
 * they certainly lie there.
 */
const GRAVE = 96
const HEAP = 7 // blocks around that place in which its items lie

const REFUSALS = 2 // blocks that the server does not let the bot break, after which it stops trying

/** @param {Bot} bot @param {{name: string, count?: number}} parts @param {Task} task */
async function mine_block (bot, { name, count = 1 }, task) {
  const kind = blockOf(bot, name)
  const ids = [kind, bot.registry.blocksByName[`deepslate_${kind.name}`]].filter(Boolean).map((each) => each.id)
  if (!kind.diggable) throw new Fault(`${kind.name} cannot be mined`)
  const before = holdings(bot)
  const shears = isSheared(kind) && bot.heldItem?.name === 'shears' ? bot.heldItem.type : undefined
  const skipped = new Set()
  const ground = Math.floor(bot.entity.position.y)
  const begun = bot.autocraft.journal.broken.length
  let mined = 0
  let lost = 0
  let refusals = 0
  let interrupted = 0
  let why = ''
  /** @type {Vec3 | undefined} */
  let last
  const done = () => Math.max(mined, brokenSince(bot, kind, begun))
  while (done() < count) {
    task.check()
    task.progress = `${done()} of ${count} ${kind.name}`
    const found = targets(bot, ids, LOOK, 512)
    const at = inOrder(bot, found, ground).find((each) => {
      const block = bot.blockAt(each)
      return !skipped.has(place(each)) && isRipe(block) && !bot.autocraft.bounds.keep(block)
    })
    if (!at) {
      const lies = positions(bot, ids, LOOK).length && !found.length
      if (lies) why ||= `the ${kind.name} nearby lies on lava, into which it would fall`
      if (!found.every((each) => isRipe(bot.blockAt(each)))) {
        why ||= `No ${mined ? 'more ' : ''}ripe ${kind.name} nearby: wait until it has grown, or dig it`
      }
      break
    }
    if (!canHarvest(bot, kind)) { // or can no longer, if the tool broke
      why = `I need at least a ${neededTool(bot, kind)} to mine ${kind.name}!  Skip it!`
      break
    }
    const { interruptions } = bot.autocraft.hands
    const soFar = done()
    try {
      await approach(bot, at, task)
      const isThere = ids.includes(bot.blockAt(at)?.type ?? -1)
      if (!isThere && done() === soFar) continue // somebody else has broken it meanwhile
      if (isThere && done() < count) {
        await breakBlock(bot, at, task, shears)
        mined++
        last = at
      }
      await task.ticks(6)
      lost += await pickUp(bot, at, task)
      if (lost && room(bot)) { why = FULL; break }
    } catch (error) {
      task.goOnAfter(error)
      if (bot.autocraft.hands.interruptions !== interruptions && interrupted++ < 20) continue // a reflex interrupted it
      why = reasonOf(error)
      refusals += error.refused ? 1 : 0
      if (skipped.size >= 5 || refusals >= REFUSALS) break
    }
    skipped.add(place(at))
  }
  mined = Math.min(count, done())
  const change = difference(before, holdings(bot))
  const gained = gain(bot, kind, change)
  if (mined && (lost || dropsAlways(bot.registry, kind)) && gained < (lost ? Math.min(mined, count) : 1)) {
    throw new Fault(`Mined ${mined} ${kind.name}, but got ${gained} of what it drops${room(bot)}. ${news(bot, before)}`)
  }
  if (mined < count) {
    const rest = why || `No ${mined ? 'more ' : ''}${kind.name} nearby, please explore first`
    throw new Fault(mined ? `Mined only ${mined} of ${count} ${kind.name}: ${rest}. ${news(bot, before)}` : rest)
  }
  // the place tells that another block was tried, where trying again is right: one grass in eight drops a seed
  const where = last && !Object.keys(change).length ? `${mined > 1 ? ', the last' : ''} at ${place(last)}` : ''
  return `Mined ${mined} ${kind.name}${where}. ${news(bot, before)}`
}

/**
 * Return how many blocks of a kind the bot has broken since `begun`, an index into its journal. The pathfinder breaks
 * some on its way too.
 * @param {Bot} bot @param {BlockKind} kind @param {number} begun
 */
function brokenSince (bot, kind, begun) {
  const all = bot.autocraft.journal.broken.slice(begun)
  return all.filter(({ name, at }) => name === kind.name && bot.blockAt(at)?.name !== name).length
}

/**
 * Return how many items came that a block drops, or how many of any kind if its drops are not known.
 * @param {Bot} bot @param {BlockKind} kind @param {Counts} change
 */
function gain (bot, kind, change) {
  const names = dropsOf(bot, kind)
  const counts = Object.entries(change).filter(([name, by]) => by > 0 && (!names.size || names.has(name)))
  return counts.reduce((sum, [, by]) => sum + by, 0)
}

/**
 * Pick up items that lie near. Also go back to the place where the bot died, if it is not far or the items lost
 * there still lie there when it comes.
 * @param {Bot} bot @param {{name: string}} parts @param {Task} task
 */
async function collect (bot, { name }, task) {
  const item = itemOf(bot, name)
  const before = holdings(bot)
  const look = () =>
    entityNear(bot, LOOK, (each) => each.name === 'item' && (droppedItem(each) || {}).name === item.name)
  const { grave } = bot.autocraft.sightings
  const at = grave && isHere(bot, grave) && new Vec3(grave.x, grave.y, grave.z)
  let lies = look()
  const far = at ? at.distanceTo(lies?.position ?? bot.entity.position) : Infinity
  if (at && (far <= (lies ? HEAP : GRAVE) || (!lies && isInTime(bot, grave)))) {
    task.say(`Going to ${place(at)}, where the bot died`)
    try {
      await bot.autocraft.travel(new goals.GoalNear(at.x, at.y, at.z, 2), task, at)
    } finally {
      if (!task.stopped) bot.autocraft.sightings.grave = null // an interrupted walk can be tried again
    }
    await task.ticks(10)
    await pickUp(bot, at, task)
    if (difference(before, holdings(bot))[item.name] > 0) return `Collect finish! ${news(bot, before)}`
    lies = look()
  }
  if (!lies) throw new Fault(`No ${item.name} lies nearby, please explore first`)
  await pickUp(bot, lies.position.clone(), task, item.name)
  if (!(difference(before, holdings(bot))[item.name] > 0)) {
    throw new Fault(`${item.name} lies at ${place(lies.position)}, but could not be picked up${room(bot)}`)
  }
  return `Collect finish! ${news(bot, before)}`
}

/** @param {Bot} bot @param {{x: number, y: number, z: number}} parts @param {Task} task */
async function dig (bot, { x, y, z }, task) {
  const at = new Vec3(x, y, z).floored()
  const block = bot.blockAt(at)
  if (!block) throw new Fault(`${place(at)} is not loaded: go nearer first`)
  if (!block.diggable || block.name.endsWith('air')) {
    throw new Fault(`there is nothing to dig at ${place(at)}, it is ${block.name}`)
  }
  checkBounds(bot.autocraft.bounds.keep(block))
  const before = holdings(bot)
  if (!canHarvest(bot, block)) task.say(`${block.name} drops nothing without at least a ${neededTool(bot, block)}.`)
  await approach(bot, at, task)
  await breakBlock(bot, at, task)
  await task.ticks(6)
  await pickUp(bot, at, task)
  return `Dug ${block.name} at ${place(at)}. ${news(bot, before)}`
}

module.exports = { mine_block, collect, dig }
