'use strict'
/** Turn ways into commands, with what must stand near for each. */
const need = require('../../shared/need')
const { wayOf } = require('../commands/ways')
const { ALWAYS, burns } = require('../facts')
const { isSheared, slotFor } = require('../nature')
const { LEVEL } = require('../sides')
const { spotFor, spots } = require('../spots')
const { place } = require('../words')
const { HERE } = require('./failures')
const { CROPS, growing, planting } = require('./farm')
const { once } = require('./once')
const { dangerOf, heightFor, layerOf } = require('./sources')
const { usesLeft } = require('./spare')
const { DAWN, DUSK, secondsUntil, untilNight } = require('./times')

const { Vec3 } = need('vec3')

/** @typedef {{name: string, args: Record<string, any>, why?: string, item?: string, gains?: number,
 *   station?: string, takes?: Counts, tools?: string[], layer?: number[]}} Step a command */
/**
 * @typedef {{name: string, way: import('./ways').Way, fuel: string, tools: string[], times: number, lack: number,
 *   why: string}} Use how often a way is used; `tools` are needed and not used up
 */

const MOST = 64 // blocks that one step mines at most, or items that it smelts
const DIRECTIONS = ['north', 'east', 'south', 'west'] // the order of searches where all look alike
const SECONDS = 120 // length of one search
const STRIDE = 300 // blocks that a search covers at least in open land
const DEEP = 8 // blocks below the ground where no night matters, and no animal lives
const LEAST = 4 // blocks that a step mines or smelts shortly before dusk
const PACE = 6 // seconds to find and mine one block
const SMELTS = 10 // seconds to smelt one item
const SHORTEST = 30 // seconds of a search shortly before dusk
const LONGEST = 660 // seconds of one wait at most: until dusk; no divisor of a day, which would look like a repetition
const RUN = 32 // blocks to run to become hungry
const FLOCK = 8 // animals that one step kills at most
const FIELD = 160 // blocks to water beside which a field is made
const STAY = 300 // seconds beside an animal
const BESIDE = 6 // blocks from lava at which obsidian is made
const AROUND = 6 // blocks to the columns whose height is that of the ground
const SHEARS = 'shears'

/** The kinds of ways that begin with a search. */
const LOOKED_FOR = new Set(['mine', 'kill', 'fill'])

class Steps {
  /**
   * @param {Bot} bot @param {import('./near').Near} near @param {import('./failures').Failures} failures
   * @param {import('./ways').Ways} ways
   */
  constructor (bot, near, failures, ways) {
    this.bot = bot
    this.near = near
    this.failures = failures
    this.ways = ways
    /** @type {Step[]} */
    this.steps = []
    this.visited = new Set()
    /** The share of land in each direction, computed at its first use; so is the height of the ground. */
    this.lands = once(() => Object.fromEntries(DIRECTIONS.map((name) => [name, this.land(name)])))
    this.surface = once(() => surface(bot))
  }

  /**
   * Return the steps of some uses. Another step goes before the first if that has just failed here.
   * @param {Use[]} uses
   */
  of (uses) {
    for (const use of uses) {
      this.add(use)
      const [last] = this.steps.slice(-1)
      if (last && LOOKED_FOR.has(use.way.kind)) last.layer = layerOf(this.bot, use.way.from)
      if (last && this.bot.registry.itemsByName[use.name]) Object.assign(last, gained(use))
    }
    const [first] = this.steps
    const other = first && this.failed(first) ? this.otherwise(first) : null
    if (other) this.steps.unshift(other)
    return this.steps
  }

  /** @param {Step} step */
  failed (step) { return this.failures.same(step, this.bot.entity.position) }

  /** @param {string} name @param {Record<string, any>} args @param {string} why */
  push (name, args, why) { this.steps.push({ name, args, why }) }

  /** @param {Use} use */
  add ({ name, way, times, fuel, why }) {
    const { from } = way
    this.station(way.station, name)
    switch (way.kind) {
      case 'craft': return this.push('craft_item', { name, count: times * way.gives }, why)
      case 'smelt': {
        const count = Math.min(times, this.byDusk(SMELTS))
        return this.push('smelt_item', { name: from, fuel, count }, why)
      }
      case 'mine':
        if (way.search) this.search('block', from)
        return this.mine(from, times, why, way.tools[0] === SHEARS)
      case 'kill':
        if (way.search) this.hunt(from)
        return this.kill(from, times, why)
      case 'fill':
        if (way.search) this.search(this.bot.registry.blocksByName[from] ? 'block' : 'entity', from)
        return this.push('fill_bucket', { name: from }, why)
      case 'pour':
        if (way.search) return this.search('block', from)
        return this.pour(from)
      case 'wait':
        if (way.search) return this.search('entity', from)
        return this.push('follow', { name: from, seconds: this.seconds(STAY) }, `a ${from} leaves one now and then`)
      case 'collect': return this.push('collect', { name }, `${why}: it lies there`)
      case 'take': {
        const { x, y, z } = /** @type {Vec3} */ (way.at)
        return this.push('withdraw', { name: from, count: times, x, y, z }, why)
      }
      case 'farm': return this.farm(from, times, why)
      case 'place': return this.put(from, why)
      case 'equip': return this.push('equip', { name: from, slot: slotFor(from) || 'hand' }, why)
      case 'eat': return this.eat(from, why)
      case 'sleep': return this.sleep(why)
      case 'go': {
        const [x, y, z] = from.split(' ').map(Number)
        return this.push('goto', { x, y, z }, why)
      }
      case 'do': return way.act?.(this, times, why)
    }
  }

  /**
   * Mine, no further than the tools last. Leaves and the like drop themselves only if the bot has shears in hand.
   * @param {string} name @param {number} times @param {string} why @param {boolean} sheared whether with shears
   */
  mine (name, times, why, sheared) {
    const { heldItem, inventory, registry } = this.bot
    const fits = (/** @type {{name: string} | null} */ item) => (item?.name === SHEARS) === sheared
    const other = isSheared(registry.blocksByName[name]) && !fits(heldItem) ? inventory.items().find(fits) : null
    if (other) this.push('equip', { name: other.name, slot: 'hand' }, why)
    this.push('mine_block', { name, count: Math.min(times, usesLeft(this.bot, name), this.byDusk()) }, why)
  }

  /** Kill; of mobs that do no harm several at once. @param {string} mob @param {number} times @param {string} why */
  kill (mob, times, why) {
    const count = dangerOf(mob) ? 1 : Math.min(times, FLOCK)
    const reason = times > 1 ? `${why}, ${times} of them` : why
    this.push('kill_mob', { name: mob, seconds: 300, count }, reason)
  }

  /** Reap ripe plants; else plant; else wait. @param {string} crop @param {number} times @param {string} why */
  farm (crop, times, why) {
    const { bot } = this
    const { all, ripe } = growing(bot, CROPS[crop])
    const { seed, block } = CROPS[crop]
    if (!all.length && this.near.known(block)) return this.search('block', block)
    const held = bot.inventory.count(bot.registry.itemsByName[seed].id)
    const lack = Math.min(times - all.length, held || 1)
    const more = all.length < times && (held || !all.length) ? planting(bot, seed, lack) : null
    const hoe = bot.inventory.items().some(({ name }) => name.endsWith('_hoe'))
    const next = more?.name === 'till' && all.length && !hoe ? null : more // what grows needs none
    if (ripe.length) {
      this.push('mine_block', { name: block, count: Math.min(ripe.length, times) }, `${why}: it is ripe`)
    } else if (next && !all.length && this.isFarFromWater()) this.search('block', 'water')
    else if (next) this.push(next.name, next.args, why)
    else if (all.length) {
      this.push('wait', { seconds: Math.min(LONGEST, secondsUntil(bot, DUSK) || LONGEST) }, `the ${crop} grows`)
    } else this.search('block', 'grass_block')
  }

  /** Tell whether no water is in sight, and some was seen that is worth the way: a dry field takes twice as long. */
  isFarFromWater () {
    const seen = this.near.known('water')
    return !this.near.block('water') && seen !== null && seen.at.distanceTo(this.bot.entity.position) <= FIELD &&
      !this.failed({ name: 'goto_block', args: { name: 'water' } })
  }

  /** @param {string} name @param {string} why */
  eat (name, why) {
    const full = this.bot.food >= 20 && !ALWAYS.test(name)
    const run = full ? this.walk(RUN, 'it is not hungry yet, and running makes it so') : null
    if (run) this.steps.push(run)
    this.push('eat', { name }, why)
  }

  /** Return where the second half of a bed lies that the bot places: away from itself. @param {Vec3} at */
  headOf (at) {
    const { x, z } = at.offset(0.5, 0, 0.5).minus(this.bot.entity.position)
    return Math.abs(x) > Math.abs(z) ? at.offset(Math.sign(x), 0, 0) : at.offset(0, 0, Math.sign(z))
  }

  /** @param {string} why */
  sleep (why) {
    const { bot, near, ways } = this
    const { timeOfDay } = bot.time
    const own = ways.members('#bed').find((name) => bot.inventory.count(bot.registry.itemsByName[name].id))
    if (own && !ways.beds().some((name) => near.block(name))) {
      this.put(own, 'to sleep in', (at, spots) => spots.some((spot) => spot.equals(this.headOf(at))))
    }
    if (timeOfDay < DUSK || timeOfDay > DAWN) {
      this.push('wait', { seconds: Math.min(LONGEST, secondsUntil(bot, DUSK)) }, 'one sleeps by night')
    }
    this.push('sleep', {}, why)
  }

  /** Go to a table or a furnace, unless the bot carries one. @param {string} name @param {string} why */
  station (name, why) {
    const { near, visited } = this
    const far = name && !visited.has(name) ? near.station(name) : 0
    if (far > 0 && far < Infinity) this.push('goto_block', { name }, `${why} needs it near`)
    visited.add(name)
  }

  /**
   * Put something down near the bot. If every place is taken, dig one in the ground beside it, or else walk away first.
   * @param {string} name @param {string} why
   * @param {(at: Vec3, spots: Vec3[]) => boolean} [fits] whether it has room at one of the free places
   */
  put (name, why, fits = () => true) {
    const spot = spotFor(this.bot, name, (at, all) => fits(at, all) &&
      !this.failures.tried({ name: 'dig', args: { x: at.x, y: at.y, z: at.z } }))
    const reason = `there is no room for ${name} here`
    const { x, y, z } = spot?.at ?? this.bot.entity.position.floored()
    const walk = spot ? null : this.walk(2 * HERE, reason)
    if (walk) this.steps.push(walk)
    if (spot?.digs) this.push('dig', { x, y, z }, reason)
    this.push('place_item', { name, x, y, z }, why)
  }

  /**
   * Pour water into the ground near lava, and then lava beside it, which becomes obsidian there.
   * @param {string} name
   */
  pour (name) {
    const { bot, near, ways } = this
    const next = ways.mould()
    const far = near.kinds.get(bot.registry.blocksByName[name].id) ?? 0
    if (next?.item !== 'lava_bucket' && far > BESIDE && !this.failed({ name: 'goto_block', args: { name } })) {
      return this.push('goto_block', { name }, 'obsidian is made beside it')
    }
    const walk = next ? null : this.walk(2 * HERE, 'no ground here holds water and lava')
    if (walk) this.steps.push(walk)
    if (!next) return
    const { at: { x, y, z }, item, digs } = next
    for (const { x, y, z } of digs) this.push('dig', { x, y, z }, 'a hole in which obsidian is made')
    this.push('place_item', { name: item, x, y, z }, 'lava beside water becomes obsidian')
  }

  /**
   * Go to where a thing was seen. If it was not seen, go to the height where it lies, or look for it.
   * @param {'block' | 'entity'} what @param {string} thing
   */
  search (what, thing) {
    const { bot } = this
    const seen = what === 'block' ? this.near.known(thing) : null
    if (seen && !this.failed({ name: 'goto_block', args: { name: seen.name } })) {
      return this.push('goto_block', { name: seen.name }, `one was seen at ${place(seen.at)}`)
    }
    const at = bot.entity.position.floored()
    const height = this.climb(thing)
    if (height !== null) {
      const why = height < at.y ? `${thing} lies deep` : `${thing} is higher up`
      this.push('goto', { x: at.x, y: height, z: at.z }, why)
    } else {
      const args = { direction: this.direction(thing), seconds: this.seconds(), [what]: thing }
      this.push('explore_until', args, 'none is in sight')
    }
  }

  /** Return the height to which to go before a search; null if there is none. @param {string} thing */
  climb (thing) {
    const height = heightFor(this.bot, thing, this.surface())
    return height !== null && this.failures.climbed(height, this.bot.entity.position) ? null : height
  }

  /** Return the seconds of a search, or of other work in the open. By day it does not last into the night. */
  seconds (most = SECONDS) {
    const left = (DUSK - this.bot.time.timeOfDay) / 20
    return left > 0 ? Math.min(most, Math.max(SHORTEST, Math.floor(left / 10) * 10)) : most
  }

  /** Return how many to mine or smelt at once. In the open, by day, that does not last into the night. */
  byDusk (pace = PACE) {
    const { bot } = this
    const left = (DUSK - bot.time.timeOfDay) / 20
    const open = bot.game.difficulty !== 'peaceful' && bot.entity.position.y >= this.surface() - DEEP
    return open && left > 0 ? Math.min(MOST, Math.max(LEAST, Math.floor(left / pace))) : MOST
  }

  /** Look for a mob, after a wait for the night if it comes out only then. Go up or down by day. @param {string} mob */
  hunt (mob) {
    const seconds = untilNight(this.bot, mob)
    if (seconds && this.climb(mob) === null) {
      this.push('wait', { seconds: Math.min(LONGEST, seconds) }, `a ${mob} is met by night`)
    }
    this.search('entity', mob)
  }

  /** Return the direction with most land in sight, far from earlier searches in vain. @param {string} thing */
  direction (thing) {
    const ways = DIRECTIONS.map((name) => ({ name, worth: this.lands()[name] + this.novelty(name, thing) }))
    return ways.reduce((best, each) => (each.worth > best.worth + 0.2 ? each : best)).name
  }

  /**
   * Return how far a search would lead from earlier ones in vain, from 0 to 1. It is 0 if the way was blocked.
   * @param {string} direction @param {string} thing
   */
  novelty (direction, thing) {
    const here = this.bot.entity.position
    const [dx, , dz] = wayOf(direction)
    const end = here.offset(dx * STRIDE, 0, dz * STRIDE)
    let least = STRIDE
    for (const { from, at, args } of this.failures.searches(thing)) {
      const near = from.xzDistanceTo(at) < STRIDE / 2 && at.xzDistanceTo(here) < STRIDE / 2
      if (near && args.direction === direction) return 0
      for (const each of [from, from.plus(at).scaled(0.5), at]) least = Math.min(least, each.xzDistanceTo(end))
    }
    return least / STRIDE
  }

  /** Return the share of land in a direction, as far as the world is loaded. @param {string} direction */
  land (direction) {
    const { bot } = this
    const [dx, , dz] = wayOf(direction)
    const here = bot.entity.position.floored()
    let land = 0
    let known = 0
    for (let far = 8; far <= 64; far += 8) {
      const at = here.offset(dx * far, 0, dz * far)
      if (!bot.blockAt(at)) continue
      known++
      const ground = bot.blockAt(new Vec3(at.x, top(bot, at) - 1, at.z))
      if (ground && !/water|lava|kelp|seagrass|ice/.test(ground.name)) land++
    }
    return known ? land / known : 1
  }

  /**
   * Return what to do in place of a step that has just failed: the same elsewhere, or a walk away from here.
   * Return null if these failed too. Then the step itself is tried again, until its way is set aside.
   * @param {Step} step @returns {Step | null}
   */
  otherwise (step) {
    if (step.name === 'place_item' && !step.args.name.endsWith('_bucket')) {
      const at = spots(this.bot).find(({ x, y, z }) => !this.failed({ ...step, args: { ...step.args, x, y, z } }))
      if (at) return { ...step, args: { ...step.args, x: at.x, y: at.y, z: at.z } }
    }
    return this.walk(2 * HERE, `${step.name} did not work from here`)
  }

  /**
   * Return a walk over the ground in the direction with most land, or null if all have just failed or lead out of
   * bounds.
   * @param {number} far @param {string} why
   * @param {(direction: string) => number} [worth] of each direction
   * @returns {Step | null}
   */
  walk (far, why, worth = (name) => this.lands()[name]) {
    const { bot } = this
    const here = bot.entity.position.floored()
    const ways = DIRECTIONS.toSorted((a, b) => worth(b) - worth(a)).flatMap((direction) => {
      const [dx, , dz] = wayOf(direction)
      const at = here.offset(dx * far, 0, dz * far)
      at.y = ground(bot, at)
      const step = { name: 'goto', args: { x: at.x, y: at.y, z: at.z }, why }
      return bot.autocraft.bounds.outside(at) || this.failures.tried(step) ? [] : [step]
    })
    return ways[0] ?? null
  }
}

/**
 * Return the item that a use gains, how many are needed, what must stand near, what it uses up, and the tools of which
 * it needs one, the weakest first.
 * @param {Use} use
 */
const gained = ({ name, way, times, lack, fuel }) => ({
  item: name,
  gains: lack,
  station: way.station,
  takes: {
    ...Object.fromEntries(Object.entries(way.takes).map(([each, count]) => [each, count * times])),
    ...(fuel ? { [fuel]: Math.ceil(times / burns(fuel)) + (way.takes[fuel] || 0) * times } : {})
  },
  tools: way.tools
})

/** Return the height of the ground around the bot: it may stand in a shaft that is open to the sky. @param {Bot} bot */
function surface (bot) {
  const here = bot.entity.position.floored()
  const around = [here, ...LEVEL.map((side) => here.plus(side.scaled(AROUND)))]
  return around.map((at) => top(bot, at)).sort((a, b) => a - b)[1] // a valley has higher ground around it
}

/** Return the height above the highest block of a column that is no plant. @param {Bot} bot @param {Vec3} at */
function top (bot, at) {
  const lowest = bot.game.minY || 0
  for (let y = lowest + (bot.game.height || 256) - 1; y > lowest; y--) {
    const block = bot.blockAt(new Vec3(at.x, y, at.z))
    if (block && !/air$|leaves|_log$|grass$|fern|vine/.test(block.name)) return y + 1
  }
  return at.y
}

/** Return the highest place to stand in a column near a height, if it is loaded. @param {Bot} bot @param {Vec3} at */
function ground (bot, at) {
  /** @param {number} y */
  const block = (y) => bot.blockAt(new Vec3(at.x, y, at.z))
  /** @param {number} y */
  const isSolid = (y) => block(y)?.boundingBox === 'block'
  for (let y = at.y + 16; y > at.y - 16; y--) {
    if (isSolid(y - 1) && !isSolid(y) && !isSolid(y + 1) && !/leaves/.test(block(y - 1)?.name ?? '')) return y
  }
  return at.y
}

module.exports = { DEEP, LOOKED_FOR, SECONDS, Steps, surface }
