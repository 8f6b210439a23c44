'use strict'
/** Find the places near the bot where a block can be put down. */
const { canHarvest } = require('./commands/gather')
const { nameAt, solid } = require('./danger')
const { isFalling, isReplaced, isUsed, natural, remains, worthKeeping } = require('./nature')
const { LEVEL, SIDES } = require('./sides')

const LIQUID = /water|lava/

/**
 * Return where to put a block down, and whether that place must be dug first; null if there is none. A whole block
 * comes into the bot's own place only if no other is free and none can be dug.
 * @param {Bot} bot @param {string} name of the block
 * @param {(at: Vec3, spots: Vec3[]) => boolean} [fits] whether it has room at one of some free places
 * @returns {{at: Vec3, digs: boolean} | null}
 */
function spotFor (bot, name, fits = () => true) {
  const feet = bot.entity.position.floored()
  const isWhole = bot.registry.blocksByName[name]?.boundingBox === 'block'
  const free = spots(bot).find((each, _, all) => fits(each, all))
  const niche = !isWhole || (free && !free.equals(feet)) ? null : niches(bot).find((each) => fits(each, [each]))
  const at = niche ?? free
  return at ? { at, digs: Boolean(niche) } : null
}

/**
 * Return free places on firm ground for a table or a furnace, the nearest first; the bot's own place is the last.
 * @param {Bot} bot
 */
function spots (bot) {
  const feet = bot.entity.position.floored()
  /** @param {Vec3} at */
  const free = (at) => {
    const block = bot.blockAt(at)
    return block && block.boundingBox === 'empty' && isReplaced(block.name)
  }
  const found = []
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -3; dx <= 3; dx++) {
      for (let dz = -3; dz <= 3; dz++) {
        const at = feet.offset(dx, dy, dz)
        const above = dx === 0 && dz === 0 && dy !== 0
        if (!above && free(at) && firm(bot, at.offset(0, -1, 0)) && !bot.autocraft.bounds.outside(at) &&
          !holdsMob(bot, at)) found.push(at)
      }
    }
  }
  /** @param {Vec3} at */
  const far = (at) => at.distanceSquared(feet) || Infinity
  return found.sort((a, b) => far(a) - far(b) || a.y - b.y || a.x - b.x || a.z - b.z)
}

/** Tell whether a mob or another player is in the way at a place. @param {Bot} bot @param {Vec3} at */
const holdsMob = (bot, at) => Object.values(bot.entities).some(({ id, name, position, width = 1, height = 1 }) =>
  id !== bot.entity.id && name !== 'item' &&
  Math.max(Math.abs(position.x - at.x - 0.5), Math.abs(position.z - at.z - 0.5)) < (width + 1) / 2 &&
  position.y < at.y + 1 && position.y + height > at.y)

/**
 * Return the places beside the bot that can be dug free for a table or a furnace: natural ground on firm ground,
 * with no liquid beside it, and nothing above it that would fall. No ore is dug that the bot cannot harvest.
 * @param {Bot} bot
 */
function niches (bot) {
  const feet = bot.entity.position.floored()
  return [0, 1].flatMap((up) => LEVEL.map((side) => feet.plus(side).offset(0, up, 0))).filter((at) => {
    const block = bot.blockAt(at)
    return block?.diggable && solid(bot, at) && natural(bot.registry).has(block.name) &&
      (canHarvest(bot, block) || worthKeeping(bot.registry, remains(bot.registry, block.name)) !== null) &&
      !isFalling(nameAt(bot, at.offset(0, 1, 0))) && !bot.autocraft.bounds.stays(block) &&
      firm(bot, at.offset(0, -1, 0)) && SIDES.every((side) => !LIQUID.test(nameAt(bot, at.plus(side))))
  })
}

/**
 * Tell whether a whole block is at a place, on which others stand. A field is left alone, and so is what a hand uses.
 * @param {Bot} bot @param {Vec3} at
 */
function firm (bot, at) {
  const block = bot.blockAt(at)
  return Boolean(block && block.boundingBox === 'block' && block.shapes.length === 1 &&
    block.name !== 'farmland' && !isUsed(block.name))
}

module.exports = { spotFor, spots }
