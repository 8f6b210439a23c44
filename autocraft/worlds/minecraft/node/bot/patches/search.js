'use strict'
/**
 * Tells when mineflayer-pathfinder 2.4.5 begins to search a path: it limits a search by time alone, which would make it
 * end elsewhere on a busy machine, and it has no event for the beginning.
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
