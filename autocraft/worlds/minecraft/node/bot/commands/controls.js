'use strict'
/**
 * Carry out the finer actions that programs ask for and that the model is not offered: goals, controls, hands, single
 * attacks.
 */
const need = require('../../shared/need')
const cut = require('../../shared/cut')
const { Fault, checkBounds } = require('../../shared/fault')
const { blow, recharge } = require('../danger')
const { rulesOf } = require('../moves')
const { Task } = require('../task')
const { place, slotOf } = require('../words')
const { approach } = require('./near')
const { STEEPEST, slotNamed, wayOf } = require('./ways')

const { goals } = need('mineflayer-pathfinder')
const { Vec3 } = need('vec3')

const REACH = 6
const CONTROLS = ['forward', 'back', 'left', 'right', 'jump', 'sprint', 'sneak']
/** For each kind of goal, how many numbers it has, and which of them are x and z. @type {Record<string, number[]>} */
const KINDS = {
  block: [3, 0, 2], beside: [3, 0, 2], near: [4, 0, 2], look: [3, 0, 2], place: [3, 0, 2], xz: [2, 0, 1],
  nearxz: [3, 0, 1], y: [1]
}

/**
 * Read a goal from its text: "near 1 64 -3 2", or "not near …". Throws a Fault if it is not one.
 * @param {string} text @returns {{kind: string, numbers: number[], not: boolean}}
 */
function goalOf (text) {
  const words = text.trim().split(/\s+/)
  const not = words[0] === 'not'
  const [kind, ...rest] = not ? words.slice(1) : words
  const numbers = rest.map(Number)
  if (!Object.hasOwn(KINDS, kind) || numbers.length !== KINDS[kind][0] || !numbers.every(Number.isFinite)) {
    throw new Fault(
      `no goal ${cut(text, 60)}: give ${Object.keys(KINDS).join(', ')} with their numbers, such as near 1 64 -3 2`,
      'invalid'
    )
  }
  return { kind, numbers, not }
}

/**
 * Return the pathfinder's goal for the parts of a goal.
 * @param {Bot} bot @param {{kind: string, numbers: number[], not: boolean}} parts
 */
function goalFor (bot, { kind, numbers, not }) {
  const [a, b, c, d] = numbers
  /** @type {Record<string, () => Goal>} */
  const makers = {
    block: () => new goals.GoalBlock(a, b, c),
    beside: () => new goals.GoalGetToBlock(a, b, c),
    near: () => new goals.GoalNear(a, b, c, d),
    look: () => new goals.GoalNear(a, b, c, 3),
    place: () => new goals.GoalPlaceBlock(new Vec3(a, b, c), bot.world, { range: 4 }),
    xz: () => new goals.GoalXZ(a, b),
    nearxz: () => new goals.GoalNearXZ(a, b, c),
    y: () => new goals.GoalY(a)
  }
  const goal = makers[kind]()
  return not ? new goals.GoalInvert(goal) : goal
}

/**
 * Return where a goal is, so that the bot can walk there in legs, or undefined if the goal is at no particular place.
 * @param {Bot} bot @param {{kind: string, numbers: number[]}} parts
 * @returns {{x: number, y?: number, z: number} | undefined}
 */
function targetOf (bot, { kind, numbers }) {
  const { x: ownX, z: ownZ } = bot.entity.position
  if (kind === 'y') return { x: ownX, y: numbers[0], z: ownZ }
  const [, x, z] = KINDS[kind]
  return x === undefined ? undefined : { x: numbers[x], z: numbers[z], ...(z === 2 ? { y: numbers[1] } : {}) }
}

/**
 * Walk to a goal of a program, by its rules: the fields of its Movements that it changed, as JSON.
 * @param {Bot} bot @param {{goal: string, rules?: string}} parts @param {Task} task
 */
async function walk_to_goal (bot, { goal, rules = '' }, task) {
  const own = rulesOf(rules)
  const walk = () => walkTo(bot, goal, task)
  return Object.keys(own).length ? bot.autocraft.byRules(own, walk) : walk()
}

/** @param {Bot} bot @param {string} text @param {Task} task */
async function walkTo (bot, text, task) {
  const joint = / and /.test(text) ? 'and' : 'or'
  const parts = text.split(` ${joint} `).map(goalOf)
  if (parts.length > 16) throw new Fault('at most 16 goals can be joined', 'invalid')
  const [first] = parts
  const target = parts.length === 1 && !first.not ? targetOf(bot, first) : undefined
  if (target && first.kind === 'look') {
    const [x, y, z] = first.numbers
    await approach(bot, new Vec3(x, y, z).floored(), task)
  } else {
    const all = parts.map((each) => goalFor(bot, each))
    const Composite = joint === 'and' ? goals.GoalCompositeAll : goals.GoalCompositeAny
    await bot.autocraft.travel(all.length === 1 ? all[0] : new Composite(all), task, target)
  }
  return `Arrived at ${place(bot.entity.position)}.`
}

/**
 * Explore one leg: as far as the seconds allow, and to the side where the way is blocked.
 * @param {Bot} bot @param {{direction: string, seconds: number}} parts @param {Task} task
 */
async function walk_towards (bot, { direction, seconds }, task) {
  const [dx, dy, dz] = wayOf(direction)
  const from = bot.entity.position.clone()
  const ends = Date.now() + seconds * 1000
  for (const turn of dx || dz ? [0, 1, -1, 2, -2] : [0]) {
    const angle = Math.atan2(dz, dx) + turn * Math.PI / 4
    const far = 12 + 3 * seconds
    const at = bot.entity.position
    const goal = dx || dz
      ? { x: at.x + Math.cos(angle) * far, z: at.z + Math.sin(angle) * far }
      : undefined
    const left = (ends - Date.now()) / 1000
    if (left < 0.5) break
    await leg(
      bot,
      goal ? new goals.GoalNearXZ(goal.x, goal.z, 3) : new goals.GoalY(Math.floor(at.y) + dy * STEEPEST),
      goal,
      left,
      task
    )
    if (bot.entity.position.distanceTo(from) > 2) return `Walked ${direction} to ${place(bot.entity.position)}.`
  }
  throw new Fault(`The way ${direction} is blocked at ${place(bot.entity.position)}: try another direction`)
}

/**
 * Walk for at most so many seconds. It is no failure if the bot does not arrive.
 * @param {Bot} bot @param {Goal} goal @param {{x: number, y?: number, z: number} | undefined} target
 * @param {number} seconds @param {Task} task
 */
async function leg (bot, goal, target, seconds, task) {
  const part = new Task(bot, seconds)
  /** @param {Fault} fault */
  const stop = (fault) => part.stop(fault)
  task.stops.add(stop)
  try {
    await bot.autocraft.travel(goal, part, target)
  } catch (error) {
    if (task.stopped) throw task.stopped
    if (error.kind !== 'limit' && error.kind !== 'failed') throw error
  } finally {
    task.stops.delete(stop)
    part.close()
    bot.pathfinder.setGoal(null)
    bot.clearControlStates()
  }
  await bot.autocraft.hands.rest(task) // if the bot hides or dies meanwhile, that breaks the command off
}

/** @param {Bot} bot @param {{controls: string, seconds: number}} parts @param {Task} task */
async function steer (bot, { controls, seconds }, task) {
  const names = controls.split(/[\s,]+/).filter(Boolean)
  const wrong = names.find((name) => !CONTROLS.includes(name))
  if (wrong) throw new Fault(`no control ${wrong}: give some of ${CONTROLS.join(', ')}`, 'invalid')
  for (const name of names) bot.setControlState(name, true)
  await task.ticks(Math.max(1, Math.round(seconds * 20)))
  bot.clearControlStates()
  return `Held ${names.join(', ')} for ${seconds} seconds; the bot is at ${place(bot.entity.position)}.`
}

/**
 * Return the entity with this id, if it is what the call names and is near. Throws a Fault otherwise.
 * @param {Bot} bot @param {string} name @param {number} id
 */
function near (bot, name, id) {
  const entity = bot.entities[id]
  const called = entity && (entity.type === 'player' ? `player:${entity.username}` : entity.name)
  if (!entity || called !== name) throw new Fault(`No ${name} nearby, please explore first`)
  if (entity.position.distanceTo(bot.entity.position) > REACH) {
    throw new Fault('Please goto a place near the entity/block first!')
  }
  return entity
}

/** @param {Bot} bot @param {{name: string, entity: number}} parts @param {Task} task */
async function attack (bot, { name, entity: id }, task) {
  const entity = near(bot, name, id)
  checkBounds(bot.autocraft.bounds.spare(entity))
  await blow(bot, entity)
  await task.ticks(recharge(bot))
  return `Hit ${name}${bot.entities[id] ? '' : ', which is gone'}.`
}

/** @param {Bot} bot @param {{name: string, entity: number}} parts @param {Task} task */
async function use_on (bot, { name, entity: id }, task) {
  const entity = near(bot, name, id)
  await bot.lookAt(entity.position.offset(0, (entity.height || 1) * 0.6, 0), true)
  await task.wait(Promise.resolve(bot.useOn(entity)), 10)
  await task.ticks(5)
  return `Used ${bot.heldItem ? bot.heldItem.name : 'the hand'} on ${name}.`
}

/** @param {Bot} bot @param {{off_hand?: boolean}} parts @param {Task} task */
async function use_item (bot, { off_hand: offHand = false }, task) {
  bot.activateItem(offHand)
  await task.ticks(4)
  return 'Used what is held.'
}

/** @param {Bot} bot @param {object} args @param {Task} task */
async function release_item (bot, args, task) {
  bot.deactivateItem()
  await task.ticks(2)
  return 'Let go of what was used.'
}

/** @param {Bot} bot @param {{x: number, y: number, z: number}} parts @param {Task} task */
async function look_at (bot, { x, y, z }, task) {
  await bot.lookAt(new Vec3(x, y, z), true)
  await task.ticks(1)
  return `Looked at ${place({ x, y, z })}.`
}

/** @param {Bot} bot @param {{slot?: string}} parts @param {Task} task */
async function unequip (bot, { slot = 'hand' }, task) {
  const from = slotOf(bot, slotNamed(slot))
  const empty = bot.inventory.firstEmptyInventorySlot()
  if (from === null || !bot.inventory.slots[from]) return `Nothing is on ${slot}.`
  if (empty === null) throw new Fault(`there is no room in the inventory for what is on ${slot}`)
  await task.wait(bot.moveSlotItem(from, empty), 10)
  await task.ticks(2)
  return `Took off what was on ${slot}.`
}

/** @param {Bot} bot @param {object} args @param {Task} task */
async function wake (bot, args, task) {
  await task.wait(bot.wake(), 5)
  await task.ticks(2)
  return 'Got up.'
}

module.exports = { walk_to_goal, walk_towards, steer, attack, use_on, use_item, release_item, look_at, unequip, wake }
