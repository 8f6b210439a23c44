'use strict'
/** Work at a table or a furnace: one that stands near, or the one that the bot carries. */
const { Fault, reasonOf } = require('../../shared/fault')
const { refusal } = require('../mode')
const { spotFor } = require('../spots')
const { place } = require('../words')
const { FULL, canHarvest, fits, neededTool } = require('./gather')
const { dig } = require('./mine')
const { LOOK, approach, nearest, sparing } = require('./near')
const { place_item: placeItem } = require('./place')

/**
 * Do something at a table or a furnace: one within reach, else the one that the bot carries, else the nearest one. What
 * the bot carries it puts down, and takes up again. Throws a Fault if there is none.
 * @template T
 * @param {Bot} bot @param {string} name of the item @param {string} what the work is, such as 'make ladder'
 * @param {Counts} takes what the work takes of the inventory
 * @param {Task} task @param {(block: Block) => Promise<T>} act @returns {Promise<T>}
 */
async function atStation (bot, name, what, takes, task, act) {
  const names = [name, `lit_${name}`]
  const carried = bot.inventory.count(bot.registry.itemsByName[name].id) > (takes[name] ?? 0)
  const feet = bot.entity.position.floored()
  const own = carried && !nearest(bot, names) && !refusal(bot, 'place_item')
    ? spotFor(bot, name, (at) => !at.equals(feet))
    : null
  const at = own?.at ?? nearest(bot, names, LOOK)?.position
  if (!at) {
    throw new Fault(`No ${name.replace('_', ' ')} nearby` + (carried
      ? `, and no room here to put down the one that you carry: go to open ground to ${what}`
      : `: place a ${name} within ${LOOK} blocks to ${what}`))
  }
  await sparing(bot, Object.keys(takes), () => own ? putDown(bot, name, own, task) : approach(bot, at, task))
  const block = /** @type {Block} */ (bot.blockAt(at))
  if (!own) return act(block)
  try {
    return await act(block)
  } finally {
    if (!task.stopped) await takeUp(bot, block, task)
  }
}

/**
 * @param {Bot} bot @param {string} name @param {NonNullable<ReturnType<typeof spotFor>>} spot @param {Task} task
 */
async function putDown (bot, name, { at, digs }, task) {
  if (digs) task.say(await dig(bot, at, task))
  await bot.autocraft.journal.during('station', () => placeItem(bot, { name, ...at }, task))
}

/** Take up a table or a furnace, or say why it stays. @param {Bot} bot @param {Block} block @param {Task} task */
async function takeUp (bot, block, task) {
  const { name, position: at } = block
  /** @param {string} why */
  const stays = (why) => task.say(`The ${name} stays at ${place(at)}: ${why}.`)
  const item = bot.registry.itemsByName[name]
  if (!canHarvest(bot, block)) return stays(`only a ${neededTool(bot, block)} takes it up`)
  if (!fits(bot.inventory, { type: item.id, count: 1, stackSize: item.stackSize })) return stays(FULL)
  try {
    task.say(await dig(bot, at, task))
  } catch (error) {
    if (task.stopped || (error.kind && error.kind !== 'failed')) throw error
    stays(reasonOf(error))
  }
}

module.exports = { atStation }
