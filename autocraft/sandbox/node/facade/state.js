/**
 * Send reads and effects. A read is cached until the next effect, since a program sees no change between two effects.
 * After each effect the values that a program may hold are updated.
 */
const TICK = 50
/** Milliseconds that one effect may wait. */
const LONGEST = 1200000

let kept = new Map()
let outstanding = 0
/** Functions that update values that a program may hold. @type {Set<() => void>} */
const refreshers = new Set()

/** Read the world as it is now. @param {string} name @param {...any} args plain values */
function read (name, ...args) {
  const key = JSON.stringify([name, args])
  if (!kept.has(key)) kept.set(key, host.read(name, ...args))
  return kept.get(key)
}

/** Describes the last search since the last effect, if that search found nothing. @type {null|(() => string)} */
let absent = null
/** The function of bot that did this search. */
let unfound = ''

/** Return null for a search that found nothing, and note it. @param {string} by */
function nothing (by) { unfound = by; return null }

/** Return a prototype for the object `owner` that notes reads of names that the object does not have. */
const noting = (owner) => new Proxy({}, {
  get (target, key) {
    if (typeof key === 'string' && !(key in target) && key !== 'then' && key !== 'toJSON') {
      absent = () => `${owner}.${key}${alternative(key)}`
    }
    return target[key]
  }
})

host.explain((message) => {
  if (unfound && / of null$/.test(message)) return ` (${unfound} found nothing)`
  return absent && / of undefined$|not a function$/.test(message) ? ` (there is no ${absent()})` : ''
})

/** Facts that never change: names, kinds of blocks, recipes. */
const facts = new Map()
function fact (name, ...args) {
  const key = JSON.stringify([name, args])
  if (!facts.has(key)) facts.set(key, host.read(name, ...args))
  return facts.get(key)
}

/**
 * A promise of the end of the last effect, or null if no effect is under way.
 * @type {Promise<void>|null}
 */
let last = null

/**
 * Carry out an effect, and return its text. Effects are carried out one after the other, in the order of these calls,
 * awaited or not. An argument that is a function is called when the effect begins, so it sees all earlier effects.
 * @param {string} name of the table in facade.py @param {...any} args @returns {Promise<string>}
 */
async function perform (name, ...args) {
  absent = null
  unfound = ''
  const before = last
  const called = before && new Error('').stack
  let over = () => {}
  const mine = last = new Promise((resolve) => { over = resolve })
  outstanding++
  try {
    if (before) await before
    const plain = args.map((each) => (typeof each === 'function' ? each() : each))
    return await (Object.hasOwn(WITHOUT_EFFECT, name) ? WITHOUT_EFFECT[name](plain) : host.act(name, ...plain))
  } catch (error) {
    if (called) error.stack = called // the line of the program that called it
    throw error
  } finally {
    outstanding--
    if (last === mine) last = null
    kept = new Map()
    for (const each of refreshers) try { each() } catch {} // if the world is gone, the next read says so
    over()
    clock.passed()
  }
}

/** In the crafting world no time passes by itself, so a wait only advances the program's clock. */
let waited = 0
async function pastime (args) {
  waited += args[args.length - 1] * 20
  return `Waited ${args[args.length - 1]} s.`
}

/** A table and a furnace always exist, so none is placed. Other things have no place. */
async function stand (args) {
  const [name] = args
  if (!/^(crafting_table|furnace)$/.test(name)) throw new Error(`the crafting world has no placeItem for ${name}`)
  return `A ${name} is here already.`
}

/** Everything is within reach. */
async function stay () { return 'There is no need to move here.' }

/** Effects that do nothing in the crafting world. @type {Record<string, (args: any[]) => any>} */
const WITHOUT_EFFECT = WORLD === 'crafting'
  ? {
      setTimeout: pastime, 'bot.waitForTicks': pastime, 'bot.setControlState': pastime, placeItem: stand,
      'bot.placeBlock': stand, 'bot.pathfinder.goto': stay, 'bot.lookAt': stay, 'bot.activateBlock': stay
    }
  : {}

/** Return the number of ticks of the game. */
const ticks = () => waited + (WORLD === 'crafting' ? 0 : read('time'))

/** Carry out an effect without waiting. Report a failure, since nothing else would. */
function post (name, ...args) {
  perform(name, ...args).catch((error) => say(error.message))
}

/** Write to the chat log, line by line. */
function say (text) {
  for (const line of String(text).split('\n')) if (line) host.say(line)
}

/**
 * setTimeout and setInterval in the time of the game. No code of a program runs during an effect, so a timer that is
 * due then is called just after it. If a program waits only for a timer, time passes until the timer is due.
 */
const clock = {
  /** @type {Map<number, {due: number, run: () => void, every: number}>} */
  timers: new Map(),
  turn: 0,
  waiting: false,
  over: false,

  now () { return ticks() * TICK },

  set (run, delay, every, args) {
    if (typeof run !== 'function') throw new TypeError('the first argument of a timer must be a function')
    const wait = Math.max(TICK, Number(delay) || 0)
    const id = ++this.turn
    this.timers.set(id, { due: this.now() + wait, run: () => run(...args), every: every ? wait : 0 })
    void this.idle()
    return id
  },

  clear (id) { this.timers.delete(id) },

  /** Call the timers that are due, then check whether others remain. */
  passed () {
    if (!this.timers.size) return
    const now = this.now()
    for (const [id, timer] of [...this.timers].sort((a, b) => a[1].due - b[1].due || a[0] - b[0])) {
      if (timer.due > now || !this.timers.has(id)) continue
      if (timer.every) timer.due = now + timer.every
      else this.timers.delete(id)
      Promise.resolve().then(timer.run).catch((error) => say(`Error in a timer: ${error && error.message}`))
    }
    void this.idle()
  },

  /** Let time pass if nothing else happens. Check this after the program has run as far as it can. */
  async idle () {
    if (this.waiting) return
    this.waiting = true
    // eslint-disable-next-line typescript/await-thenable -- a program may have replaced Promise
    for (let turn = 0; turn < 20; turn++) await null
    this.waiting = false
    if (outstanding || !this.timers.size || this.over) return
    const next = Math.min(...[...this.timers.values()].map((each) => each.due))
    perform('setTimeout', Math.min(LONGEST, Math.max(TICK, next - this.now())) / 1000).catch((error) => {
      this.timers.clear()
      say(error.message)
    })
  }
}
