'use strict'
/** Report what the bot killed, mined, picked up and explored, and the health that it lost, since goals count these. */
const { droppedItem } = require('./commands/gather')
const { CHUNK, chunkOf } = require('./plan/doing')

const CREDIT = 5000 // milliseconds after a blow or a shot in which a death counts as its effect

/** @param {Bot} bot */
module.exports = function deeds (bot) {
  let reported = 0
  bot.on('playerCollect', (who, what) => {
    const item = who === bot.entity ? droppedItem(what) : null
    if (item) bot.autocraft.tell({ event: 'did', what: `collect ${item.name}`, count: item.count })
  })

  /** The columns of the world in which the bot was. @type {Set<string>} */
  const explored = bot.autocraft.explored = new Set()
  bot.on('move', () => {
    const chunk = chunkOf(bot, bot.entity.position)
    if (explored.has(chunk)) return
    if (explored.size) bot.autocraft.tell({ event: 'did', what: 'explore', count: CHUNK })
    explored.add(chunk)
  })

  let health = 0 // until the server has said it
  let lost = 0 // points of health that are not reported yet, since damage may come in fractions
  bot.on('health', () => {
    lost += Math.max(0, health - bot.health)
    health = bot.health
    const whole = Math.floor(lost)
    if (whole) bot.autocraft.tell({ event: 'did', what: 'take damage', count: whole })
    lost -= whole
  })

  const { attack } = bot
  const prey = bot.autocraft.prey = { struck: new Map(), fled: new Map(), killed: new Set(), blow: -Infinity }
  const { struck, killed } = prey
  bot.attack = (target, ...rest) => {
    prey.blow = Date.now()
    struck.set(target.id, prey.blow)
    attack(target, ...rest)
  }
  bot.on('entityDead', ({ id, name }) => {
    if (Date.now() - (struck.get(id) ?? -Infinity) > CREDIT) return
    killed.add(id)
    bot.autocraft.tell({ event: 'did', what: `kill ${name}`, count: 1 })
  })

  /** Report what was mined since the last call. By then the server has said whether a block is gone. */
  bot.autocraft.reportMined = () => {
    const { broken } = bot.autocraft.journal
    for (const { name, at, harvests } of broken.slice(reported)) {
      const gone = bot.blockAt(at)?.name !== name
      if (gone && harvests) bot.autocraft.tell({ event: 'did', what: `mine ${name}`, count: 1 })
    }
    reported = broken.length
  }
}
