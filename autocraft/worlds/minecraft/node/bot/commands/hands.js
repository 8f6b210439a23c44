'use strict'
/** Hold, wear and eat items. */
const { Fault } = require('../../shared/fault')
const { ALWAYS } = require('../facts')
const { slotFor } = require('../nature')
const { consume } = require('../patches/meals')
const { itemOf, requireItem, slotOf, wornItem } = require('../words')
const { slotNamed } = require('./ways')

/** @param {Bot} bot @param {{name: string, slot?: string}} parts @param {Task} task */
async function equip (bot, { name, slot = 'hand' }, task) {
  const to = slotNamed(slot)
  if (slotOf(bot, to) === null) throw new Fault(`Minecraft ${bot.version} has no slot ${slot}`)
  const item = itemOf(bot, name)
  if (!['hand', 'off-hand'].includes(to) && slotFor(item.name) !== to) { // not every server says so
    throw new Fault(`${item.name} could not be put on ${slot}: it is not worn there`)
  }
  if (wornItem(bot, to)?.type === item.id) return `${item.name} is on ${slot} already.`
  requireItem(bot, name)
  await bot.autocraft.hands.use(task, async () => {
    await bot.autocraft.hands.clicks(task, bot.equip(item.id, to), 10)
    await task.ticks(2)
  })
  const now = wornItem(bot, to)
  if (!now || now.type !== item.id) throw new Fault(`${item.name} could not be put on ${slot}`)
  return `Equipped ${item.name} on ${slot}.`
}

/** @param {Bot} bot @param {{name: string}} parts @param {Task} task */
async function eat (bot, { name }, task) {
  const item = requireItem(bot, name)
  if (!bot.registry.foodsByName || !bot.registry.foodsByName[item.name]) throw new Fault(`${item.name} cannot be eaten`)
  if (bot.food >= 20 && !ALWAYS.test(item.name)) {
    throw new Fault('The bot is not hungry (food 20/20)')
  }
  const [before, there] = [bot.food, bot.inventory.count(item.id)]
  await bot.autocraft.hands.use(task, async () => {
    await task.wait(bot.equip(item.id, 'hand'), 10)
    await consume(bot, task, () => bot.inventory.count(item.id) < there && (bot.food > before || before >= 20))
  })
  if (bot.food <= before && bot.inventory.count(item.id) >= there) {
    throw new Fault(`${item.name} was not eaten: the server did not let the bot finish`)
  }
  return `Ate ${item.name}: food ${before} to ${bot.food}, health ${Math.round(bot.health)}.`
}

module.exports = { equip, eat }
