'use strict'
/**
 * Walk through doors, gates and hatches. mineflayer-pathfinder 2.4.5 takes each door for a wall, and its `canOpenDoors`
 * ends in an error. So a search passes those that a hand opens, straight on; the bot opens them when it comes near, and
 * shuts them behind it. A hatch is a trapdoor on top of a ladder.
 */
const { Vec3 } = require('../shared/need')('vec3')
const { place } = require('./words')

const BY_HAND = /^(?!iron_)(.*_)?(door|fence_gate|trapdoor)$/
const NEAR = 3 // blocks from which a door is opened
const FAR = 4.5 // blocks from which a door can still be shut
const AGAIN = 500 // milliseconds until a door that has not moved is tried again
const TRIES = 4 // after which a door counts as a wall
const HALF = 0.3 // of the width of the bot
const TALL = 1.8

class Doors {
  /** @param {Bot} bot */
  constructor (bot) {
    this.bot = bot
    /** Where the bot is going: the pathfinder's own list, which it shortens. @type {PathMove[]} */
    this.path = []
    /** The doors that the bot has opened, the shapes that each has when it is shut, and whether it was seen open. */
    /** @type {Map<string, {at: Vec3, shapes: number[][], seen: boolean}>} */
    this.opened = new Map()
    /** @type {Map<string, {since: number, times: number}>} */
    this.tries = new Map()
    bot.on('path_update', ({ path }) => { this.path = this.#straighten(path) })
    bot.on('physicsTick', () => this.#turn())
  }

  /**
   * Return along which axis a block is passed if it is opened, 'x', 'z', or 'y' for a hatch; or '' if it is no door for
   * the bot. An open hatch is climbed as the ladder is if both face the same way.
   * @param {Block} block
   */
  axis (block) {
    if (!BY_HAND.test(block.name) || this.bot.autocraft.bounds.outside(block.position)) return ''
    if ((this.tries.get(place(block.position))?.times ?? 0) >= TRIES) return ''
    const { open, facing } = block.getProperties()
    if (block.name.endsWith('trapdoor')) {
      const below = this.bot.blockAt(block.position.offset(0, -1, 0), false)
      return below?.name === 'ladder' && below.getProperties().facing === facing ? 'y' : ''
    }
    return open === undefined ? '' : /east|west/.test(String(facing)) ? 'x' : 'z'
  }

  /**
   * Tell whether a step passes its doors as they are passed: straight on, and not through the upper half alone.
   * @param {(x: number, y: number, z: number) => string} axisAt the axis of the door at a place
   * @param {Point} from @param {PathMove} to
   */
  allows (axisAt, from, to) {
    const [dx, dz] = [to.x - from.x, to.z - from.z]
    const way = Math.abs(dx) + Math.abs(dz) !== 1 ? '' : dx ? 'x' : 'z'
    for (let x = Math.min(from.x, to.x); x <= Math.max(from.x, to.x); x++) {
      for (let z = Math.min(from.z, to.z); z <= Math.max(from.z, to.z); z++) {
        const start = x === from.x && z === from.z
        const feet = axisAt(x, start ? from.y : to.y, z)
        const low = start ? from.y : Math.min(from.y, to.y)
        const high = start ? from.y : Math.max(from.y, to.y)
        let doors = false
        for (let y = low; y <= high + 1; y++) doors ||= Boolean(axisAt(x, y, z))
        if (doors && !(way && feet === way && (start || to.y >= from.y))) return false
        if (doors && !start) to.door = new Vec3(x, to.y, z)
      }
    }
    return true
  }

  /**
   * Put the steps into a doorway in its middle. The pathfinder puts them on top of the door.
   * @param {PathMove[]} path
   */
  #straighten (path) {
    for (const step of path) if (step.door) Object.assign(step, step.door.offset(0.5, 0, 0.5))
    return path
  }

  /** Return the door at a place, or null. @param {Vec3} at */
  #door (at) {
    const block = this.bot.blockAt(at, false)
    return block && this.axis(block) ? block : null
  }

  /** Open the doors ahead, and shut those behind. */
  #turn () {
    const { bot, opened } = this
    const here = bot.entity.position.floored()
    const steps = this.path.slice(0, 2).flatMap(({ door, hatch }) => door ?? hatch ?? [])
    const ahead = bot.pathfinder.isMoving() ? [here, ...steps] : []
    for (const at of ahead) {
      const door = this.#door(at)
      if (!door || isOpen(door) || this.#far(at) > NEAR || !this.#use(door)) continue
      opened.set(place(at), { at, shapes: door.shapes, seen: false })
    }
    for (const [key, entry] of opened) {
      const { at, shapes } = entry
      const door = this.#door(at)
      if (door && isOpen(door)) {
        if (!entry.seen) this.tries.delete(key)
        entry.seen = true
        const needed = ahead.some((each) => each.equals(at))
        if (!needed && this.#far(at) <= FAR && !this.#touches(at, shapes)) this.#use(door)
      } else if (!door || entry.seen) {
        opened.delete(key)
        if (door) this.tries.delete(key)
      }
    }
  }

  /**
   * Use a door, unless it was used a moment ago. The bot looks where it looked. Return whether it was used.
   * @param {Block} door
   */
  #use (door) {
    const key = place(door.position)
    const now = Date.now()
    const { since, times } = this.tries.get(key) ?? { since: 0, times: 0 }
    if (now - since < AGAIN) return false
    this.tries.set(key, { since: now, times: times + 1 })
    const { yaw, pitch } = this.bot.entity
    this.bot.activateBlock(door).catch((error) => console.error('door', key, error.message))
    void this.bot.look(yaw, pitch, true)
    return true
  }

  /** @param {Vec3} at */
  #far (at) { return this.bot.entity.position.distanceTo(at.offset(0.5, 0, 0.5)) }

  /** Tell whether the bot stands where a door comes when it is shut. @param {Vec3} at @param {number[][]} shapes */
  #touches (at, shapes) {
    const { x, y, z } = this.bot.entity.position.minus(at)
    return shapes.some(([x1, y1, z1, x2, y2, z2]) =>
      x + HALF > x1 && x - HALF < x2 && y + TALL > y1 && y < y2 && z + HALF > z1 && z - HALF < z2)
  }

  /** Wait until the doors within reach are shut. @param {Task} task */
  async shut (task) {
    const near = () => [...this.opened.values()].some(({ at, shapes, seen }) =>
      seen && this.#far(at) <= FAR && !this.#touches(at, shapes))
    for (let ticks = 0; ticks < 60 && near(); ticks += 2) await task.ticks(2)
  }

  /** Return the places of the doors that the bot opened and has not shut. */
  get left () { return [...this.opened.values()].flatMap(({ at, seen }) => seen ? place(at) : []) }
}

/** @param {Block} door */
const isOpen = (door) => String(door.getProperties().open) === 'true'

module.exports = { Doors }
