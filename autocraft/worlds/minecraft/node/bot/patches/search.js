'use strict'
/**
 * Tell when mineflayer-pathfinder 2.4.5 begins to search a path. It has no event for the beginning, and limits a search
 * only by time, so that a search would end elsewhere on a busy machine.
 */

/** @param {Bot} bot @param {() => void} begun called before each search */
function beforeSearch (bot, begun) {
  const search = bot.pathfinder.getPathTo
  bot.pathfinder.getPathTo = (...args) => {
    begun()
    return search(...args)
  }
}

module.exports = { beforeSearch }
