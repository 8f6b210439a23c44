'use strict'
/** Undo changes for the person: dig what commands placed, and place again what they broke. */
const { Fault } = require('../../shared/fault')
const { isAir } = require('../columns')
const { isPlant, remains } = require('../nature')
const { Site } = require('../site')
const { holdings, place } = require('../words')
const { Work, goNear } = require('./build')

const { Vec3 } = require('../../shared/need')('vec3')

/**
 * Build what was there before, as a building is built. Of a `building` and its supports nothing may stand afterwards,
 * but ground may be open that the bot has nothing to fill with.
 * @param {Bot} bot @param {{changes: Change[], building?: boolean}} parts @param {Task} task
 */
async function put_back (bot, { changes, building = false }, task) {
  const [{ x, y, z }] = changes
  await goNear(bot, new Vec3(x, y, z), task)
  /** Why a block is not put back, by its place. @type {Map<string, string>} */
  const reasons = new Map()
  /** @type {import('../site').BuildingPlan} */
  const plan = { blocks: [], free: [], clears: [] }
  const open = changes.filter((change) => !isBack(bot, bot.blockAt(at(change))?.name ?? '', change.before))
  for (const change of open) {
    const { x, y, z, before, after } = change
    const now = bot.blockAt(at(change))
    if (!now || !(isAir(now) || isSame(bot, now.name, after))) {
      reasons.set(place(change), `it is ${now ? now.name : 'not loaded'} by now`)
      continue
    }
    if (!isNothing(now.name)) plan.clears.push([x, y, z, after])
    const name = isNothing(before) ? '' : standIn(bot, before)
    if (name) plan.blocks.push([x, y, z, name, {}, name])
    else plan.free.push([x, y, z])
  }
  const site = new Site(bot, plan)
  for (const change of changes) site.cover(at(change))
  const work = new Work(bot, site, task)
  const supported = () => building ? site.supports() : []
  if (plan.blocks.length + plan.free.length + supported().length) await work.do()
  const { wrong, filled } = site.compare()
  const supports = supported()
  for (const each of [...wrong.map((part) => part.at), ...filled, ...supports]) {
    reasons.set(place(each), work.reasons.get(place(each)) ?? `it is ${bot.blockAt(each)?.name} by now`)
  }
  const left = open.filter((change) => reasons.has(place(change)) &&
    !isBack(bot, bot.blockAt(at(change))?.name ?? '', change.before))
  if (left.length + supports.length) {
    const words = [
      ...left.map((change) => `${change.before} at ${place(change)} (${reasons.get(place(change))})`),
      ...supports.map((each) => `the support at ${place(each)} (${reasons.get(place(each))})`)
    ]
    const back = changes.length - left.length
    const text = `${back} of ${changes.length} changes were put back; not ${words.join('; ')}`
    if (building && !supports.length && left.every((change) => isAir(bot.blockAt(at(change))))) return text
    throw new Fault(text)
  }
  const plants = changes.filter(({ before }) => isPlant(before)).length
  const end = plants ? `, but ${plants} plants do not grow again` : ''
  return changes.length === 1 ? `1 change was put back${end}.` : `${changes.length} changes were put back${end}.`
}

/** @param {Point} change */
const at = ({ x, y, z }) => new Vec3(x, y, z)

/** Tell whether nothing is placed for a block: air, and plants, which do not grow again. @param {string} name */
const isNothing = (name) => name.endsWith('air') || isPlant(name)

/**
 * Tell whether a block is there again, as far as it can be: no plant grows again, and dirt stands for grass.
 * @param {Bot} bot @param {string} now @param {string} before
 */
function isBack (bot, now, before) {
  return (now.endsWith('air') && isNothing(before)) || isSame(bot, now, before)
}

/** Tell whether a block is the same, although grass may have grown over it. @param {Bot} bot */
const isSame = ({ registry }, /** @type {string} */ a, /** @type {string} */ b) =>
  remains(registry, a) === remains(registry, b)

/** Return what is placed for a block: what it becomes, if the bot does not hold the block itself. */
const standIn = (/** @type {Bot} */ bot, /** @type {string} */ name) =>
  holdings(bot)[name] ? name : remains(bot.registry, name)

module.exports = { put_back }
