'use strict'
/** Report what the bot mined and picked up, and the health that it lost, for goals that count these. */
const { canHarvest, droppedItem } = require('./commands/gather')

/** @param {Bot} bot */
module.exports = function deeds (bot) {
  let reported = 0
  bot.on('playerCollect', (who, what) => {
    const item = who === bot.entity ? droppedItem(what) : null
    if (item) bot.autocraft.tell({ event: 'did', what: `collect ${item.name}`, count: item.count })
  })

  let health = 20
  let lost = 0 // points of health that are not reported yet, since damage may come in fractions
  bot.on('health', () => {
    lost += Math.max(0, health - bot.health)
    health = bot.health
    const whole = Math.floor(lost)
    if (whole) bot.autocraft.tell({ event: 'did', what: 'take damage', count: whole })
    lost -= whole
  })

  /** Report what was mined since the last call. By then the server has said whether a block is gone. */
  bot.autocraft.reportMined = () => {
    const { broken } = bot.autocraft.journal
    for (const { name, at } of broken.slice(reported)) {
      const gone = bot.blockAt(at)?.name !== name
      if (gone && canHarvest(bot, bot.registry.blocksByName[name])) {
        bot.autocraft.tell({ event: 'did', what: `mine ${name}`, count: 1 })
      }
    }
    reported = broken.length
  }
}
