'use strict'
/** Undo changes for the person: dig what a command placed, and place again what it broke. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { isAir } = require('../columns')
const { PLANT } = require('../site')
const { holdings, place } = require('../words')
const { approach } = require('./near')
const { breakBlock, pickUp } = require('./gather')
const { place_item } = require('./place')

const { Vec3 } = need('vec3')

const EARTH = /^(grass_block|podzol|mycelium|grass_path|dirt_path|farmland)$/

const ROUNDS = 3 // how often what was not put back is tried again: the bot may have stood in the way

/**
 * Put changes back. A `building` may leave ground open that the bot has nothing to fill with; nothing of it may stand.
 * @param {Bot} bot @param {{changes: Change[], building?: boolean}} parts @param {Task} task
 */
async function put_back (bot, { changes, building = false }, task) {
  /** @type {Map<Change, string>} */
  let left = new Map()
  for (let round = 0; round < ROUNDS && (round === 0 || left.size > 0); round++) {
    const open = round ? [...left.keys()] : [...changes].reverse()
    left = new Map()
    for (const change of open) {
      task.progress = `${changes.length - open.length + open.indexOf(change)} of ${changes.length} changes put back`
      try {
        await putBack(bot, change, task)
      } catch (error) {
        if (task.stopped) throw task.stopped
        left.set(change, reasonOf(error))
      }
    }
  }
  if (left.size > 0) {
    const lines = [...left].map(([{ before, x, y, z }, why]) => `${before} at ${place({ x, y, z })} (${why})`)
    const text = `${changes.length - left.size} of ${changes.length} changes were put back; not ${lines.join('; ')}`
    if (building && [...left.keys()].every(({ x, y, z }) => isAir(bot.blockAt(new Vec3(x, y, z))))) return text
    throw new Fault(text)
  }
  const plants = changes.filter(({ before }) => PLANT.test(before)).length
  const end = plants ? `, but ${plants} plants do not grow again` : ''
  return changes.length === 1 ? `1 change was put back${end}.` : `${changes.length} changes were put back${end}.`
}

/**
 * Put one block back. Throws a Fault if another one stands there by now, or if it cannot be placed.
 * @param {Bot} bot @param {Change} change @param {Task} task
 */
async function putBack (bot, { x, y, z, before, after }, task) {
  const at = new Vec3(x, y, z)
  const now = bot.blockAt(at)
  if (!now) throw new Fault('it is not loaded')
  if (isBack(now.name, before)) return
  if (!isAir(now)) {
    if (now.name !== after) throw new Fault(`it is ${now.name} by now`)
    await approach(bot, at, task)
    await breakBlock(bot, at, task)
    await task.ticks(6)
    await pickUp(bot, at, task)
  }
  if (!isBack('air', before)) await place_item(bot, { name: standIn(bot, before), x, y, z }, task)
}

/**
 * Tell whether a block is there again, as far as it can be: no plant grows again, and dirt stands for grass.
 * @param {string} now @param {string} before
 */
function isBack (now, before) {
  const isEmpty = now.endsWith('air') && (before.endsWith('air') || PLANT.test(before))
  return now === before || isEmpty || (isEarth(now) && isEarth(before)) || (now === 'cobblestone' && before === 'stone')
}

const isEarth = (/** @type {string} */ name) => name === 'dirt' || EARTH.test(name)

/** Return what is placed for a block: what it drops, if the bot does not hold the block itself. */
const standIn = (/** @type {Bot} */ bot, /** @type {string} */ name) =>
  holdings(bot)[name] ? name : EARTH.test(name) ? 'dirt' : name === 'stone' ? 'cobblestone' : name

module.exports = { put_back }
