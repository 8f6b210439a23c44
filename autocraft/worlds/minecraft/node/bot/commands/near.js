'use strict'
/** Find things near the bot, and get within reach of them. */
const need = require('../../shared/need')
const { Fault } = require('../../shared/fault')
const { isAir, nearestBlocks, statesOf } = require('../columns')
const { nameAt } = require('../danger')
const { EYES, eyes } = require('../sight')
const { place } = require('../words')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const REACH = 4.4
const WITHIN = 3.9 // blocks from the eyes to a place beside which a walk ends
const LOOK = 32 // blocks within which a command finds what it is for
const HUNT = 48 // blocks within which a command finds a mob to kill or to milk
const FAR = 64 // blocks within which a command finds what it walks to
const LIQUID = /^(water|lava)$/
const BY_LAVA = 60
const UNDER_WATER = 24 // digging takes five times as long there, and what drops is carried away
const STANDS = 0.81 // blocks from the middle of a block within which a part of the bot is in it or above it
const HEIGHT = 1.8 // of the bot
const OWN = 1000
const THEIRS = 8

/**
 * Return the positions of blocks, the nearest first.
 * @param {Bot} bot @param {number[]} ids @param {number} radius @param {number} [count]
 * @param {(at: Point & {state: number}) => boolean} [fits] which of them count
 */
function positions (bot, ids, radius, count = 1, fits) {
  const from = bot.entity.position
  return nearestBlocks(bot, from.floored(), radius, count, statesOf(bot, ids), fits)
    .map(([x, y, z]) => new Vec3(x, y, z))
    .sort((a, b) => a.distanceSquared(from) - b.distanceSquared(from) || a.y - b.y || a.x - b.x || a.z - b.z)
}

/**
 * Tell whether a command can use the block at a place. Of water and lava that is a source in the open, which a bucket
 * takes up. What lies on lava cannot be used, since what it drops burns. Searches accept the same blocks as what they
 * are for.
 * @param {Bot} bot @param {Point & {state: number}} at the place and the state of the block there
 */
function reachable (bot, { x, y, z, state }) {
  const { blocksByStateId: kinds } = bot.registry
  const place = new Vec3(x, y, z)
  if (!LIQUID.test(kinds[state]?.name ?? '')) {
    return kinds[bot.world.getBlockStateId(place.offset(0, -1, 0)) ?? 0]?.name !== 'lava'
  }
  return state === kinds[state].minStateId && !bot.autocraft.bounds.outside(place) &&
    isAir(kinds[bot.world.getBlockStateId(place.offset(0, 1, 0)) ?? 0])
}

/**
 * Return the positions of blocks that a command can use, the nearest first.
 * @param {Bot} bot @param {number[]} ids @param {number} radius @param {number} [count]
 */
const targets = (bot, ids, radius, count) => positions(bot, ids, radius, count, (at) => reachable(bot, at))

/**
 * Sort blocks in the order in which to mine them. Near ones come first. Those below the `ground` are late, since a
 * shaft is hard to leave, those under water and beside lava later, and what a command placed is last. What is nearer to
 * another bot of the run is left to it.
 * @param {Bot} bot @param {any[]} found @param {number} ground height at which the command began
 */
function inOrder (bot, found, ground) {
  const from = bot.entity.position.offset(0, 1, 0)
  const { journal, lava, options: { team = [] } } = bot.autocraft
  const others = team.flatMap((name) => bot.players[name]?.entity?.position ?? [])
  /** @param {Vec3} at */
  const theirs = (at) => others.some((each) => each.distanceTo(at) < from.distanceTo(at))
  /** @param {Vec3} at */
  const late = (at) => 6 * Math.max(0, ground - at.y) + (lava.touches(at) ? BY_LAVA : 0) +
    (nameAt(bot, at.offset(0, 1, 0)) === 'water' ? UNDER_WATER : 0) +
    (journal.work(at) ? OWN : 0) + (theirs(at) ? THEIRS : 0)
  const cost = new Map(found.map((at) => [at, at.offset(0.5, 0.5, 0.5).distanceTo(from) + late(at)]))
  return found.sort((a, b) => cost.get(a) - cost.get(b))
}

/**
 * Return a block with one of these names that the bot can use from where it stands, else the nearest one within
 * `radius` blocks; or null.
 * @param {Bot} bot @param {string[]} names @param {number} [radius] to which the bot may walk
 */
function nearest (bot, names, radius = 0) {
  const ids = names.map((name) => bot.registry.blocksByName[name]).filter(Boolean).map((block) => block.id)
  const found = positions(bot, ids, radius || REACH + 1, 64)
  const at = found.find((each) => reaches(bot, each) && sees(bot, each)) ?? (radius ? found[0] : null)
  return at ? bot.blockAt(at) : null
}

/** Return the nearest bed within a radius, or null. @param {Bot} bot @param {number} radius */
const nearestBed = (bot, radius) =>
  nearest(bot, Object.keys(bot.registry.blocksByName).filter((name) => /(^|_)bed$/.test(name)), radius)

/** Tell whether the middle of a block is within reach of the eyes. @param {Bot} bot @param {Vec3} at */
function reaches (bot, at, far = REACH) {
  return eyes(bot).distanceTo(at.offset(0.5, 0.5, 0.5)) <= far
}

/**
 * Tell whether nothing stands between the eyes and a block. For a block that is passed through, such as air, return
 * true.
 * @param {Bot} bot @param {Vec3} at
 */
function sees (bot, at) {
  const block = bot.blockAt(at)
  return Boolean(block && (block.boundingBox === 'empty' || bot.canSeeBlock(block)))
}

/** Stands where a place is within reach, and `apart` blocks beside it, or below or above it. */
class GoalWithin extends goals.Goal {
  /** @param {Vec3} at @param {number} apart @param {(node: Point) => boolean} fits where it may stand */
  constructor (at, apart, fits) {
    super()
    this.at = at
    this.apart = apart
    this.fits = fits
  }

  /** @param {Point} node */
  heuristic ({ x, y, z }) { return Math.max(0, Math.hypot(x - this.at.x, y - this.at.y, z - this.at.z) - WITHIN) }

  /** @param {Point} node */
  isEnd (node) {
    const { at, apart } = this
    const [dx, dy, dz] = [node.x - at.x, node.y - at.y, node.z - at.z]
    return Math.hypot(dx, dy + EYES - 0.5, dz) <= WITHIN && this.fits(node) &&
      (Math.max(Math.abs(dx), Math.abs(dz)) >= apart || dy > 0 || dy < -1)
  }
}

/** Walk until a block is within reach, and not behind a wall. @param {Bot} bot @param {Task} task @param {Vec3} at */
async function approach (bot, at, task) {
  if (reaches(bot, at) && sees(bot, at)) return
  try {
    await bot.autocraft.travel(new goals.GoalGetToBlock(at.x, at.y, at.z), task, at)
    if (reaches(bot, at, 5)) return
  } catch (error) {
    if (error.kind !== 'failed') throw error
    await bot.autocraft.travel(new goals.GoalNear(at.x, at.y, at.z, 3), task, at)
    if (reaches(bot, at, 5) && sees(bot, at)) return
  }
  throw new Fault(`No path to ${place(at)} from ${place(bot.entity.position)}`)
}

/**
 * Do something while the bot neither eats these kinds of items by itself nor, as long as there is another way, lays
 * them in its way: it is about to use them.
 * @template T
 * @param {Bot} bot @param {string[]} names @param {() => Promise<T>} act @returns {Promise<T>}
 */
async function sparing (bot, names, act) {
  const before = bot.autocraft.spared
  bot.autocraft.spared = [...before ?? [], ...names]
  try {
    return await act()
  } finally {
    bot.autocraft.spared = before
  }
}

/**
 * Return the nearest entity within `radius` that `fits` accepts, or null.
 * @param {Bot} bot @param {number} radius @param {(each: Entity) => unknown} fits
 */
function entityNear (bot, radius, fits) {
  let best = null
  let distance = radius
  for (const each of Object.values(bot.entities)) {
    if (each === bot.entity || !each.position || !fits(each)) continue
    const far = each.position.distanceTo(bot.entity.position)
    if (far <= distance) { best = each; distance = far }
  }
  return best
}

/**
 * Walk out of a place, to one or two blocks outside its radius.
 * @param {Bot} bot @param {Vec3} at @param {Task} task @param {number} [radius]
 */
async function stepAside (bot, { x, y, z }, task, radius = 1) {
  const { GoalCompositeAll, GoalNear, GoalInvert } = goals
  await bot.autocraft.travel(
    new GoalCompositeAll([new GoalNear(x, y, z, radius + 2), new GoalInvert(new GoalNear(x, y, z, radius))]), task
  )
}

/** Tell whether a part of the bot is in a place. @param {Bot} bot @param {Vec3} at */
function isIn (bot, at) {
  const { x, y, z } = bot.entity.position
  return Math.abs(x - at.x - 0.5) < STANDS && Math.abs(z - at.z - 0.5) < STANDS && y < at.y + 1 && y + HEIGHT > at.y
}

/** Tell whether the bot stands on a block without which it would fall into lava. @param {Bot} bot @param {Vec3} at */
function keepsFromLava (bot, at) {
  const { x, y, z } = bot.entity.position
  return y >= at.y + 1 && y < at.y + 2 && Math.abs(x - at.x - 0.5) < STANDS && Math.abs(z - at.z - 0.5) < STANDS &&
    bot.autocraft.lava.below(at.offset(0, -1, 0), 0)
}

module.exports = {
  FAR, GoalWithin, HUNT, LIQUID, LOOK, approach, entityNear, inOrder, isIn, keepsFromLava, nearest, nearestBed,
  positions, reachable, reaches, sparing, stepAside, targets
}
