'use strict'
/**
 * Tell when mineflayer-pathfinder 2.4.5 begins to search a path, and let the search begin on the block that carries the
 * bot. The pathfinder has no event for that, and limits a search only by time, so that it would end elsewhere on a busy
 * machine. To place a block beside its own the bot leans over an edge, where a search would begin in the air. There the
 * pathfinder also takes the bot for arrived, and to stop it, it moves it to the middle of the air, so that it falls.
 */
const { solid } = require('../danger')

const HALF = 0.32 // blocks from the middle of the bot to beyond its sides

/** @param {Bot} bot @param {() => void} begun called before each search */
function beforeSearch (bot, begun) {
  const search = bot.pathfinder.getPathTo
  bot.pathfinder.getPathTo = (...args) => {
    begun()
    leanBack(bot)
    return search(...args)
  }
}

/** Put the bot back on its block each time that the pathfinder has moved it over an edge. @param {Bot} bot */
function keepFooting (bot) {
  let stood = bot.entity.position
  bot.prependListener('physicsTick', () => { stood = bot.entity.position.clone() })
  bot.on('physicsTick', () => {
    const { position: p, onGround } = bot.entity
    if (!onGround || (p.x === stood.x && p.z === stood.z) || solid(bot, p.offset(0, -0.1, 0).floored())) return
    p.x = stood.x
    p.z = stood.z
    leanBack(bot)
  })
}

/** Move a bot that leans over an edge back over the block that carries it. @param {Bot} bot */
function leanBack (bot) {
  if (!solid(bot, bot.entity.position.offset(0, -0.1, 0).floored())) moveOver(bot)
}

/** Move the bot so that it is wholly over the block that carries it, or over the nearest of these. @param {Bot} bot */
function moveOver (bot) {
  const { position: p, onGround } = bot.entity
  const below = p.offset(0, -0.1, 0)
  const corners = [-HALF, HALF].flatMap((dx) => [-HALF, HALF].map((dz) => below.offset(dx, 0, dz).floored()))
  const nearest = corners.filter((each) => solid(bot, each) && [1, 2].every((up) => !solid(bot, each.offset(0, up, 0))))
    .sort((a, b) => a.offset(0.5, 0, 0.5).xzDistanceTo(p) - b.offset(0.5, 0, 0.5).xzDistanceTo(p))
  const at = solid(bot, below.floored()) ? below.floored() : nearest[0]
  if (!onGround || !at) return
  p.x = Math.min(Math.max(p.x, at.x + HALF), at.x + 1 - HALF)
  p.z = Math.min(Math.max(p.z, at.z + HALF), at.z + 1 - HALF)
  bot.entity.velocity.set(0, bot.entity.velocity.y, 0)
}

module.exports = { beforeSearch, keepFooting, leanBack, moveOver }
