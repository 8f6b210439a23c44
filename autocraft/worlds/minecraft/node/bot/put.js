'use strict'
/** Put a block against another one, for every command that places blocks. */
const { Fault, reasonOf } = require('../shared/fault')
const { isUsed } = require('./nature')
const { place } = require('./words')

const HOLDERS = /^(trapped_)?chest$|^barrel$/ // which the bot knows to be empty when it places them

/** Return the name of the block that an item becomes when it is placed. @param {string} name */
const blockNameOf = (name) =>
  ({
    wheat_seeds: 'wheat', carrot: 'carrots', potato: 'potatoes', beetroot_seeds: 'beetroots', redstone: 'redstone_wire',
    string: 'tripwire', water_bucket: 'water', lava_bucket: 'lava'
  })[name] || name

/**
 * Put the item in hand against a block, and check that the new block stands there. Throws a Fault if it does not.
 * @param {Bot} bot @param {ItemKind} item @param {Block} ground @param {Vec3} side from the place to it
 * @param {Task} task @param {import('./patches/blocks').Aim} [aim]
 */
async function put (bot, item, ground, side, task, aim = {}) {
  const at = ground.position.minus(side)
  const before = bot.blockAt(at)
  const sneaks = isUsed(ground.name)
  try {
    if (sneaks) { bot.setControlState('sneak', true); await task.ticks(2) }
    await task.wait(bot.placeBlock(ground, side.scaled(-1), aim), 10, 'placing')
  } catch (error) {
    task.goOnAfter(error)
    await task.ticks(4)
    const now = bot.blockAt(at)
    if (!now || now.name !== blockNameOf(item.name)) {
      throw new Fault(
        `Error placing ${item.name}: ${reasonOf(error)}, please find another position to place` +
        bot.autocraft.sightings.reply()
      )
    }
  } finally {
    if (sneaks) bot.setControlState('sneak', false)
  }
  await task.ticks(2)
  if (bot.blockAt(at)?.stateId === before?.stateId) {
    const said = bot.autocraft.sightings.reply()
    throw new Fault(`the server did not let the bot place ${item.name} at ${place(at)}${said}`)
  }
  if (HOLDERS.test(blockNameOf(item.name))) bot.autocraft.sightings.chest(at, {})
  return `Placed ${item.name} at ${place(at)}.`
}

module.exports = { put }
