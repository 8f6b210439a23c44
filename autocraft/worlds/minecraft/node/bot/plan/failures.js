'use strict'
/** Remember which commands failed lately and where. The planner tries other ways first. */
const { DAY } = require('../danger')
const { place } = require('../words')
const { CROPS } = require('./farm')

const SOON = 600 // ticks for which a place is avoided where a monster ended a command
const AWHILE = 6000 // ticks for which a failed command is remembered
const SEARCHED = 7 * DAY // ticks for which a search in vain is remembered: longer than all of them take in turn
const HERE = 8 // blocks within which the same command would fail again
const SEARCHES = 8 // in vain, after which a thing is not looked for until these are forgotten
const ATTEMPTS = 6 // failures of a command about the same thing, after which its way is set aside
/** What must stand near for a command, and that command. @type {Record<string, string>} */
const STATIONS = { crafting_table: 'craft_item', furnace: 'smelt_item' }
const POURED = ['water_bucket', 'lava_bucket'] // to make obsidian
const COST = 60 // seconds that a way costs more, for each time it failed
const SEARCH_COST = 120 // and for each search in vain

/** The commands of each kind of way; any kind may search first. @type {Record<string, string[]>} */
const COMMANDS = {
  craft: ['craft_item'], smelt: ['smelt_item'], mine: ['mine_block'], kill: ['kill_mob'], fill: ['fill_bucket'],
  pour: ['place_item'], place: ['place_item'], equip: ['equip'], eat: ['eat'], sleep: ['sleep'], wait: ['follow'],
  collect: ['collect'], take: ['withdraw'],
  farm: ['till', 'sow', 'mine_block'], go: ['goto']
}

/** The commands of deeds that are no other way's. */
const DONE = [
  'follow', 'give', 'guard', 'fish', 'activate', 'toss', 'deposit', 'check_chest', 'shoot', 'chat', 'remember_place',
  'goto_block'
]

/** Commands that the planner proposes so that something changes. A bed changes only the time. */
const CHANGING = new Set(['explore_until', 'goto_block', 'toss', 'deposit', ...Object.values(COMMANDS).flat()])
CHANGING.delete('sleep')

/** @typedef {{name: string, args: Record<string, any>}} Command */
/** @typedef {import('./ways').Way} Way */

class Failures {
  constructor () {
    /** @type {{name: string, args: Record<string, any>, why: string, danger: boolean, at: Vec3, from: Vec3,
     *   age: number, mended?: boolean}[]} `mended`: there is another station since, to which no path had led */
    this.list = []
    this.age = 0
  }

  /** Forget old failures. @param {number} age of the world in ticks */
  pass (age) {
    this.age = age
    this.list = this.list.filter((each) => {
      const past = age - each.age
      return past >= 0 && past < (each.danger ? SOON : each.name === 'explore_until' ? SEARCHED : AWHILE)
    })
  }

  /**
   * Remember a failure from now on, at the end of the command: it may last as long as a failure is remembered.
   * @param {Bot} bot @param {Command} command @param {string} why @param {Vec3} [at] where it ended
   * @param {Vec3} [from]
   * @param {boolean} [danger] whether a monster ended it, which says nothing about the command itself
   */
  add (bot, { name, args }, why, at = bot.entity.position, from = at, danger = false) {
    this.list.push({ name, args, why, danger, at: at.clone(), from: from.clone(), age: bot.time.age })
  }

  /**
   * Forget the failures of a command that succeeded. One that made a station, or put one down, lets what found no path
   * to one be tried again here. A command that changed nothing counts as a failure, and so does throwing away if other
   * things came back instead: in a shaft two of them would take turns for ever.
   * @param {Bot} bot @param {Command} command @param {string} before the state of the bot before it
   */
  succeed (bot, { name, args }, before) {
    const now = stateOf(bot)
    if ((CHANGING.has(name) && now === before) || (name === 'toss' && cameBack(before, now))) {
      return this.add(bot, { name, args }, 'it changed nothing')
    }
    const serves = ['craft_item', 'place_item'].includes(name) ? STATIONS[args.name] : ''
    this.list = this.list.filter((each) => each.name !== name || about(each.args) !== about(args))
    for (const each of this.list) each.mended ||= each.name === serves && each.why.startsWith('No path')
  }

  /**
   * Tell whether the same command failed near here. A search counts where it began: from its end it finds other land.
   * @param {Command} command @param {Vec3} here
   */
  same (command, here) {
    return this.list.some((each) => !each.mended && key(each) === key(command) &&
      (each.name === 'explore_until' ? each.from : each.at).distanceTo(here) <= HERE)
  }

  /** Tell whether a command with these arguments or more failed lately, anywhere. @param {Command} command */
  tried ({ name, args }) {
    return this.list.some((each) => each.name === name &&
      Object.entries(args).every(([part, value]) => each.args[part] === value))
  }

  /** Tell whether no path led to a station lately, from near here. @param {string} station @param {Vec3} here */
  blocked (station, here) {
    return this.list.some(({ name, why, at, mended }) =>
      !mended && name === STATIONS[station] && why.startsWith('No path') && at.distanceTo(here) <= HERE)
  }

  /** Tell whether a walk to this height failed lately, near here. @param {number} height @param {Vec3} here */
  climbed (height, here) {
    return this.list.some(({ name, args, at }) =>
      name === 'goto' && args.y === height && at.xzDistanceTo(here) <= 2 * HERE)
  }

  /** Return the searches in vain for a thing, of so many ticks. @param {string} thing @param {number} [lately] */
  searches (thing, lately = SEARCHED) {
    return this.list.filter(({ name, args, danger, age }) =>
      name === 'explore_until' && !danger && about(args) === thing && this.age - age < lately)
  }

  /** Return the number of searches in vain for what a way is about, and its other failures. @param {Way} way */
  of ({ kind, from, act }) {
    const things = kind === 'pour' ? POURED : [from, CROPS[from]?.block]
    const commands = act ? DONE : COMMANDS[kind]
    const attempts = this.list.filter((each) => commands?.includes(each.name) && !each.danger &&
      ((kind === 'farm' && 'x' in each.args) || things.includes(about(each.args)))) // a field is made at many places
    return { searches: this.searches(from).length, attempts }
  }

  /** Return the seconds that a way costs more, or Infinity if it is set aside. @param {Way} way */
  cost (way) {
    const { searches, attempts } = this.of(way)
    if (way.never || searches >= SEARCHES || attempts.length >= ATTEMPTS) return Infinity
    return searches * SEARCH_COST + attempts.length * COST
  }

  /** Say why a way is set aside; '' if it is not. @param {Way} way @param {number} seconds of one search */
  why (way, seconds) {
    const { searches, attempts } = this.of(way)
    if (way.never) return way.never
    if (searches >= SEARCHES) return `${searches} searches of ${seconds} seconds found no ${way.from}`
    if (attempts.length < ATTEMPTS) return ''
    const last = attempts[attempts.length - 1]
    return `${last.name} ${way.from} failed ${attempts.length} times lately, the last time: ${last.why}`
  }
}

/** Return what commands change: place, inventory, food, blocks broken and placed, and kills. @param {Bot} bot */
const stateOf = (bot) => JSON.stringify([
  place(bot.entity.position), bot.food, bot.inventory.slots.map((item) => item && [item.name, item.count]),
  bot.heldItem?.name, bot.autocraft.journal.broken.length, bot.autocraft.journal.put, bot.autocraft.prey.killed.size
])

/**
 * Tell whether the inventory gained something between two states, and no place of it came free.
 * @param {string} before @param {string} now
 */
function cameBack (before, now) {
  const [old, slots] = [before, now].map((state) => JSON.parse(state)[2])
  /** @param {([string, number] | null)[]} all @param {string} name */
  const count = (all, name) => all.reduce((sum, item) => sum + (item?.[0] === name ? item[1] : 0), 0)
  const free = (/** @type {([string, number] | null)[]} */ all) => all.filter((item) => !item).length
  return free(slots) <= free(old) &&
    slots.some((/** @type {[string, number] | null} */ item) => item && count(slots, item[0]) > count(old, item[0]))
}

/** Return what a command is about, which may be a place. @param {Record<string, any>} args @returns {string} */
const about = ({ block, entity, name, x, y, z }) => String(block || entity || name || [x, y, z].join(' ').trim())

/** Return a key that is the same for equal commands. @param {Command} command */
const key = ({ name, args }) =>
  `${name} ${JSON.stringify(
    Object.entries(args)
      .filter(([, value]) => value !== null)
      .sort()
  )}`

module.exports = { Failures, HERE, STATIONS, stateOf }
