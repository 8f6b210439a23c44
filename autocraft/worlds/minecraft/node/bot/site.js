'use strict'
/** A building site: what is to stand where, what stands, and how each block is put there with its states. */
const need = require('../shared/need')
const { supportOf } = require('../shared/supports')
const { isAir } = require('./columns')
const { solid } = require('./danger')
const { find } = require('./names')
const { facesPlacer, isLoose, isPlant } = require('./nature')
const { LEVEL, SIDES } = require('./sides')
const { place } = require('./words')

const { Vec3 } = need('vec3')

/**
 * @typedef {{at: Vec3, name: string, states: Record<string, string>, item: string}} Part a block of the plan; `item` is
 *   '' if it comes with another one
 * @typedef {{blocks: [number, number, number, string, Record<string, string>, string][],
 *   free: [number, number, number][], clears: [number, number, number, string][],
 *   rest?: [number, number, number, string, Record<string, string>, string][]}} BuildingPlan `rest` is what other bots
 *   build of it
 */

const EXITS = /_door$|_fence_gate$/
/** @type {Record<string, Vec3>} */
const WAYS = {
  up: new Vec3(0, 1, 0), down: new Vec3(0, -1, 0), north: new Vec3(0, 0, -1), south: new Vec3(0, 0, 1),
  west: new Vec3(-1, 0, 0), east: new Vec3(1, 0, 0)
}
/** The yaw with which mineflayer looks in a direction. @type {Record<string, number>} */
const YAW = { north: 0, west: Math.PI / 2, south: Math.PI, east: -Math.PI / 2 }
/** @type {Record<string, string>} */
const BACK = { north: 'south', south: 'north', west: 'east', east: 'west' }

class Site {
  /** @param {Bot} bot @param {BuildingPlan} plan */
  constructor (bot, { blocks, free, clears, rest }) {
    this.bot = bot
    /** @param {BuildingPlan['blocks'][0]} block @returns {Part} */
    const part = ([x, y, z, name, states, item]) =>
      ({ at: new Vec3(x, y, z), name: find(bot.registry.blocksByName, name)?.name ?? name, states, item })
    this.parts = blocks.map(part)
    /** All of the building, also what others build. */
    this.all = [...this.parts, ...(rest ?? []).map(part)]
    this.shared = rest !== undefined
    this.free = free.map(([x, y, z]) => new Vec3(x, y, z))
    this.clears = new Map(clears.map(([x, y, z, name]) => [place({ x, y, z }), name]))
    this.planned = new Map(this.all.map((part) => [place(part.at), part]))
    const cells = [...this.parts.map(({ at }) => at), ...this.free]
    this.low = new Vec3(Infinity, Infinity, Infinity)
    this.high = new Vec3(-Infinity, -Infinity, -Infinity)
    for (const at of cells) this.cover(at)
    this.middle = this.low.plus(this.high).scaled(0.5).floored()
  }

  /** Count a place as one of the site, near which supports are looked for. @param {Vec3} at */
  cover ({ x, y, z }) {
    const { low, high } = this
    this.low = new Vec3(Math.min(low.x, x), Math.min(low.y, y), Math.min(low.z, z))
    this.high = new Vec3(Math.max(high.x, x), Math.max(high.y, y), Math.max(high.z, z))
  }

  /** Return how many blocks the bot is away from the site. */
  far () {
    const { low, high, bot: { entity: { position: p } } } = this
    return p.distanceTo(p.max(low).min(high))
  }

  /** Tell whether a part stands, with the states that the plan gives. @param {Part} part */
  stands ({ at, name, states }) {
    const block = this.bot.blockAt(at)
    if (!block || block.name !== name) return false
    const are = /** @type {Record<string, unknown>} */ (block.getProperties())
    return Object.entries(states).every(([key, value]) => String(are[key]) === value)
  }

  /** Return what is not as planned: the parts that do not stand, and the blocks where it must be free. */
  compare () {
    const wrong = this.parts.filter((part) => !this.stands(part))
    const filled = this.free.filter((at) => this.isFilled(at))
    return { wrong, filled }
  }

  /** Tell whether something stands in a place that stays free. @param {Vec3} at */
  isFilled (at) {
    const block = this.bot.blockAt(at)
    return Boolean(block && !isAir(block) && !(block.boundingBox === 'empty' && isPlant(block.name)))
  }

  /** Return what has to be dug away, the uppermost first. */
  toClear () {
    const { bot } = this
    const inTheWay = this.parts.filter((part) => {
      const block = bot.blockAt(part.at)
      return block && !isAir(block) && !this.stands(part) && !this.isLiquid(block)
    }).map(({ at }) => at)
    return [...inTheWay, ...this.free.filter((at) => this.isFilled(at))].sort((a, b) => b.y - a.y)
  }

  /** @param {Block} block */
  isLiquid (block) { return /^(water|lava|bubble_column)$/.test(block.name) }

  /**
   * Return why a block may not be dug away, or ''. What the plan names may be, and plants, loose earth, and what the
   * bot itself has placed.
   * @param {Block} block
   */
  keeps (block) {
    const known = this.clears.get(place(block.position)) === block.name ||
      this.bot.autocraft.journal.placed(block.position)
    if (known || isPlant(block.name) || isLoose(this.bot.registry, block.name)) return ''
    return `${block.name} is at ${place(block.position)}, which the plan does not dig away: use plan_build again`
  }

  /** Return the faults that the world has against the plan, each in words. */
  faults () {
    const { bot } = this
    const faults = new Set()
    for (const { at, name, states } of this.parts) {
      const kind = bot.registry.blocksByName[name]
      const out = bot.autocraft.bounds.outside(at)
      if (out) faults.add(`out of bounds: ${out}`)
      if (!kind) { faults.add(`there is no block ${name} in Minecraft ${bot.version}`); continue }
      for (const [key, value] of Object.entries(states)) {
        const state = (kind.states ?? []).find((each) => each.name === key)
        if (!state || (state.values && !state.values.includes(value))) faults.add(`${name} has no ${key}=${value}`)
      }
    }
    for (const at of [...this.parts.map((part) => part.at), ...this.free]) {
      const block = bot.blockAt(at)
      if (!block) return [`${place(at)} is not loaded: go nearer first`]
      if (this.isLiquid(block)) faults.add(`${block.name} is at ${place(at)}: take a dry place`)
    }
    for (const at of this.toClear()) {
      const block = bot.blockAt(at)
      if (!block) continue
      const why = bot.autocraft.bounds.keep(block) || (block.diggable ? '' : `${block.name} cannot be dug away`)
      if (why) faults.add(why)
    }
    return [...faults].slice(0, 6)
  }

  /**
   * Return against which block a part is placed now, on which face, where on it, and how the bot looks meanwhile.
   * Return null if nothing is there yet that carries it.
   * @param {Part} part
   */
  hold ({ at, name, states }) {
    const { facing, half, type, axis, face, hanging } = states
    const support = supportOf(name)
    let ways = ['down', 'north', 'south', 'west', 'east', 'up']
    if (support === 'behind' || face === 'wall') ways = [BACK[facing]]
    else if (face === 'ceiling' || hanging === 'true') ways = ['up']
    else if (support === 'below' || face === 'floor') ways = ['down']
    else if (axis) ways = ways.filter((way) => WAYS[way][/** @type {'x'} */ (axis)] !== 0)
    else if (half === 'top' || type === 'top') ways = ways.slice(1)
    else if (half === 'bottom' || type === 'bottom') ways = ways.slice(0, 5)
    const way = ways.find((each) => this.bot.blockAt(at.plus(WAYS[each]))?.boundingBox === 'block')
    if (!way) return null
    const ground = /** @type {Block} */ (this.bot.blockAt(at.plus(WAYS[way])))
    /** @type {'top' | 'bottom'} */
    const side = half === 'top' || type === 'top' ? 'top' : 'bottom'
    const turns = facing && support !== 'behind' && YAW[facing] !== undefined
    const yaw = turns ? YAW[facesPlacer(name) ? BACK[facing] : facing] : null
    return { ground, face: WAYS[way].scaled(-1), half: side, yaw }
  }

  /** Tell whether a part closes the way out. @param {Part} part */
  isExit ({ name }) { return EXITS.test(name) }

  /** Tell whether a column lies outside the building. @param {Point} at */
  isOutside (at) {
    const [first] = this.all
    let [west, east, north, south] = [first.at.x, first.at.x, first.at.z, first.at.z]
    for (const { at: { x, z } } of this.all) {
      [west, east, north, south] = [Math.min(west, x), Math.max(east, x), Math.min(north, z), Math.max(south, z)]
    }
    return at.x < west || at.x > east || at.z < north || at.z > south
  }

  /**
   * Let no walk break what stands as planned, or fill a place of the plan. Return a function that ends this. What
   * commands have placed is kept by `bounds.stays` too; this also keeps what stood there before.
   * @returns {() => void}
   */
  guard () {
    const { movements } = /** @type {any} */ (this.bot.pathfinder)
    /** @param {Block} block */
    const works = (block) => {
      const part = block.position && this.planned.get(place(block.position))
      return part && this.stands(part) ? 1000 : 0
    }
    /** @param {Block} block */
    const fills = ({ position: at }) =>
      at && [at, at.offset(0, 1, 0)].some((each) => this.planned.has(place(each))) ? 1000 : 0
    movements.exclusionAreasBreak.push(works)
    movements.exclusionAreasPlace.push(fills)
    return () => {
      movements.exclusionAreasBreak.splice(movements.exclusionAreasBreak.indexOf(works), 1)
      movements.exclusionAreasPlace.splice(movements.exclusionAreasPlace.indexOf(fills), 1)
    }
  }

  /**
   * Tell whether a block is earth that fills a hole in the ground, and not one of the building. Such earth is no
   * support: the walk out of the hole would put it back.
   * @param {Vec3} at
   */
  isGround (at) {
    const { bot } = this
    return isLoose(bot.registry, bot.blockAt(at)?.name ?? '') &&
      [SIDES[0], ...LEVEL].every((side) => solid(bot, at.plus(side))) &&
      LEVEL.some((side) => !this.planned.has(place(at.plus(side))))
  }

  /**
   * Return the places near the building where the bot has placed what is not planned, and no work of a command, the
   * uppermost first. While others build too, each takes its own away.
   */
  supports () {
    const { low, high, shared, bot: { autocraft: { journal } } } = this
    const [least, most] = [low.offset(-5, -2, -5), high.offset(5, 4, 5)]
    return journal.aids(shared)
      .filter((at) => at.equals(at.max(least).min(most)) && !this.planned.has(place(at)) &&
        !isAir(this.bot.blockAt(at)) && !this.isGround(at))
      .sort((a, b) => b.y - a.y)
  }
}

/** Return a part as a text, such as "oak_door[facing=north]". @param {Part} part */
function partText ({ name, states }) {
  const given = Object.entries(states).map(([key, value]) => `${key}=${value}`)
  return given.length ? `${name}[${given.join(',')}]` : name
}

/**
 * Return what is wrong as one text, equal faults together, and whether all is as planned and no support is left.
 * @param {Site} site @param {Map<string, string>} [reasons] why a part was given up, by its place
 */
function wrongText (site, reasons = new Map()) {
  const { wrong, filled } = site.compare()
  const supports = site.supports()
  /** @type {Map<string, Vec3[]>} */
  const groups = new Map()
  /** @param {Vec3} at */
  const why = (at) => reasons.has(place(at)) ? ` (${reasons.get(place(at))})` : ''
  /** @param {string} why @param {Vec3} at */
  const add = (why, at) => groups.set(why, [...groups.get(why) ?? [], at])
  for (const part of wrong) {
    const block = site.bot.blockAt(part.at)
    const is = !block ? 'not loaded' : block.name === part.name ? 'there with another direction' : `${block.name} there`
    add(`${partText(part)}: ${is}${why(part.at)}`, part.at)
  }
  for (const at of filled) add(`to stay free: ${site.bot.blockAt(at)?.name} there${why(at)}`, at)
  for (const at of supports) add(`left as a support: ${site.bot.blockAt(at)?.name} there${why(at)}`, at)
  const lines = [...groups].map(([why, all]) =>
    `${all.length} ${why} at ${all.slice(0, 4).map(place).join(', ')}${all.length > 4 ? ', …' : ''}`)
  const right = site.parts.length - wrong.length
  const end = lines.length ? `: ${lines.slice(0, 8).join('; ')}` : ''
  return {
    whole: !wrong.length && !filled.length && !supports.length,
    text: `Of ${site.parts.length} blocks ${right} are right, ${wrong.length} wrong` +
      `${filled.length ? `, and ${filled.length} places are not free` : ''}${end}.`
  }
}

module.exports = { Site, partText, wrongText }
