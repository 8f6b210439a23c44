'use strict'
/** Make what walks have changed as it was, shut doors and take scaffold away, and tell what is left of it. */
const { breakBlock } = require('./commands/gather')
const { reaches } = require('./commands/near')
const { towards } = require('./sight')
const { amounts } = require('./words')

const BESIDE = 0.81 // blocks from the middle of a block within which the bot stands on it
const REACH = 4.8 // blocks from the eyes to the middle of a block whose top is in sight
const BEHIND = 0.9 // blocks that the bot has gone on when it takes away what it stood on

class Traces {
  /** @param {Bot} bot @param {import('./doors').Doors} doors */
  constructor (bot, doors) {
    this.bot = bot
    this.doors = doors
  }

  /**
   * Return the scaffold within reach on which the bot does not stand, the nearest first.
   * @param {number} [least] blocks that it is away at least
   */
  scaffold (least = 0) {
    const { bot } = this
    if (!bot.autocraft.journal.scaffold.size) return []
    const { position: p } = bot.entity
    /** @param {Vec3} at */
    const stands = (at) =>
      at.y < p.y && Math.abs(at.x + 0.5 - p.x) < BESIDE && Math.abs(at.z + 0.5 - p.z) < BESIDE
    /** @param {Vec3} at */
    const inSight = (at) => [0.99, 0.5].some((up) => towards(bot, at.offset(0.5, up, 0.5), 5)?.position.equals(at))
    return [...bot.autocraft.journal.scaffold.values()]
      .filter((at) => !stands(at) && Math.hypot(at.x + 0.5 - p.x, at.z + 0.5 - p.z) >= least &&
        reaches(bot, at, REACH) && inSight(at) && !bot.autocraft.lava.freed(at))
      .sort((a, b) => a.distanceSquared(p) - b.distanceSquared(p))
  }

  /** Return the scaffold behind a bot that walks on, which its way no longer needs. */
  behind () {
    const { pathfinder, entity } = this.bot
    if (!entity.onGround || pathfinder.isMining() || pathfinder.isBuilding()) return []
    const { path } = this.doors
    return this.scaffold(BEHIND).filter((at) =>
      !path.some(({ x, y, z }) => Math.abs(x - at.x - 0.5) < 1 && Math.abs(z - at.z - 0.5) < 1 && y > at.y - 1))
  }

  /** Take scaffold away. What stays is not tried again. @param {Vec3[]} places @param {Task} task */
  async clear (places, task) {
    const { journal } = this.bot.autocraft
    for (const at of places) {
      try {
        await journal.during('walk', () => breakBlock(this.bot, at, task))
      } catch (error) {
        if (task.stopped) throw error
      }
      journal.scaffold.delete(String(at))
    }
  }

  /** Shut the doors and take away the scaffold within reach, at the end of a command. @param {Task} task */
  async end (task) {
    if (task.stopped || !this.bot.isAlive) return
    try {
      await this.doors.shut(task)
      await this.clear(this.scaffold(), task)
    } catch (error) {
      if (error.kind === 'lost' || error.kind === 'kicked') throw error
    }
  }

  /** Return in one sentence what the walks of this command broke, placed and left open, or ''. */
  text () {
    /** @type {{broke: Counts, left: Counts}} */
    const sums = { broke: {}, left: {} }
    for (const { first, last } of this.bot.autocraft.journal.walked.values()) {
      const same = first.what === 'broke' && last.what === 'placed' && first.name === last.name
      if (first.what === 'broke' && !same) sums.broke[first.name] = (sums.broke[first.name] || 0) + 1
      if (last.what === 'placed' && !same) sums.left[last.name] = (sums.left[last.name] || 0) + 1
    }
    const open = this.doors.left
    const parts = [
      Object.keys(sums.broke).length ? `broke ${amounts(sums.broke)}` : '',
      Object.keys(sums.left).length ? `left ${amounts(sums.left)} that it had placed` : '',
      open.length ? `left a door open at ${open.join(', ')}` : ''
    ].filter(Boolean)
    return parts.length ? `On its way the bot ${parts.join(' and ')}.` : ''
  }
}

module.exports = { Traces }
