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
 * @typedef {{name: string, what: string, takes: Counts, isEmpty?: (block: Block) => Promise<boolean>}} Work `name` of
 *   the item at which it is done, what it is, such as 'make ladder', what it takes of the inventory, and whether
 *   nothing is left in the block
 */

/**
 * Do something at a table or a furnace: one within reach, else the one that the bot carries, else the nearest one. What
 * the bot carries it puts down, and takes up again. Throws a Fault if there is none.
 * @template T
 * @param {Bot} bot @param {Work} work @param {Task} task @param {(block: Block) => Promise<T>} act
 * @returns {Promise<T>}
 */
async function atStation (bot, work, task, act) {
  const { name, what, takes } = work
  const names = [name, `lit_${name}`]
  const feet = bot.entity.position.floored()
  const isCarried = bot.inventory.count(bot.registry.itemsByName[name].id) > (takes[name] ?? 0)
  const refused = refusal(bot, 'place_item')
  const own = isCarried && !refused && !nearest(bot, names) ? spotFor(bot, name, (at) => !at.equals(feet)) : null
  const at = own?.at ?? nearest(bot, names, LOOK)?.position
  if (!at) {
    const carried = refused ? `the one that you carry cannot be put down: ${refused}`
      : `there is no room here to put down the one that you carry: go to open ground to ${what}`
    throw new Fault(`No ${name.replace('_', ' ')} nearby` +
      (isCarried ? `, and ${carried}` : `: place a ${name} within ${LOOK} blocks to ${what}`))
  }
  await sparing(bot, Object.keys(takes), () => own ? putDown(bot, name, own, task) : approach(bot, at, task))
  const block = /** @type {Block} */ (bot.blockAt(at))
  if (!own) return act(block)
  try {
    return await act(block)
  } finally {
    await takeUp(bot, work, block, task)
  }
}

/**
 * @param {Bot} bot @param {string} name @param {NonNullable<ReturnType<typeof spotFor>>} spot @param {Task} task
 */
async function putDown (bot, name, { at, digs }, task) {
  if (digs) task.say(await dig(bot, at, task))
  await bot.autocraft.journal.during('station', () => placeItem(bot, { name, ...at }, task))
}

/**
 * Take up a table or a furnace, or say why it stays. One that may hold something is from then on the work of a command,
 * so that no walk breaks it.
 * @param {Bot} bot @param {Work} work @param {Block} block @param {Task} task
 */
async function takeUp (bot, { name, isEmpty = async () => true }, block, task) {
  const { position: at } = block
  const { id, stackSize } = bot.registry.itemsByName[name]
  /** @param {string} why */
  const stays = (why) => task.say(`The ${name} stays at ${place(at)}: ${why}.`)
  /** @param {string} why */
  const keeps = (why) => { bot.autocraft.journal.keep(at); stays(why) }
  if (task.stopped) return keeps('the command was ended')
  try {
    if (!(await isEmpty(block))) return keeps('something is left in it')
    if (!canHarvest(bot, block)) return stays(`only a ${neededTool(bot, block)} takes it up`)
    if (!fits(bot.inventory, { type: id, count: 1, stackSize })) return stays(FULL)
    task.say(await dig(bot, at, task))
  } catch (error) {
    keeps(reasonOf(error))
    task.goOnAfter(error)
  }
}

module.exports = { atStation }
