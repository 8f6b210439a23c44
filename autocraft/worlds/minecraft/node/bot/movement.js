'use strict'
/**
 * Walk by mineflayer-pathfinder: with a limited search, inside the bounds, and without changing a block where there is
 * a way without it. Commands walk only by `bot.autocraft.travel(goal, task)`. A bot that is stuck jumps and steps
 * aside; it never teleports. One that leans over an edge is put back over its own block, by less than a block.
 */
const need = require('../shared/need')
const { Fault, checkBounds } = require('../shared/fault')
const { nameAt } = require('./danger')
const { beforeSearch, keepFooting, leanBack } = require('./patches/search')
const { Doors } = require('./doors')
const { Lava } = require('./lava')
const { Moves, RUN_UP } = require('./moves')
const { isClimbed } = require('./nature')
const { Traces } = require('./traces')
const { place } = require('./words')

const { goals } = need('mineflayer-pathfinder')

const RADIUS = 48
const LEG = 32
const RISE = 8
/**
 * How each attempt searches. The first changes no block; it also holds while the bot follows somebody. Without the
 * last, a bot under sand or water would stay there.
 */
/** @type {import('./moves').Attempt[]} */
const ATTEMPTS = [
  { nodes: 3000, greed: 1.3, changes: false, spared: 0, careless: false },
  { nodes: 4000, greed: 1.3, changes: true, spared: 16, careless: false },
  { nodes: 6000, greed: 4, changes: true, spared: 11, careless: false },
  { nodes: 8000, greed: 12, changes: true, spared: 3, careless: true }
]
const PATIENCE = 60 // seconds in which the bot must come nearer to its target
const IDLE = 20 // ticks without anything to do after which a walk is begun anew
const REFUSED = 2 // blocks that the server did not let the bot break, after which a walk is given up
const DROP = 4 // blocks that the bot may fall
const LANDS = 20 // ticks in which it lands
/** How the keys turn the bot's way from where it looks. */
const TURNS = { back: Math.PI, left: Math.PI / 2, right: -Math.PI / 2, forward: 0 }

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

/** @param {Bot} bot */
module.exports = function movement (bot) {
  const lava = bot.autocraft.lava = new Lava(bot)
  const doors = new Doors(bot)
  const traces = bot.autocraft.traces = new Traces(bot, doors)
  /** @type {Moves} */
  let moves

  bot.once('spawn', () => {
    bot.pathfinder.searchRadius = RADIUS
    bot.pathfinder.thinkTimeout = 4000
    bot.pathfinder.tickTimeout = 25
    beforeSearch(bot, () => moves.begin())
    keepFooting(bot)
    moves = new Moves(bot, doors, ATTEMPTS[0])
    bot.pathfinder.setMovements(moves)
  })

  /** Walk by other rules, those of a program, until `act` ends. */
  bot.autocraft.byRules = async (rules, act) => {
    const usual = moves
    moves = new Moves(bot, doors, ATTEMPTS[0], rules)
    bot.pathfinder.setMovements(moves)
    try {
      return await act()
    } finally {
      moves = usual
      bot.pathfinder.setMovements(moves)
    }
  }

  let stuck = 0
  let idle = false // whether the present walk has ended short of its goal
  bot.on('path_reset', (why) => { if (why === 'stuck') stuck++ })
  let searching = false
  bot.on('path_update', ({ status }) => { searching = status === 'partial' })
  /** The present walk: how near it came to its target, and when. Commands walk one at a time. */
  let way = new Way(bot, undefined)

  /** Return where the bot stands, as a block. */
  const here = () => bot.entity.position.floored()

  /**
   * Walk once with the pathfinder. Return whether the bot arrived.
   * @param {Goal} goal @param {Task} task @param {() => unknown} until whether the walk may end
   */
  async function walk (goal, task, until) {
    await bot.autocraft.hands.rest(task)
    let over = false
    try {
      stuck = 0
      idle = false
      const interrupted = interruption(task, until, () => over)
      await task.wait(Promise.race([bot.pathfinder.goto(greedy(goal)), interrupted]), 60, 'the way')
      return goal.isEnd(here()) || goal.isEnd(here().offset(0, 1, 0))
    } catch (error) {
      if (error instanceof Fault && error.kind !== 'failed') throw error
      return false
    } finally {
      over = true
      if (task.reflex || !bot.autocraft.hands.reflex) {
        bot.pathfinder.setGoal(null)
        bot.clearControlStates()
      }
    }
  }

  /** Return the same goal with a weighted heuristic, so that a way that must be dug is found too. @param {Goal} goal */
  function greedy (goal) {
    const by = moves.attempt.greed
    return Object.create(goal, { heuristic: { value: (/** @type {Point} */ node) => goal.heuristic(node) * by } })
  }

  /**
   * Wait until there is a reason to interrupt the walk, and throw it.
   * @param {Task} task @param {() => unknown} until @param {() => boolean} over whether the walk has ended by itself
   */
  async function interruption (task, until, over) {
    const { interruptions } = bot.autocraft.hands
    let still = 0
    for (let ticks = 1; !task.stopped; ticks++) {
      await task.ticks(1)
      if (over()) return
      still = isIdle() ? still + 1 : 0
      idle = still > IDLE
      if (idle) throw new Error('idle')
      if (traces.behind().length) {
        bot.entity.velocity.set(0, bot.entity.velocity.y, 0) // else it slides over an edge
        throw new Error('scaffold')
      }
      if (ticks % 20) continue
      if (stuck >= 2 || way.vain() || bot.autocraft.hands.interruptions !== interruptions) throw new Error('stuck')
      if (until()) throw new Error('enough')
    }
  }

  /** Tell whether the pathfinder does nothing: it may come to the end of a way short of the goal, and stay there. */
  function isIdle () {
    const { pathfinder } = bot
    return !searching && !pathfinder.isMoving() && !pathfinder.isMining() && !pathfinder.isBuilding()
  }

  /** Jump and step aside, each time another way, but not down a cliff. @param {Task} task @param {number} turn */
  async function unstick (task, turn) {
    const ways = /** @type {(keyof typeof TURNS)[]} */ (Object.keys(TURNS))
    const way = ways[turn % ways.length]
    if (bot.autocraft.bounds.outside(bot.entity.position)) return
    leanBack(bot)
    bot.setControlState('jump', true)
    if (!lava.below(here(), RUN_UP) && !isCliff(bot.entity.yaw + TURNS[way])) bot.setControlState(way, true)
    try { await task.ticks(12) } finally { bot.clearControlStates() }
    await task.ticks(8)
  }

  /** Tell whether the bot jumps or falls, as at the end of a walk that leads over an edge. */
  const isInAir = () => {
    const { onGround, isInWater } = bot.entity
    const name = nameAt(bot, here())
    return !onGround && !isInWater && !name.includes('lava') && !isClimbed(name) && bot.isAlive
  }

  /** Tell whether the bot would fall deep if it went a step or two in a direction. @param {number} yaw */
  function isCliff (yaw) {
    return [1, 2].some((far) => {
      const at = bot.entity.position.offset(-Math.sin(yaw) * far, 0, -Math.cos(yaw) * far).floored()
      for (let down = 0; down <= DROP; down++) if (!/air$/.test(nameAt(bot, at.offset(0, -down, 0)))) return false
      return true
    })
  }

  /**
   * Walk to a goal, in legs if it is far. Throws a Fault that says what is in the way.
   * @param {Goal} goal @param {Task} task
   * @param {{x: number, y?: number, z: number}} [target] where the goal is, if it may be far
   * @param {() => unknown} [until] whether the walk may end before
   */
  bot.autocraft.travel = async (goal, task, target, until = () => false) => {
    try {
      await go(goal, task, target, until)
      for (let ticks = 0; ticks < LANDS && isInAir(); ticks++) await task.ticks(1)
    } finally {
      moves.attempt = ATTEMPTS[0]
    }
  }

  /**
   * Try to walk to a goal, by one attempt after the other.
   * @param {Goal} goal @param {Task} task @param {{x: number, y?: number, z: number} | undefined} target
   * @param {() => unknown} until
   */
  async function go (goal, task, target, until) {
    if (target) {
      checkBounds(bot.autocraft.bounds.outside({ y: bot.entity.position.y, ...target }))
    }
    way = new Way(bot, target)
    let again = false // whether a walk was begun anew by the same rules
    for (let turn = 0, legs = 0; ; turn++) {
      task.check()
      moves.attempt = ATTEMPTS[turn % ATTEMPTS.length]
      const { interruptions } = bot.autocraft.hands
      const far = target ? Math.hypot(target.x - bot.entity.position.x, target.z - bot.entity.position.z) : 0
      const before = bot.entity.position.clone()
      const leg = legTo(target, far)
      if ((await walk(leg || goal, task, until) && !leg) || until()) return
      const scaffold = traces.behind()
      if (scaffold.length) {
        await traces.clear(scaffold, task)
        turn--
        continue
      }
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
        const why = vain || moves.closed
        throw new Fault(`No path to ${to} from ${place(bot.entity.position)}${why && `: ${why}`}`)
      }
      checkBounds(bot.autocraft.bounds.outside(bot.entity.position))
      if (moves.attempt.changes || idle || stuck >= 2) await unstick(task, turn)
      if ((idle || (!moves.attempt.changes && stuck >= 2)) && !again) {
        again = true
        turn--
      }
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
