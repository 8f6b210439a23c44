'use strict'
/** What the bot can get at from where it is, within its bounds. */
const { blockOf } = require('../words')
const { entityNear, positions } = require('../commands/near')

const LOOK = 32 // as far as mine_block looks

const near = {
  /** Whether a block of a kind is there that may be broken, or used. @param {any} bot @param {string} name @param {number} [radius] */
  block (bot, name, radius = LOOK) {
    const ids = [blockOf(bot, name), bot.registry.blocksByName[`deepslate_${name}`]].filter(Boolean).map((each) => each.id)
    const some = (count) => positions(bot, ids, radius, count)
    const free = (at) => !bot.bounds.keep(bot.blockAt(at))
    const [first] = some(1) // mostly enough, and much quicker
    return first !== undefined && (free(first) || some(64).some(free))
  },

  /** @param {any} bot @param {string} name */
  mob (bot, name) {
    return Boolean(entityNear(bot, 48, (each) => each.name === name && each.type !== 'player' && !bot.bounds.spare(each)))
  },

  /** Free places beside the bot on firm ground, the nearest first: where a table or a furnace can be put. */
  spots (bot) {
    const feet = bot.entity.position.floored()
    const free = (at) => { const block = bot.blockAt(at); return block && block.boundingBox === 'empty' && !/water|lava/.test(block.name) }
    const firm = (at) => { const block = bot.blockAt(at); return block && block.boundingBox === 'block' && block.shapes.length === 1 }
    const found = []
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -3; dx <= 3; dx++) {
        for (let dz = -3; dz <= 3; dz++) {
          const at = feet.offset(dx, dy, dz)
          const own = dx === 0 && dz === 0
          if (!own && free(at) && firm(at.offset(0, -1, 0)) && !bot.bounds.outside(at)) found.push(at)
        }
      }
    }
    return found.sort((a, b) => a.distanceSquared(feet) - b.distanceSquared(feet) || a.y - b.y || a.x - b.x || a.z - b.z)
  }
}

module.exports = { near }
