'use strict'
/**
 * Walk by mineflayer-pathfinder: with a limited search, inside the bounds, and using up only blocks that are not
 * needed. Commands walk only by `bot.autocraft.travel(goal, task)`. A bot that is stuck jumps and steps aside; it never
 * teleports.
 */
const need = require('../shared/need')
const { Fault } = require('../shared/fault')
const { beforeSearch } = require('./patches/search')
const { carriesFood } = require('./facts')
const { Lava } = require('./lava')
const { place } = require('./words')

const { Movements, goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const RADIUS = 48
const LEG = 32
const RISE = 8
/**
 * How each attempt searches: after `nodes` it gives up, at the same place at any speed; the remaining way weighs
 * `greed` times as much as the way so far; `spared` cobblestone is left for tools and a furnace.
 */
const ATTEMPTS = [
  { nodes: 4000, greed: 1.3, spared: 16 }, { nodes: 6000, greed: 4, spared: 11 }, { nodes: 8000, greed: 12, spared: 3 }
]
/**
 * The attempt that lets water flow and sand fall. Without it, a bot that closed itself in on a beach would stay there.
 */
const LAST = ATTEMPTS[ATTEMPTS.length - 1]
/** Blocks that no way may break. */
const KEPT = new RegExp(
  '(^|_)(chest|barrel|shulker_box|bed|furnace|crafting_table|door|sign|farmland|wheat|carrots|potatoes|spawner)$'
)
const HARMFUL = /^(magma_block|campfire|soul_fire|sweet_berry_bush|cactus|wither_rose|powder_snow)$/
const FILLING = ['dirt', 'coarse_dirt', 'netherrack', 'andesite', 'diorite', 'granite', 'tuff']

const WELL_FED = 18 // food with which wounds heal
const WEARY = 6 // food with which the game lets nobody sprint
const ON_BRINK = 4 // how much more a step costs from which the next step falls into lava
const LITTER = 2 // how much more a step costs beside a thrown item, which would be picked up again
const REACH = 2 // blocks from which the bot may pick things up
const RUN_UP = 3 // blocks that a sprinting bot may go too far
const PATIENCE = 60 // seconds in which the bot must come nearer to its target
const REFUSED = 2 // blocks that the server did not let the bot break, after which a walk is given up

/** Measure how far a walk has come. */
class Way {
  /** @param {Bot} bot @param {{x: number, y?: number, z: number} | undefined} target */
  constructor (bot, target) {
    this.bot = bot
    this.target = target
    this.nearest = Infinity
    this.since = Date.now()
    this.refused = bot.autocraft.journal?.refused ?? 0
  }

  /** Return why it is useless to go on, or ''. */
  vain () {
    const { bot, target } = this
    if (bot.autocraft.journal.refused >= this.refused + REFUSED) return bot.autocraft.journal.refusal
    if (!target) return ''
    const { x, y, z } = bot.entity.position
    const far = Math.hypot(target.x - x, (target.y ?? y) - y, target.z - z)
    if (far < this.nearest - 1) [this.nearest, this.since] = [far, Date.now()]
    const spent = (Date.now() - this.since) / 1000
    return spent > PATIENCE ? `it came no nearer than ${Math.round(this.nearest)} blocks in ${PATIENCE} seconds` : ''
  }
}

/** Tell whether sprinting leaves the bot its health. It costs a point of food in 40 blocks. @param {Bot} bot */
function canSprint (bot) {
  return bot.food >= WELL_FED || (bot.food > WEARY && carriesFood(bot))
}

/** @param {Bot} bot */
module.exports = function movement (bot) {
  let nodes = 0
  /** The blocks that this search has already read. @type {Map<number, {block: PathBlock, height: number}>} */
  const seen = new Map()
  /** Where the items lie that the bot threw away. @type {Vec3[]} */
  let litter = []
  const lava = bot.autocraft.lava = new Lava(bot)
  let attempt = ATTEMPTS[0]

  /** The pathfinder's moves, kept within the bounds, with a limit to every search. */
  class Bounded extends Movements {
    constructor () {
      super(bot)
      const { itemsByName } = bot.registry
      const careful = { get: () => attempt !== LAST }
      Object.defineProperties(this, {
        allowSprinting: { get: () => canSprint(bot) && !lava.below(here(), RUN_UP) },
        dontCreateFlow: careful,
        dontMineUnderFallingBlock: careful
      })
      this.scafoldingBlocks = FILLING.filter((name) => itemsByName[name]).map((name) => itemsByName[name].id)
      this.cobblestone = bot.registry.itemsByName.cobblestone.id
      for (const block of bot.registry.blocksArray) {
        if (KEPT.test(block.name)) this.blocksCantBreak.add(block.id)
        if (HARMFUL.test(block.name)) this.blocksToAvoid.add(block.id)
      }
      /** @param {Block} block */
      const closed = (block) => block.position && bot.autocraft.bounds.outside(block.position) ? 1000 : 0
      /** @param {Block} block */
      const brink = ({ position }) => position && lava.below(position, 1) ? ON_BRINK : 0
      /** @param {Block} block */
      const littered = ({ position: at }) => at && litter.some(({ x, y, z }) =>
        Math.abs(at.x + 0.5 - x) < REACH && Math.abs(at.y + 0.5 - y) < REACH && Math.abs(at.z + 0.5 - z) < REACH)
        ? LITTER
        : 0
      /** @param {Block} block */
      const kept = (block) =>
        bot.autocraft.bounds.keep(block) || (block.position && lava.freed(block.position)) ? 1000 : 0
      this.exclusionAreasStep.push(closed, brink, littered)
      this.exclusionAreasPlace.push(closed)
      this.exclusionAreasBreak.push(kept)
    }

    /**
     * Return a block, from memory if possible: many steps of a search ask for the same one. Some steps change its
     * height.
     * @param {Point} at @param {number} dx @param {number} dy @param {number} dz
     */
    getBlock (at, dx, dy, dz) {
      const key = ((at.y + dy & 0x1ff) << 22) | ((at.x + dx & 0x7ff) << 11) | (at.z + dz & 0x7ff)
      const known = seen.get(key)
      if (known) {
        known.block.height = known.height
        return known.block
      }
      const block = super.getBlock(at, dx, dy, dz)
      if (block.position) seen.set(key, { block, height: block.height })
      return block
    }

    /**
     * Return the cost of passing a block, which is broken if necessary.
     * @param {PathBlock} block @param {Vec3[]} toBreak
     */
    safeOrBreak (block, toBreak) {
      if (!block.breaking) {
        /** @type {Vec3[]} */
        const places = []
        block.breaking = { cost: super.safeOrBreak(block, places), places }
      }
      toBreak.push(...block.breaking.places)
      return block.breaking.cost
    }

    countScaffoldingItems () {
      return super.countScaffoldingItems() + Math.max(0, bot.inventory.count(this.cobblestone) - attempt.spared)
    }

    getScaffoldingItem () {
      const found = super.getScaffoldingItem()
      if (found || bot.inventory.count(this.cobblestone) <= attempt.spared) return found
      return bot.inventory.items().find((item) => item.type === this.cobblestone) ?? null
    }

    /** @param {PathMove} node */
    getNeighbors (node) {
      if (++nodes > attempt.nodes) return []
      const found = super.getNeighbors(node)
        .filter((each) => !each.toPlace.some(isForbidden) && !(each.parkour && lava.below(each, 1)))
      return bot.autocraft.bounds.fence || bot.autocraft.bounds.high !== Infinity
        ? found.filter((each) => !bot.autocraft.bounds.outside(each))
        : found
    }
  }

  /**
   * Tell whether a step would fill a place that must stay free, or a place out of bounds. The pathfinder asks one block
   * too high.
   * @param {{x: number, y: number, z: number, dx: number, dy: number, dz: number}} parts
   */
  function isForbidden ({ x, y, z, dx, dy, dz }) {
    const at = new Vec3(x + dx, y + dy, z + dz)
    return (bot.autocraft.freePlace && at.equals(bot.autocraft.freePlace)) || Boolean(bot.autocraft.bounds.outside(at))
  }

  bot.once('spawn', () => {
    bot.pathfinder.searchRadius = RADIUS
    bot.pathfinder.thinkTimeout = 4000
    bot.pathfinder.tickTimeout = 25
    beforeSearch(bot, () => {
      nodes = 0
      seen.clear()
      const { thrown } = bot.autocraft.sightings
      litter = [...thrown].flatMap((id) => bot.entities[id]?.position ?? [])
    })
    bot.pathfinder.setMovements(new Bounded())
  })

  let stuck = 0
  bot.on('path_reset', (why) => { if (why === 'stuck') stuck++ })
  /** The present walk: how near it came to its target, and when. Commands walk one at a time. */
  let way = new Way(bot, undefined)

  /** Return where the bot stands, as a block. */
  const here = () => bot.entity.position.floored()

  /** Walk once with the pathfinder. Return whether the bot arrived. @param {Goal} goal @param {Task} task */
  async function walk (goal, task) {
    await bot.autocraft.hands.rest(task)
    try {
      stuck = 0
      await task.wait(Promise.race([bot.pathfinder.goto(greedy(goal)), stuckTwice(task)]), 60, 'the way')
      return goal.isEnd(here()) || goal.isEnd(here().offset(0, 1, 0))
    } catch (error) {
      if (error instanceof Fault && error.kind !== 'failed') throw error
      return false
    } finally {
      if (task.reflex || !bot.autocraft.hands.reflex) {
        bot.pathfinder.setGoal(null)
        bot.clearControlStates()
      }
    }
  }

  /** Return the same goal with a weighted heuristic, so that a way that must be dug is found too. @param {Goal} goal */
  function greedy (goal) {
    const by = attempt.greed
    return Object.create(goal, { heuristic: { value: (/** @type {Point} */ node) => goal.heuristic(node) * by } })
  }

  /** @param {Task} task */
  async function stuckTwice (task) {
    const { interruptions } = bot.autocraft.hands
    while (!task.stopped) {
      await task.ticks(20)
      if (stuck >= 2 || way.vain() || bot.autocraft.hands.interruptions !== interruptions) throw new Error('stuck')
    }
  }

  /** Step aside and jump, in another direction each time. @param {Task} task @param {number} turn */
  async function unstick (task, turn) {
    const ways = ['back', 'left', 'right', 'forward']
    const way = ways[turn % ways.length]
    if (bot.autocraft.bounds.outside(bot.entity.position)) return
    bot.setControlState('jump', true)
    if (!lava.below(here(), RUN_UP)) bot.setControlState(way, true)
    try { await task.ticks(12) } finally { bot.clearControlStates() }
    await task.ticks(8)
  }

  /**
   * Walk to a goal, in legs if it is far. Throws a Fault that says what is in the way.
   * @param {Goal} goal @param {Task} task
   * @param {{x: number, y?: number, z: number}} [target] where the goal is, if it may be far
   */
  bot.autocraft.travel = async (goal, task, target) => {
    if (target) {
      const out = bot.autocraft.bounds.outside({ y: bot.entity.position.y, ...target })
      if (out) throw new Fault(`Out of bounds: ${out}`, 'bounds')
    }
    way = new Way(bot, target)
    for (let turn = 0, legs = 0; ; turn++) {
      task.check()
      attempt = ATTEMPTS[turn % ATTEMPTS.length]
      const { interruptions } = bot.autocraft.hands
      const far = target ? Math.hypot(target.x - bot.entity.position.x, target.z - bot.entity.position.z) : 0
      const before = bot.entity.position.clone()
      const leg = legTo(target, far)
      if (await walk(leg || goal, task) && !leg) return
      if (!task.reflex && bot.autocraft.hands.interruptions !== interruptions) {
        await bot.autocraft.hands.rest(task)
        way = new Way(bot, target)
        turn--
        continue
      }
      const vain = way.vain()
      const moved = before.distanceTo(bot.entity.position)
      if (leg && moved > 6 && !vain && legs++ < 200) { turn = -1; continue }
      if (vain || turn + 1 >= ATTEMPTS.length) {
        const to = target ? place({ y: before.y, ...target }) : 'it'
        throw new Fault(`No path to ${to} from ${place(bot.entity.position)}${vain && `: ${vain}`}`)
      }
      if (bot.autocraft.bounds.outside(bot.entity.position)) {
        throw new Fault(`Out of bounds: ${bot.autocraft.bounds.outside(bot.entity.position)}`, 'bounds')
      }
      await unstick(task, turn)
    }
  }

  /**
   * Return the next leg of a long way, or null if the way is short. The bot climbs first, since a search for a much
   * higher goal would include everything in between.
   * @param {{x: number, y?: number, z: number} | undefined} target @param {number} far
   */
  function legTo (target, far) {
    if (!target) return null
    const at = bot.entity.position
    if (target.y !== undefined && target.y - at.y > RISE + 4) return new goals.GoalY(Math.floor(at.y) + RISE)
    const part = LEG / far
    return far > LEG + 8
      ? new goals.GoalNearXZ(at.x + (target.x - at.x) * part, at.z + (target.z - at.z) * part, 3)
      : null
  }

  let outside = false
  // Stop a bot that water or a push carries out of its bounds. A command that would go further out finds no path.
  bot.on('move', () => {
    const out = bot.entity && bot.autocraft.bounds.outside(bot.entity.position)
    if (out && !outside) {
      bot.pathfinder.setGoal(null)
      bot.clearControlStates()
      bot.autocraft.tell({ event: 'refused', why: `it left the bounds: ${out}` })
    }
    outside = Boolean(out)
  })
}
