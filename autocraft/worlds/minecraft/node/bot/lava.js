'use strict'
/** Tell where lava threatens the bot: beside a block that is broken, and below an edge that a step passes. */
const { Vec3 } = require('../shared/need')('vec3')
const { statesOf } = require('./columns')
const { LEVEL, SIDES } = require('./sides')

const DEEP = 16 // blocks below a place that are checked
const LOWER = LEVEL.map((side) => side.offset(0, -1, 0))
const LAVA = /^(flowing_)?lava$/
const LIQUID = /^((flowing_)?(water|lava)|bubble_column)$/

class Lava {
  /** @param {Bot} bot */
  constructor (bot) {
    /** @param {(block: BlockKind) => boolean} fits */
    const states = (fits) => statesOf(bot, bot.registry.blocksArray.filter(fits).map(({ id }) => id))
    this.bot = bot
    this.lava = states(({ name }) => LAVA.test(name))
    this.passable = states(({ name, boundingBox }) => boundingBox === 'empty' && !LIQUID.test(name))
    this.at = new Vec3(0, 0, 0)
  }

  /**
   * Return the state of a block, or that of air if it is not loaded.
   * @param {number} x @param {number} y @param {number} z
   */
  #state (x, y, z) {
    return this.bot.world.getBlockStateId(this.at.set(x, y, z)) ?? 0
  }

  /** @param {Point} at @param {Point[]} offsets */
  #lies (at, offsets) {
    return offsets.some(({ x, y, z }) => this.lava.has(this.#state(at.x + x, at.y + y, at.z + z)))
  }

  /** Tell whether lava lies beside a block or on top of it. @param {Point} at */
  touches (at) { return this.#lies(at, SIDES) }

  /** Tell whether lava would flow out, or burn the bot, if the block there was broken. @param {Point} at */
  freed (at) { return this.#lies(at, SIDES) || this.#lies(at, LOWER) }

  /**
   * Tell whether a bot that goes so many steps too far, in any direction, may fall into lava.
   * @param {Point} at @param {number} steps
   */
  below ({ x, y, z }, steps) {
    for (let i = -steps; i <= steps; i++) {
      for (let k = -steps; k <= steps; k++) if (this.#falls(x + i, y, z + k)) return true
    }
    return false
  }

  /** Tell whether a fall from there ends in lava. @param {number} x @param {number} y @param {number} z */
  #falls (x, y, z) {
    for (let low = y; low > y - DEEP; low--) {
      const state = this.#state(x, low, z)
      if (this.lava.has(state)) return true
      if (!this.passable.has(state)) return false
    }
    return false
  }
}

module.exports = { Lava }
