'use strict'
/**
 * Plan what to do next for some items: steps that are commands, from where the bot is and what it carries. The plan is
 * no proof and not the shortest one; the planner does its first step and asks again.
 */
const need = require('../../shared/need')
const { wayOf } = require('../commands/ways')
const { holdings, itemOf } = require('../words')
const { burns } = require('../facts')
const { pausing } = require('../pausing')
const { Near, WALK } = require('./near')
const { depthOf } = require('./sources')
const { Costs } = require('./ways')

const { Vec3 } = need('vec3')

const MOST = 64 // of one kind in one step
const DIRECTIONS = ['north', 'east', 'south', 'west'] // in which order it is searched
const SECONDS = 120 // of one search

/** @typedef {{name: string, args: Record<string, any>, why?: string, item?: string, takes?: Counts}} Step a command */

/**
 * @param {Bot} bot
 * @param {{items: [string, number][], failed?: Step[]}} wanted `failed` are steps that failed since something last
 *   succeeded: they are not proposed again as they were
 * @returns {Promise<{steps: Step[], why: string}>} no steps with a `why` where
 *   there is no way, none without where all is there
 */
async function plan (bot, { items, failed = [] }) {
  /** @type {[string, number][]} */
  const goals = items.map(([name, count]) => [itemOf(bot, name).name, count])
  const stock = holdings(bot)
  const pause = pausing()
  const near = await Near.of(bot, pause)
  const costs = new Costs(bot, near, stock)
  await costs.find(goals.map(([name]) => name), pause)
  const made = demanded(costs, goals, stock, choices(costs, goals, stock))
  if (typeof made === 'string') return { steps: [], why: made }
  const steps = stepsOf(bot, near, made)
  const tried = failed.map(key)
  const [first] = steps
  if (first && first.name === 'explore_until') {
    const sought = first.args.block || first.args.entity
    const searches = failed.filter(
      ({ name, args }) => name === first.name && (args.block || args.entity) === sought
    ).length
    if (searches >= DIRECTIONS.length) {
      return { steps: [], why: `no ${sought} was found in ${searches} searches of ${SECONDS} seconds` }
    }
  }
  if (first && tried.includes(key(first))) steps.unshift(otherwise(bot, near, first, tried))
  return { steps, why: '' }
}

/** How steps are told apart. @param {{name: string, args: Record<string, any>}} parts */
const key = ({ name, args }) =>
  `${name} ${JSON.stringify(
    Object.entries(args)
      .filter(([, value]) => value !== null)
      .sort()
  )}`

/**
 * @typedef {{name: string, way: import('./ways').Way | null, fuel: string}} Choice
 * @typedef {Choice & {way: import('./ways').Way, times: number, why: string}} Use
 * Every item that may be needed with how it would be come by, after all that it needs itself.
 * @param {Costs} costs @param {[string, number][]} goals @param {Counts} stock
 * @returns {Choice[]}
 */
function choices (costs, goals, stock) {
  /** @type {Choice[]} */
  const order = []
  const known = new Set()
  const begun = new Set() // and not finished: nothing of it may be needed on the way, or one would go in circles
  /** @param {string} name @param {number} count */
  const visit = (name, count) => {
    if (known.has(name)) return
    known.add(name)
    begun.add(name)
    const lack = Math.max(1, count - (stock[name] || 0))
    const way = choose(costs, name, lack, begun)
    const times = way ? Math.ceil(lack / way.gives) : 0
    const fuel = way && way.kind === 'smelt' ? costs.fuel(times, begun) : ''
    if (way) {
      for (const [each, many] of Object.entries(way.takes)) visit(each, many * times)
      for (const each of [fuel, costs.tool(way), way.station].filter(Boolean)) visit(each, 1)
    }
    begun.delete(name)
    order.push({ name, way, fuel })
  }
  for (const [name, count] of goals) visit(name, count)
  return order
}

/**
 * The cheapest way that needs nothing that is begun, or null.
 * @param {Costs} costs @param {string} name @param {number} count @param {Set<string>} begun
 */
function choose (costs, name, count, begun) {
  /** @param {import('./ways').Way} way */
  const price = (way) => costs.price(way, Math.ceil(count / way.gives))
  /** @param {import('./ways').Way} way */
  const needed = (way) => [...Object.keys(way.takes), costs.tool(way), way.station].filter(Boolean)
  const open = (costs.ways.get(name) || []).filter(
    (way) => price(way) < Infinity && !needed(way).some((each) => begun.has(each))
  )
  return open.sort((a, b) => price(a) - price(b))[0] || null
}

/**
 * From what is wanted down to what is gathered: how often each way is gone, ingredients first; or why there is none.
 * @param {Costs} costs @param {[string, number][]} goals @param {Record<string, number>} stock @param {Choice[]} order
 * @returns {string | Use[]}
 */
function demanded (costs, goals, stock, order) {
  /** @type {Counts} */
  const used = {} // by recipes, as fuel, or put down
  /** @type {Counts} */
  const owned = {} // at least, as goals and tools are
  /** @type {Record<string, Set<string>>} */
  const purposes = {}
  /** @param {string} name @param {number} count */
  const use = (name, count) => { used[name] = (used[name] || 0) + count }
  for (const [name, count] of goals) owned[name] = Math.max(owned[name] || 0, count)
  const made = []
  for (const { name, way, fuel } of [...order].reverse()) {
    const lack = (used[name] || 0) + (owned[name] || 0) - (stock[name] || 0)
    if (lack <= 0) continue
    if (!way) return `nothing known gives ${name} here`
    const times = Math.ceil(lack / way.gives)
    const tool = costs.tool(way)
    for (const [each, many] of Object.entries(way.takes)) use(each, many * times)
    if (tool) owned[tool] = Math.max(owned[tool] || 0, 1)
    if (way.station && !costs.stands[way.station]) used[way.station] = Math.max(used[way.station] || 0, 1)
    for (const each of [...Object.keys(way.takes), fuel, tool, way.station]) (purposes[each] ??= new Set()).add(name)
    if (way.kind === 'smelt') {
      if (!fuel) return `nothing known burns here, to smelt ${way.from}`
      use(fuel, Math.ceil(times / burns(fuel)))
    }
    made.unshift({
      name,
      way,
      fuel,
      times,
      why: purposes[name] ? `for ${[...purposes[name]].join(', ')}` : 'it is wanted'
    })
  }
  return made
}

/**
 * Ways as commands, with what each needs to be near.
 * @param {Bot} bot @param {Near} near @param {Use[]} made
 */
function stepsOf (bot, near, made) {
  /** @type {Step[]} */
  const steps = []
  const placed = new Set()
  /** @param {string} name @param {string} why */
  const station = (name, why) => {
    if (!name || placed.has(name) || near.block(name)) return
    placed.add(name)
    if (near.block(name, WALK)) {
      steps.push({ name: 'goto_block', args: { name }, why: `${why} needs it near` })
      return
    }
    const [at] = near.spots()
    const { x, y, z } = at || bot.entity.position.floored()
    steps.push({ name: 'place_item', args: { name, x, y, z }, why: `${why} needs it near` })
  }
  for (const { name, way, times, fuel, why } of made) {
    station(way.station, name)
    const takes = Object.fromEntries(Object.entries(way.takes).map(([each, many]) => [each, many * times]))
    if (way.kind === 'craft') steps.push({ name: 'craft_item', args: { name, count: times * way.gives }, why, item: name, takes })
    if (way.kind === 'smelt') steps.push({ name: 'smelt_item', args: { name: way.from, fuel, count: times }, why, item: name, takes })
    if (way.kind === 'mine') {
      if (way.search) steps.push(descent(bot, way.from) || explore({ block: way.from }))
      steps.push({ name: 'mine_block', args: { name: way.from, count: Math.min(MOST, times) }, why, item: name })
    }
    if (way.kind === 'kill') {
      if (way.search) steps.push(explore({ entity: way.from }))
      steps.push({
        name: 'kill_mob',
        args: { name: way.from, seconds: 300 },
        why: times > 1 ? `${why}, ${times} of them` : why,
        item: name
      })
    }
  }
  return steps
}

/** Look for a block or an entity. @param {{block?: string, entity?: string}} sought */
const explore = (sought) => ({
  name: 'explore_until', args: { direction: DIRECTIONS[0], seconds: SECONDS, ...sought }, why: 'none is in sight'
})

/**
 * Down to where an ore lies; null for what lies elsewhere, or where the bot is deep enough.
 * @param {Bot} bot @param {string} block
 */
function descent (bot, block) {
  const depth = depthOf(bot, block)
  const at = bot.entity.position.floored()
  if (depth === null || at.y - depth <= 10) return null
  return { name: 'goto', args: { x: at.x, y: depth, z: at.z }, why: `${block} lies deep` }
}

/**
 * Something else where a step has just failed: another place, another direction, or away from here and again.
 * @param {Bot} bot @param {Near} near @param {Step} step @param {string[]} tried
 */
function otherwise (bot, near, step, tried) {
  const direction = DIRECTIONS[tried.length % DIRECTIONS.length]
  if (step.name === 'place_item') {
    const at = near.spots().find(({ x, y, z }) => !tried.includes(key({ ...step, args: { ...step.args, x, y, z } })))
    if (at) return { ...step, args: { ...step.args, x: at.x, y: at.y, z: at.z } }
  }
  if (step.name === 'explore_until') return { ...step, args: { ...step.args, direction } }
  const [dx, , dz] = wayOf(direction)
  const at = bot.entity.position.floored().offset(dx * 16, 0, dz * 16)
  return { name: 'goto', args: { x: at.x, y: ground(bot, at), z: at.z }, why: `${step.name} did not work from here` }
}

/** The height to stand at in a column, as far as it is loaded. @param {Bot} bot @param {Vec3} at */
function ground (bot, at) {
  for (let y = at.y + 16; y > at.y - 16; y--) {
    const block = bot.blockAt(new Vec3(at.x, y - 1, at.z))
    if (block && block.boundingBox === 'block' && !/leaves/.test(block.name)) return y
  }
  return at.y
}

module.exports = { plan }
