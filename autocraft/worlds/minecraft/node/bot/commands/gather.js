'use strict'
/** Choose tools, dig and pick up, for every command that breaks blocks. */
const need = require('../../shared/need')
const { Fault, checkBounds } = require('../../shared/fault')
const { tierOf } = require('../facts')
const { isFalling } = require('../nature')
const { amounts, difference, holdings, place } = require('../words')
const { LOOK, entityNear, keepsFromLava, stepAside } = require('./near')

const { goals } = need('mineflayer-pathfinder')

const FULL = 'the inventory is full (36/36), drop or store something first'
const NEW = 40 // ticks in which nobody can pick up what a player has thrown
const FETCH = 6 // seconds for the walk to an item, unless the command named the item
const ANSWERS = ['block_change', 'multi_block_change', 'acknowledge_player_digging']

/**
 * Return the weakest tool that harvests a block, or '' if bare hands do. A golden tool harvests what a wooden one does.
 * @param {Bot} bot @param {Pick<BlockKind, 'harvestTools'>} kind
 */
function neededTool (bot, kind) {
  if (!kind.harvestTools) return ''
  const names = Object.keys(kind.harvestTools).map((id) => bot.registry.items[Number(id)].name)
  return names.filter((name) => !name.startsWith('golden_'))
    .sort((a, b) => tierOf(bot.registry, a) - tierOf(bot.registry, b))[0] || ''
}

/**
 * Return the names of the items that a block may drop, or an empty set if the version's data does not say.
 * @param {Bot} bot @param {BlockKind} kind
 */
function dropsOf (bot, kind) {
  const deep = bot.registry.blocksByName[`deepslate_${kind.name}`]
  /** @type {any[]} */
  const facts = [kind, deep].filter(Boolean)
  /** @type {any} */
  const { blockLoot = {} } = bot.registry
  const loot = facts.flatMap(({ name }) => (blockLoot[name]?.drops ?? []).map((/** @type {any} */ { item }) => item))
  const ids = facts.flatMap(({ drops = [] }) => drops).map((each) => each.drop?.id ?? each.drop ?? each)
  const names = [...ids.map((id) => bot.registry.items[id]?.name), ...loot]
  // in 1.13 the data says that each block drops itself
  const known = names.some((each) => each !== kind.name) || (names.length && bot.registry.version['>=']('1.14'))
  return new Set(known ? [kind.name, ...names] : [])
}

/**
 * Tell whether something in the inventory harvests a block.
 * @param {Bot} bot @param {Pick<BlockKind, 'harvestTools'>} kind
 */
function canHarvest (bot, kind) {
  const { harvestTools } = kind
  return !harvestTools || bot.inventory.items().some((item) => harvestTools[item.type])
}

/**
 * Take the best tool for a block in hand. It must harvest the block. Of the fastest tools, one that does not wear is
 * taken first.
 * @param {Bot} bot @param {Block} block @param {Task} task @param {number} [own] the tool to take instead, by its id
 */
async function takeTool (bot, block, task, own) {
  if (own && bot.inventory.count(own)) return task.wait(bot.equip(own, 'hand'), 10)
  const tools = bot.inventory.items().filter((item) => !block.harvestTools || block.harvestTools[item.type])
  /** @param {Item | null} item */
  const time = (item) => block.digTime(item ? item.type : null, false, false, false, [], {})
  /** @param {Item} item */
  const wears = (item) => (bot.registry.items[item.type]?.maxDurability ? 1 : 0) // a server may have items of its own
  const best = tools.sort((a, b) => time(a) - time(b) || wears(a) - wears(b))[0]
  if (best && (block.harvestTools || time(best) < time(null))) await task.wait(bot.equip(best, 'hand'), 10)
  else if (bot.heldItem && wears(bot.heldItem) && bot.inventory.emptySlotCount()) { // else unequip throws it away
    await task.wait(bot.unequip('hand').catch(() => {}), 10)
  }
}

/**
 * Dig one block that is within reach, not from on top of it if lava is below. Throws a Fault if it stays.
 * @param {Bot} bot @param {Vec3} at @param {Task} task @param {number} [tool] to dig with, by its id
 */
async function breakBlock (bot, at, task, tool) {
  const block = bot.blockAt(at)
  if (!block || !block.diggable) throw new Fault(`there is nothing to dig at ${place(at)}`)
  checkBounds(bot.autocraft.bounds.keep(block))
  if (keepsFromLava(bot, at)) await stepAside(bot, at.offset(0, 1, 0), task)
  if (keepsFromLava(bot, at)) throw new Fault(`the bot stands on ${place(at)}, and would fall into the lava below`)
  const above = bot.blockAt(at.offset(0, 1, 0))?.type
  await bot.autocraft.hands.use(task, async () => {
    await takeTool(bot, block, task, tool)
    await task.wait(bot.dig(block, true), bot.digTime(block) / 1000 + 10, `digging ${block.name}`)
  })
  await waitForAnswer(bot, at, task)
  const now = bot.blockAt(at)
  if (now && now.type === block.type && !(isFalling(now.name) && above === now.type)) {
    throw Object.assign(
      new Fault(`the server did not let the bot break ${block.name} at ${place(at)}${bot.autocraft.sightings.reply()}`),
      { refused: true }
    )
  }
}

/**
 * Wait until the server has said whether a block is broken. mineflayer takes it for broken before that, and on a slow
 * connection the correction comes late. Some servers say nothing, so the wait is limited.
 * @param {Bot} bot @param {Vec3} at @param {Task} task
 */
async function waitForAnswer (bot, at, task) {
  let said = false
  /** @param {{location: Point}} parts */
  const hear = ({ location }) => {
    said = said || !location || (location.x === at.x && location.y === at.y && location.z === at.z)
  }
  for (const name of ANSWERS) bot._client.on(name, hear)
  try {
    await task.ticks(4)
    for (let waited = 0; !said && waited < 36; waited += 2) await task.ticks(2)
  } finally {
    for (const name of ANSWERS) bot._client.off(name, hear)
  }
}

/** Return why nothing more can be picked up, as the end of a sentence, or ''. @param {Bot} bot */
const room = (bot) => bot.inventory.emptySlotCount() ? '' : `: ${FULL}`

/**
 * Tell whether a stack has room in the inventory that a window shows.
 * @param {import('prismarine-windows').Window} window @param {Pick<Item, 'type' | 'count' | 'stackSize'>} stack
 */
const fits = (window, { type, count, stackSize }) => window.emptySlotCount() > 0 ||
  window.items().some((each) => each.type === type && each.count + count <= stackSize)

/**
 * Walk over the items that lie near a place.
 * @param {Bot} bot @param {Vec3} at @param {Task} task
 * @returns {Promise<number>} how many of them could not be picked up
 */
async function pickUp (bot, at, task, name = '') {
  /** @param {Entity} each */
  const isItem = (each) => each.name === 'item' && each.position.distanceTo(at) < 7 &&
    (name ? (droppedItem(each) || {}).name === name : !bot.autocraft.sightings.thrown.has(each.id))
  /** What a walk to one item drops of its own scaffold leads to no other walk. */
  const there = new Set(Object.values(bot.entities).map(({ id }) => id))
  const skipped = new Set()
  for (let tries = 0; tries < 8; tries++) {
    const item = entityNear(bot, LOOK, (each) => there.has(each.id) && isItem(each) && !skipped.has(each.id))
    if (!item) break
    bot.autocraft.sightings.thrown.delete(item.id) // else the bot would walk around an item that it now wants
    await bot.autocraft.hands.rest(task) // a fight takes none of the time
    const ends = Date.now() + FETCH * 1000
    const isLate = () => !name && Date.now() > ends
    /** Walk to where the item is now, since it may still fly. @param {number} far blocks from it */
    const go = (far) => {
      const { x, y, z } = item.position.floored()
      return bot.autocraft.travel(new goals.GoalNear(x, y, z, far), task, { x, y, z }, isLate)
    }
    try {
      await go(1)
      for (let wait = 0; wait <= NEW && bot.entities[item.id] && !isLate(); wait += 5) {
        if (wait === 10) await go(0)
        await task.ticks(5)
      }
    } catch (error) {
      task.goOnAfter(error)
    }
    if (bot.entities[item.id]) {
      skipped.add(item.id)
      task.say(`Failed to pickup ${droppedItem(item)?.name ?? 'item'}! Skip it!`)
    }
  }
  return skipped.size
}

/** @param {Entity} entity */
function droppedItem (entity) {
  try { return entity.getDroppedItem() } catch { return null }
}

/**
 * Return in one sentence what the inventory gained and lost, and how many there are now.
 * @param {Bot} bot @param {Counts} before
 */
function news (bot, before) {
  const now = holdings(bot)
  const changes = Object.entries(difference(before, now))
  /** @param {string} verb @param {number} sign */
  const part = (verb, sign) => {
    const some = changes.filter(([, by]) => by * sign > 0).map(([name, by]) => [name, by * sign])
    return some.length ? `${verb} ${amounts(Object.fromEntries(some))}. ` : ''
  }
  if (!changes.length) return 'The inventory is as before.'
  const held = Object.fromEntries(changes.map(([name]) => [name, now[name] || 0]))
  return `${part('Got', 1)}${part('Used', -1)}Now there are ${amounts(held)}.`
}

module.exports = { FULL, breakBlock, canHarvest, droppedItem, dropsOf, fits, neededTool, news, pickUp, room }
