'use strict'
/** Say which steps a walk may take: the moves of mineflayer-pathfinder, within the bounds, and with limits. */
const need = require('../shared/need')
const { Fault } = require('../shared/fault')
const { HEALS, carriesFood } = require('./facts')
const { fillers, isHarmful, natural, worthKeeping } = require('./nature')
const { LEVEL } = require('./sides')

const { Movements } = need('mineflayer-pathfinder')
const Move = need('mineflayer-pathfinder/lib/move')
const { Vec3 } = need('vec3')

const STONE = 64 // how many are worth keeping of what tools and furnaces are made of
const WEARY = 6 // food with which the game lets nobody sprint
const ON_BRINK = 4 // how much more a step costs from which the next step falls into lava
const PRICKLY = 4 // how much more a step beside a cactus costs, which hurts who touches it
const LITTER = 2 // how much more a step costs beside a thrown item, which would be picked up again
const REACH = 2 // blocks from which the bot may pick things up
const RUN_UP = 3 // blocks that a sprinting bot may go too far
const CLOSED = 1000 // what a step costs that is not taken
const FLAG = 'boolean'
const NUMBER = 'number'
const KINDS = 'object' // numbers of kinds of blocks or items
/** The fields of a program's Movements that hold for its walks, each with the type of its value. */
/** @type {Record<string, string>} */
const RULES = {
  canDig: FLAG, canOpenDoors: FLAG, allow1by1towers: FLAG, allowParkour: FLAG, allowSprinting: FLAG, digCost: NUMBER,
  placeCost: NUMBER, liquidCost: NUMBER, maxDropDown: NUMBER, scafoldingBlocks: KINDS, blocksCantBreak: KINDS,
  blocksToAvoid: KINDS
}

/**
 * Read the rules of a program's walk: the fields of its Movements that it changed, as JSON. Throws a Fault if they are
 * wrong.
 * @param {string} text @returns {Record<string, any>}
 */
function rulesOf (text) {
  /** @type {Record<string, any>} */
  let rules = {}
  try { rules = JSON.parse(text || '{}') } catch {}
  const wrong = Object.entries(rules).find(([name, value]) => !Object.hasOwn(RULES, name) ||
    typeof value !== RULES[name] || (RULES[name] === KINDS && !(Array.isArray(value) && value.every(Number.isInteger))))
  if (wrong) throw new Fault(`no rule ${wrong[0]} for a walk: give some of ${Object.keys(RULES).join(', ')}`, 'invalid')
  return rules
}

/** Tell whether sprinting leaves the bot its health. It costs a point of food in 40 blocks. @param {Bot} bot */
function canSprint (bot) {
  return bot.food >= HEALS || (bot.food > WEARY && carriesFood(bot))
}

/**
 * How a walk searches: after `nodes` steps it gives up, at the same place at any speed; the remaining way weighs
 * `greed` times as much as the way so far; it `changes` blocks or does not; `spared` cobblestone is left for tools and
 * a furnace; it may be `careless`: let water flow and sand fall, break what players build with, and lay what the task
 * needs.
 * @typedef {{nodes: number, greed: number, changes: boolean, spared: number, careless: boolean}} Attempt
 */

class Moves extends Movements {
  /**
   * @param {Bot} bot @param {import('./doors').Doors} doors @param {Attempt} attempt
   * @param {Record<string, any>} [rules] those of a program
   */
  constructor (bot, doors, attempt, rules = {}) {
    super(bot)
    this.doors = doors
    this.rules = rules
    this.attempt = attempt
    /** The blocks that this search has already read. @type {Map<number, {block: PathBlock, height: number}>} */
    this.seen = new Map()
    this.nodes = 0
    /** Whether this search has met a door. */
    this.door = false
    /** Whether the step that is searched for leads up or down. */
    this.climbing = false
    /** Whether the step that is searched for leads out of water. */
    this.afloat = false
    /** Why this search did not break the last block that stays, or ''. */
    this.closed = ''
    /** Where the items lie that the bot threw away. @type {Vec3[]} */
    this.litter = []
    const { items, itemsByName, blocksArray } = bot.registry
    const { lava } = bot.autocraft
    const careful = { get: () => !this.attempt.careless }
    const { scafoldingBlocks, blocksCantBreak = [], blocksToAvoid = [], canDig, allowSprinting, ...others } = rules
    Object.assign(this, others)
    Object.defineProperties(this, {
      scafoldingBlocks: { get: () => this.attempt.careless ? laid : laid.filter((id) => !isSpared(id)) },
      canDig: { get: () => this.attempt.changes && canDig !== false },
      allowSprinting: {
        get: () => allowSprinting !== false && canSprint(bot) && !lava.below(bot.entity.position.floored(), RUN_UP)
      },
      dontCreateFlow: careful,
      dontMineUnderFallingBlock: careful
    })
    /** @type {number[]} */
    const laid = scafoldingBlocks ?? fillers(bot.registry)
      .filter((name) => (worthKeeping(bot.registry, name) ?? Infinity) < STONE).map((name) => itemsByName[name].id)
    /** @param {number} id */
    const isSpared = (id) => bot.autocraft.spared?.includes(items[id].name)
    this.cobblestone = scafoldingBlocks ? -1 : itemsByName.cobblestone.id
    for (const id of blocksCantBreak) this.blocksCantBreak.add(id)
    for (const id of blocksToAvoid) this.blocksToAvoid.add(id)
    /** Blocks that players build with, and that do not lie about. @type {Set<number>} */
    this.built = new Set()
    for (const { id, name } of blocksArray) {
      if (isHarmful(name)) this.blocksToAvoid.add(id)
      if (!natural(bot.registry).has(name)) this.built.add(id)
    }
    this.exclusionAreasStep.push(closedTo(bot), ({ position }) => position && lava.below(position, 1) ? ON_BRINK : 0)
    this.exclusionAreasStep.push(({ position: at }) => at && this.litter.some(({ x, y, z }) =>
      Math.abs(at.x + 0.5 - x) < REACH && Math.abs(at.y + 0.5 - y) < REACH && Math.abs(at.z + 0.5 - z) < REACH)
      ? LITTER
      : 0)
    const cactus = bot.registry.blocksByName.cactus.id
    this.exclusionAreasStep.push(({ position: at }) => at && LEVEL.some(({ x, z }) =>
      [0, 1].some((up) => this.getBlock(at, x, up, z).type === cactus)) ? PRICKLY : 0)
    this.exclusionAreasPlace.push(closedTo(bot))
    this.exclusionAreasBreak.push((block) => this.#mayBreak(block) ? 0 : CLOSED)
  }

  /** Begin a search: forget what the last one has read. */
  begin () {
    this.nodes = 0
    this.seen.clear()
    this.door = false
    this.closed = ''
    const { bot } = this
    this.litter = [...bot.autocraft.sightings.thrown].flatMap((id) => bot.entities[id]?.position ?? [])
  }

  /** @param {Block} block */
  #mayBreak (block) {
    const { bounds, journal, lava } = this.bot.autocraft
    const stays = bounds.stays(block)
    if (stays) this.closed = stays
    if (stays || lava.freed(block.position)) return false
    return this.attempt.careless || !this.built.has(block.type) || journal.placed(block.position)
  }

  /**
   * Return a block, from memory if possible: many steps of a search ask for the same one. Some steps change its height.
   * @param {Point} at @param {number} dx @param {number} dy @param {number} dz
   */
  getBlock (at, dx, dy, dz) {
    const key = ((at.y + dy & 0x1ff) << 22) | ((at.x + dx & 0x7ff) << 11) | (at.z + dz & 0x7ff)
    const known = this.seen.get(key)
    if (known) {
      const floats = this.afloat && dy === -1 && known.block.liquid // a swimmer stands on the water below
      known.block.height = known.height + (floats ? 1 : 0)
      return known.block
    }
    const block = super.getBlock(at, dx, dy, dz)
    if (!block.position) return block
    const axis = this.rules.canOpenDoors === false ? '' : this.doors.axis(block)
    block.hatch = axis === 'y'
    if (block.hatch) block.climbable = true
    block.door = block.hatch ? '' : axis
    if (block.door) {
      this.door = block.safe = true
      block.physical = false
    }
    this.seen.set(key, { block, height: block.height })
    return block
  }

  /**
   * Return the cost of passing a block, which is broken if necessary.
   * @param {PathBlock} block @param {Vec3[]} toBreak
   */
  safeOrBreak (block, toBreak) {
    if (block.hatch && this.climbing) return 0
    if (!block.breaking) {
      /** @type {Vec3[]} */
      const places = []
      block.breaking = { cost: super.safeOrBreak(block, places), places }
    }
    toBreak.push(...block.breaking.places)
    return block.breaking.cost
  }

  /** @param {PathMove} node @param {PathMove[]} found */
  getMoveUp (node, found) {
    const [feet, head, above] = [0, 1, 2].map((dy) => this.getBlock(node, 0, dy, 0))
    if (!feet.liquid) this.#climb(node, found, () => super.getMoveUp(node, found), [0, 1, 2])
    else if (head.liquid && head.safe && !above.physical) { // the pathfinder knows no way up through water
      found.push(new Move(node.x, node.y + 1, node.z, node.remainingBlocks, 1 + this.liquidCost))
    }
  }

  /**
   * Find a step onto the block in front, also out of deep water.
   * @param {PathMove} node @param {{x: number, z: number}} dir @param {PathMove[]} found
   */
  getMoveJumpUp (node, dir, found) {
    this.getBlock(node, 0, -1, 0)
    const before = found.length
    this.afloat = this.getBlock(node, 0, 0, 0).liquid
    super.getMoveJumpUp(node, dir, found)
    const [step] = this.afloat ? found.slice(before) : []
    if (step?.toPlace.length) found.pop() // no block can be placed against the water on which a swimmer stands
    this.afloat = false
  }

  /**
   * Find a diagonal step. One up is taken only where both sides are free: else the bot jumps against the corner.
   * @param {PathMove} node @param {{x: number, z: number}} dir @param {PathMove[]} found
   */
  getMoveDiagonal (node, dir, found) {
    const before = found.length
    super.getMoveDiagonal(node, dir, found)
    const [step] = found.slice(before)
    const isClosed = (/** @type {number} */ dy) =>
      this.getBlock(node, dir.x, dy, 0).physical || this.getBlock(node, 0, dy, dir.z).physical
    if (step && step.y > node.y && [1, 2].some(isClosed)) found.pop()
  }

  /** @param {PathMove} node @param {PathMove[]} found */
  getMoveDown (node, found) { this.#climb(node, found, () => super.getMoveDown(node, found), [-1, 0]) }

  /**
   * Find a step up or down, which passes the hatches at some heights.
   * @param {PathMove} node @param {PathMove[]} found @param {() => void} search @param {number[]} heights
   */
  #climb (node, found, search, heights) {
    const hatch = heights.map((dy) => this.getBlock(node, 0, dy, 0)).find((block) => block.hatch)
    const before = found.length
    this.climbing = true
    search()
    this.climbing = false
    if (hatch) for (const step of found.slice(before)) step.hatch = hatch.position
  }

  countScaffoldingItems () {
    if (!this.attempt.changes) return 0
    return super.countScaffoldingItems() +
      Math.max(0, this.bot.inventory.count(this.cobblestone) - this.attempt.spared)
  }

  /** Return what to lay next. While a click puts it into the hand it is on the cursor, and counts too. */
  getScaffoldingItem () {
    const { inventory } = this.bot
    const { selectedItem: moved } = inventory
    const found = super.getScaffoldingItem()
    if (found) return found
    if (moved && (moved.type === this.cobblestone || this.scafoldingBlocks.includes(moved.type))) return moved
    if (inventory.count(this.cobblestone) <= this.attempt.spared) return null
    return inventory.items().find((item) => item.type === this.cobblestone) ?? null
  }

  /** @param {PathMove} node */
  getNeighbors (node) {
    if (++this.nodes > this.attempt.nodes) return []
    const { bounds, lava } = this.bot.autocraft
    // on a ladder, who leans aside to put a block there falls
    const { climbable, hatch } = this.getBlock(node, 0, 0, 0)
    const climbs = !this.attempt.careless && climbable && !hatch
    let found = super.getNeighbors(node).filter((each) => !(climbs && each.toPlace.length) &&
      !each.toPlace.some((to) => this.#staysFree(to)) && !(each.parkour && lava.below(each, 1)))
    if (this.door) {
      /** @param {number} x @param {number} y @param {number} z */
      const axisAt = (x, y, z) => this.getBlock({ x, y, z }, 0, 0, 0).door ?? ''
      found = found.filter((each) => this.doors.allows(axisAt, node, each))
    }
    return bounds.fence || bounds.high !== Infinity ? found.filter((each) => !bounds.outside(each)) : found
  }

  /**
   * Tell whether a place must stay free, or is out of bounds. The pathfinder asks one block too high.
   * @param {{x: number, y: number, z: number, dx: number, dy: number, dz: number}} parts
   */
  #staysFree ({ x, y, z, dx, dy, dz }) {
    const { bounds, freePlace } = this.bot.autocraft
    const at = new Vec3(x + dx, y + dy, z + dz)
    return Boolean(freePlace?.equals(at) || bounds.outside(at))
  }
}

/** Return what a step to a block costs more than usual: too much if it is out of bounds. @param {Bot} bot */
const closedTo = (bot) => (/** @type {Block} */ { position }) =>
  position && bot.autocraft.bounds.outside(position) ? CLOSED : 0

module.exports = { Moves, RUN_UP, rulesOf }
