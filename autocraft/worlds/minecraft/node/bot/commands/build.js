'use strict'
/** Build what a plan says: dig away what is in the way, place block by block from below, and compare. */
const need = require('../../shared/need')
const { Fault, reasonOf } = require('../../shared/fault')
const { Site, partText, wrongText } = require('../site')
const { nameAt, solid } = require('../danger')
const { find } = require('../names')
const { isClimbed, isPlant } = require('../nature')
const { NOT_ALIVE } = require('../observe')
const { find_site, survey } = require('../land')
const { food } = require('../plan/living')
const { surface } = require('../plan/steps')
const { put } = require('../put')
const { EYES } = require('../sight')
const { holdings, place } = require('../words')
const { kill_mob } = require('./fight')
const { breakBlock, pickUp } = require('./gather')
const { GoalWithin, isIn } = require('./near')
const { keepSafe } = require('./shelter')

const { goals } = need('mineflayer-pathfinder')
const nbt = need('prismarine-nbt')
const { Vec3 } = need('vec3')

const REACH = 4.2 // blocks from the eyes
const ROUNDS = 4 // how often what is missing or wrong is tried again
const HEAP = 8 // blocks that are dug before their items are picked up
const FELL = 3 // blocks below a place down to which their items are fetched at once
const LIE = 4000 // ticks after which they are fetched from farther down too, before they are gone
const LEAVES = 200 // ticks in which an animal leaves a place
const NEAR = 24 // blocks from which all of a site is loaded
const HUNT_AGAIN = 120 // seconds after a hunt

/** @typedef {import('../site').Part} Part @typedef {import('../site').BuildingPlan} BuildingPlan */

/** Say what a plan finds at its place: what is dug away, what stands, and how far away it is. @param {Bot} bot */
function look_at_site (bot, /** @type {BuildingPlan} */ plan) {
  const site = new Site(bot, plan)
  const clears = site.toClear().map((at) => [at.x, at.y, at.z, bot.blockAt(at)?.name])
  const missing = site.compare().wrong.map(({ item }) => item).filter(Boolean)
  const loaded = Boolean(bot.blockAt(site.low) && bot.blockAt(site.high))
  return { faults: site.faults(), clears, missing, loaded, far: site.far(), ...wrongText(site) }
}

/** Return the values of an NBT file, which is not packed. @param {Bot} bot @param {{data: string}} parts */
function read_nbt (bot, { data }) {
  try {
    return nbt.simplify(nbt.parseUncompressed(Buffer.from(data, 'base64'), 'big'))
  } catch (error) {
    throw new Fault(`the file is no NBT of the Java edition (${reasonOf(error)})`)
  }
}

/** @param {Bot} bot @param {BuildingPlan} plan @param {Task} task */
async function lay_blocks (bot, plan, task) {
  const site = new Site(bot, plan)
  const work = new Work(bot, site, task)
  await goNear(bot, site.middle, task)
  const faults = site.faults()
  if (faults.length) throw new Fault(`The building cannot stand there: ${faults.join('; ')}`)
  for (const at of site.toClear()) work.check(at)
  await work.do()
  const { text, whole } = wrongText(site, work.reasons)
  if (!whole) throw new Fault(text)
  return text
}

/**
 * Walk to where all of a site is loaded, after a wait in safety where it is dangerous.
 * @param {Bot} bot @param {Vec3} at its middle @param {Task} task
 */
async function goNear (bot, at, task) {
  if (bot.entity.position.distanceTo(at) <= NEAR) return // the work itself waits, and fills the hole of the shelter
  await keepSafe(bot, 'lay_blocks', task)()
  await bot.autocraft.travel(new goals.GoalNear(at.x, at.y, at.z, 12), task, at)
}

/** Stands beside a building, with a block between. */
class GoalOff extends goals.Goal {
  /** @param {Site} site */
  constructor (site) {
    super()
    this.site = site
  }

  /** @param {Point} node */
  heuristic (node) { return this.isEnd(node) ? 0 : 1 }

  /** @param {Point} node */
  isEnd ({ x, y, z }) {
    return [[1, 1], [1, -1], [-1, 1], [-1, -1]].every(([dx, dz]) => this.site.isOutside({ x: x + dx, y, z: z + dz }))
  }
}

class Work {
  /** @param {Bot} bot @param {Site} site @param {Task} task */
  constructor (bot, site, task) {
    this.bot = bot
    this.site = site
    this.task = task
    this.keepSafe = keepSafe(bot, 'lay_blocks', task)
    this.huntsAfter = 0
    this.picked = bot.time.age // when items were picked up last
    /** Why a part was given up, by its place. @type {Map<string, string>} */
    this.reasons = new Map()
  }

  /** Do all of it: dig away, place block by block, doors and gates last, and take the supports away. */
  async do () {
    const release = this.site.guard()
    try {
      for (const exits of [false, true]) {
        await this.clear()
        for (let round = 0; round < ROUNDS && this.missing(exits).length; round++) await this.raise(exits)
        await this.takeAway()
      }
      if (this.site.shared) await this.stepOff()
    } finally { release() }
  }

  /** Walk off the site, where another bot may still build. */
  async stepOff () {
    try {
      await this.bot.autocraft.travel(new GoalOff(this.site), this.task, this.site.middle)
    } catch (error) {
      this.task.goOnAfter(error)
    }
  }

  /**
   * Wait in safety where it is dangerous, and hunt if the bot is hungry. Fill the hole that was dug for shelter: a
   * creeper falls in, and stays.
   */
  async safe () {
    const { journal: { broken } } = this.bot.autocraft
    const before = broken.length
    await this.keepSafe()
    await this.hunt()
    const hole = broken.slice(before).filter(({ by, own, name }) => by === 'shelter' && !own && !isPlant(name))
    for (const { at } of hole.sort((a, b) => a.at.y - b.at.y)) {
      const part = this.site.planned.get(place(at)) ?? { at, name: 'dirt', states: {}, item: 'dirt' }
      try {
        if (part.name === 'dirt' && !this.site.stands(part)) await this.lay(part)
      } catch (error) {
        this.task.goOnAfter(error)
      }
    }
  }

  /** Kill an animal nearby where the planner would, since hunger keeps wounds from healing. The bot eats by itself. */
  async hunt () {
    const { bot, task } = this
    if (Date.now() < this.huntsAfter) return
    const step = food(bot, [{ name: 'lay_blocks', args: {}, why: '' }], '', () => surface(bot))
    if (step?.name !== 'kill_mob') return
    task.progress = `hunts, since ${step.why}`
    this.huntsAfter = Date.now() + HUNT_AGAIN * 1000
    try {
      await kill_mob(bot, { name: String(step.args.name), seconds: 60 }, task)
    } catch (error) {
      task.goOnAfter(error)
      task.say(`No meal: ${reasonOf(error)}.`)
    }
  }

  /** Dig away what is in the way, from above. */
  async clear () {
    const { site, task } = this
    for (let round = 0; round < ROUNDS; round++) {
      const cells = site.toClear()
      for (const [done, at] of cells.entries()) {
        task.progress = `${done} of ${cells.length} blocks dug away`
        try {
          await this.safe()
          await this.dig(at)
          await this.pickUp(at, done, cells.length)
        } catch (error) {
          task.goOnAfter(error)
          this.reasons.set(place(at), reasonOf(error))
        }
      }
      if (!cells.length) return
    }
  }

  /**
   * Pick up what was dug, a heap at a time. What fell far waits until the work has come down to it.
   * @param {Vec3} at the last place @param {number} done how many were dug before @param {number} all
   */
  async pickUp (at, done, all) {
    const { bot, site: { low }, task } = this
    const isLast = done === all - 1
    const isLow = at.y - low.y <= FELL || isLast || bot.time.age - this.picked > LIE
    if (!isLow || !(isLast || done % HEAP === HEAP - 1)) return
    this.picked = bot.time.age
    await pickUp(bot, new Vec3(at.x, Math.min(at.y, low.y + FELL), at.z), task)
  }

  /** Throw a Fault if a block may not be dug away. @param {Vec3} at */
  check (at) {
    const block = this.bot.blockAt(at)
    const why = block && this.site.keeps(block)
    if (why) throw new Fault(why)
  }

  /** Dig a block that is in the way. @param {Vec3} at */
  async dig (at) {
    const { bot, task } = this
    const block = bot.blockAt(at)
    if (!block || block.name.endsWith('air')) return
    this.check(at)
    await this.goWithin(at, (node) => !this.falls(at, node))
    await breakBlock(bot, at, task)
  }

  /** Return the parts that do not stand, with or without the doors and gates. @param {boolean} exits */
  missing (exits) {
    const { site } = this
    return site.parts.filter((part) => part.item && (exits || !site.isExit(part)) && !site.stands(part))
  }

  /** Place what is missing, from below; doors and gates last, from outside. @param {boolean} exits */
  async raise (exits) {
    const { site } = this
    const open = new Set(this.missing(exits))
    /** @type {Set<Part>} */
    const late = new Set()
    while (open.size) {
      const part = this.next([...open].filter((each) => !late.has(each)))
      if (!part) break
      this.task.progress = `${site.parts.length - open.size} of ${site.parts.length} blocks`
      try {
        await this.safe()
        await this.lay(part)
        this.reasons.delete(place(part.at))
        open.delete(part)
      } catch (error) {
        this.task.goOnAfter(error)
        this.reasons.set(place(part.at), reasonOf(error))
        late.add(part)
      }
    }
    const loose = [...open].filter((part) => !late.has(part))
    for (const { at } of loose) this.reasons.set(place(at), 'nothing is beside it to place it on')
  }

  /**
   * Return the part to place next: of the lowest layer, within reach if possible. Return null if none can be placed.
   * @param {Part[]} open
   */
  next (open) {
    const { site } = this
    const inner = open.filter((part) => !site.isExit(part))
    const ready = (inner.length ? inner : open).filter((part) => site.hold(part))
    const eyes = this.bot.entity.position.offset(0, EYES, 0)
    /** @param {Part} part */
    const rank = ({ at }) => {
      const far = eyes.distanceTo(at.offset(0.5, 0.5, 0.5))
      return at.y * 1000 + (far > REACH || isIn(this.bot, at) ? 100 : 0) + far
    }
    return ready.sort((a, b) => rank(a) - rank(b))[0] ?? null
  }

  /** Place one part, with its states. Throws a Fault if it does not stand afterwards. @param {Part} part */
  async lay (part) {
    const { bot, site, task } = this
    const item = find(bot.registry.itemsByName, part.item)
    if (!item || !holdings(bot)[item.name]) throw new Fault(`no ${part.item} in the inventory`)
    await this.dig(part.at)
    await this.goWithin(part.at, site.isExit(part) ? (node) => site.isOutside(node) : () => true)
    await this.makeFree(part.at)
    const how = site.hold(part)
    if (!how) throw new Fault('nothing is beside it to place it on')
    await bot.autocraft.hands.use(task, async () => {
      await task.wait(bot.equip(item.id, 'hand'), 10)
      if (how.yaw !== null) {
        await bot.look(how.yaw, -0.6, true)
        await task.ticks(2)
      }
      await put(bot, item, how.ground, how.face.scaled(-1), task, { half: how.half, turned: how.yaw !== null })
    })
    if (site.stands(part)) return
    const { name } = bot.blockAt(part.at) ?? { name: 'nothing' }
    await this.dig(part.at)
    throw new Fault(`${name} stood there instead of ${partText(part)}`)
  }

  /** Return a mob or a player that is in a place, so that no block can be put there. @param {Vec3} at */
  mobIn (at) {
    return Object.values(this.bot.entities).find(({ position: p, name, width = 0.6, height = 1 }) => {
      const far = p ? Math.max(Math.abs(p.x - at.x - 0.5), Math.abs(p.z - at.z - 0.5)) : Infinity
      return name && p !== this.bot.entity.position && !NOT_ALIVE.includes(name) && far < 0.5 + width / 2 &&
        p.y < at.y + 1 && p.y + height > at.y
    })
  }

  /** Wait until a mob leaves a place, and kill one that stays, unless it is spared. @param {Vec3} at */
  async makeFree (at) {
    const { bot, task } = this
    const { options: { team = [] } } = bot.autocraft
    /** Another bot of the run goes away by itself, when its work is done. */
    const isBot = () => team.includes(this.mobIn(at)?.username ?? '')
    for (let ticks = 0; this.mobIn(at) && !isBot() && ticks < LEAVES; ticks += 10) await task.ticks(10)
    const mob = this.mobIn(at)
    if (!mob) return
    if (!mob.username && !bot.autocraft.bounds.spare(mob)) {
      await kill_mob(bot, { name: String(mob.name), seconds: 30 }, task)
      await pickUp(bot, at, task)
    }
    if (this.mobIn(at)) throw new Fault(`${mob.username ?? mob.name} stands there`)
  }

  /**
   * Tell whether who digs a block away from a place falls deep with it, or slides down a ladder meanwhile.
   * @param {Vec3} at @param {Point} node
   */
  falls (at, { x, y, z }) {
    const { bot } = this
    const isOn = x === at.x && z === at.z && y > at.y
    const below = new Vec3(x, y - 1, z)
    const slides = isClimbed(nameAt(bot, below)) ||
      (isClimbed(nameAt(bot, below.offset(0, 1, 0))) && !solid(bot, below))
    return slides || (isOn && [1, 2, 3].every((down) => !solid(bot, at.offset(0, -down, 0))))
  }

  /**
   * Walk to where a place is within reach, but not into it.
   * @param {Vec3} at @param {(node: Point) => boolean} fits where it may stand
   */
  async goWithin (at, fits) {
    const { bot, task } = this
    const middle = at.offset(0.5, 0.5, 0.5)
    const reaches = () => bot.entity.position.offset(0, EYES, 0).distanceTo(middle) <= REACH + 0.2
    const there = () =>
      reaches() && !isIn(this.bot, at) && fits(bot.entity.position.floored())
    for (let apart = 1; !there() && apart <= 2; apart++) {
      await bot.autocraft.travel(new GoalWithin(at, apart, fits), task, at)
    }
    if (!there()) throw new Fault(`no place from which ${place(at)} is within reach`)
  }

  /** Take the supports away again that walks have placed, from above. */
  async takeAway () {
    const { bot, site, task } = this
    for (let round = 0; round < ROUNDS; round++) {
      const supports = site.supports()
      if (!supports.length) return
      task.progress = `${supports.length} supports to take away`
      for (const [done, at] of supports.entries()) {
        try {
          if (bot.blockAt(at)?.name.endsWith('air')) continue
          await this.safe()
          await this.goWithin(at, (node) => !this.falls(at, node))
          await breakBlock(bot, at, task)
          this.reasons.delete(place(at))
          await this.pickUp(at, done, supports.length)
        } catch (error) {
          task.goOnAfter(error)
          this.reasons.set(place(at), reasonOf(error))
        }
      }
    }
  }
}

module.exports = { Work, goNear, look: { survey, find_site, look_at_site, read_nbt }, act: { lay_blocks } }
