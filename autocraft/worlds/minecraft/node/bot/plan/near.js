'use strict'
/** Tell what the bot can reach from where it is, within its bounds. */
const { blockOf } = require('../words')
const { FAR, HUNT, LOOK, entityNear } = require('../commands/near')
const { droppedItem } = require('../commands/gather')
const { nameAt, solid } = require('../danger')
const { isReplaced, natural } = require('../nature')
const { LEVEL, SIDES } = require('../sides')
const { PACE } = require('../sightings')
const { kindsAround } = require('./around')

const KNOWN = 160 // as far as a remembered station is worth the way
const LIQUID = /water|lava/

/** What lies around the bot at the moment of planning. */
class Near {
  /**
   * @param {Bot} bot @param {Map<number, number>} kinds from a block's id to how far away the nearest is
   * @param {Set<string>} own items that the bot carries and that are no goals
   */
  constructor (bot, kinds, own) {
    this.bot = bot
    this.kinds = kinds
    this.own = own
  }

  /** Look around. @param {Bot} bot @param {() => Promise<void>} pause @param {Set<string>} [own] */
  static async of (bot, pause, own = new Set()) {
    return new Near(bot, await kindsAround(bot, FAR, pause), own)
  }

  /**
   * Tell whether a block of a kind is near that the bot may break or use.
   * @param {string} name @param {number} [radius]
   */
  block (name, radius = LOOK) {
    const { bot } = this
    const blocks = [blockOf(bot, name), bot.registry.blocksByName[`deepslate_${name}`]].filter(Boolean)
    return blocks.some(({ id, name: each }) => (this.kinds.get(id) ?? Infinity) <= radius ||
      (radius >= FAR && bot.autocraft.places.near(each, KNOWN)))
  }

  /**
   * Return the seconds to a table or a furnace: 0 if one is near, Infinity if none is known, and none can be walked to.
   * One that the bot carries is put down rather than walked to, and a new one where no path leads to it.
   * @param {string} name
   */
  station (name) {
    const { autocraft: { failures, places }, entity: { position } } = this.bot
    const { id } = blockOf(this.bot, name)
    const near = this.kinds.get(id) ?? Infinity
    const blocked = failures.blocked(name, position)
    if (near <= LOOK && !blocked) return 0
    const refused = blocked || failures.same({ name: 'goto_block', args: { name } }, position)
    if (refused || this.own.has(name)) return Infinity
    return Math.min(near, places.near(name, KNOWN)?.distanceTo(position) ?? Infinity) / PACE
  }

  /**
   * Return the own name and the place of a block that was seen and may be broken, or null. @param {string} kind
   * @returns {{name: string, at: Vec3} | null}
   */
  known (kind) {
    for (const name of [kind, `deepslate_${kind}`]) {
      const at = this.bot.autocraft.places.near(name)
      if (at && !this.bot.autocraft.bounds.keep(this.bot.blockAt(at))) return { name, at }
    }
    return null
  }

  /**
   * Return the seconds until a block is found; `unknown` if none was seen.
   * @param {string} name @param {number} unknown
   */
  search (name, unknown) {
    if (this.block(name)) return 0
    const seen = this.known(name)
    return seen ? Math.min(unknown, seen.at.distanceTo(this.bot.entity.position) / PACE) : unknown
  }

  /** @param {string} name */
  mob (name) {
    const { bot } = this
    return Boolean(
      entityNear(bot, HUNT, (each) => each.name === name && each.type !== 'player' && !bot.autocraft.bounds.spare(each))
    )
  }

  /** Return how many of an item lie in sight. @param {string} name */
  dropped (name) {
    const { entities, entity: { position }, autocraft: { bounds, sightings } } = this.bot
    const lying = Object.values(entities).filter((each) => each.name === 'item' && !sightings.thrown.has(each.id) &&
      each.position.distanceTo(position) <= LOOK && !bounds.outside(each.position))
    return lying.reduce((sum, each) => {
      const item = droppedItem(each)
      return sum + (item?.name === name ? item.count : 0)
    }, 0)
  }

  /** Return free places on firm ground for a table or a furnace, the nearest first; the bot's own place is the last. */
  spots () {
    const { bot } = this
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
          if (!above && free(at) && firm(bot, at.offset(0, -1, 0)) && !bot.autocraft.bounds.outside(at)) found.push(at)
        }
      }
    }
    /** @param {Vec3} at */
    const far = (at) => at.distanceSquared(feet) || Infinity
    return found.sort((a, b) => far(a) - far(b) || a.y - b.y || a.x - b.x || a.z - b.z)
  }

  /**
   * Return the places beside the bot that can be dug free for a table or a furnace: natural ground on firm ground, with
   * no liquid beside it.
   */
  niches () {
    const { bot } = this
    const feet = bot.entity.position.floored()
    return [0, 1].flatMap((up) => LEVEL.map((side) => feet.plus(side).offset(0, up, 0))).filter((at) => {
      const block = bot.blockAt(at)
      return block && solid(bot, at) && natural(bot.registry).has(block.name) && !bot.autocraft.bounds.stays(block) &&
        firm(bot, at.offset(0, -1, 0)) && SIDES.every((side) => !LIQUID.test(nameAt(bot, at.plus(side))))
    })
  }
}

/** Tell whether a whole block is at a place, on which others stand. @param {Bot} bot @param {Vec3} at */
function firm (bot, at) {
  const block = bot.blockAt(at)
  return Boolean(block && block.boundingBox === 'block' && block.shapes.length === 1)
}

module.exports = { Near }
