'use strict'
/** Tell what the bot can reach from where it is, within its bounds. */
const { blockOf } = require('../words')
const { FAR, HUNT, LOOK, entityNear } = require('../commands/near')
const { droppedItem } = require('../commands/gather')
const { PACE } = require('../sightings')
const { kindsAround } = require('./around')

const KNOWN = 160 // as far as a remembered station is worth the way

/** What lies around the bot at the moment of planning. */
class Near {
  /**
   * @param {Bot} bot @param {Map<number, number>} kinds from a block's id to how far away the nearest is
   * @param {Set<string>} own items that the bot carries and may use
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
   * One that the bot carries is used rather than one far away, and a new one where no path leads to it.
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
}

module.exports = { Near }
