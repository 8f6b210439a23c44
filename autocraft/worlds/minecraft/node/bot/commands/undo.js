'use strict'
/** Undo changes for the person: dig what a command placed, and place again what it broke. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { PLANT } = require('../site')
const { holdings, place } = require('../words')
const { approach } = require('./near')
const { breakBlock, pickUp } = require('./gather')
const { place_item } = require('./place')

const { Vec3 } = need('vec3')

const EARTH = /^(grass_block|podzol|mycelium|grass_path|dirt_path|farmland)$/

/** @param {Bot} bot @param {{changes: Change[]}} parts @param {Task} task */
async function put_back (bot, { changes }, task) {
  const left = []
  let plants = 0
  for (const { x, y, z, before, after } of [...changes].reverse()) {
    const at = new Vec3(x, y, z)
    try {
      const now = bot.blockAt(at)
      if (now?.name === before) continue
      if (!now || now.name !== after) throw new Fault(`it is ${now ? now.name : 'not loaded'} by now`)
      if (!after.endsWith('air')) {
        await approach(bot, at, task)
        await breakBlock(bot, at, task)
        await task.ticks(6)
        await pickUp(bot, at, task)
      }
      if (PLANT.test(before)) plants++
      else if (!before.endsWith('air')) await place_item(bot, { name: standIn(bot, before), x, y, z }, task)
    } catch (error) {
      if (task.stopped) throw task.stopped
      left.push(`${before} at ${place(at)} (${reasonOf(error)})`)
    }
  }
  if (left.length) {
    throw new Fault(
      `${changes.length - left.length} of ${changes.length} changes were put back; not ${left.join('; ')}`
    )
  }
  const end = plants ? `, but ${plants} plants do not grow again` : ''
  return changes.length === 1 ? `1 change was put back${end}.` : `${changes.length} changes were put back${end}.`
}

/** Return what is placed for a block: what it drops, if the bot does not hold the block itself. */
const standIn = (/** @type {Bot} */ bot, /** @type {string} */ name) =>
  holdings(bot)[name] ? name : EARTH.test(name) ? 'dirt' : name === 'stone' ? 'cobblestone' : name

module.exports = { put_back }
