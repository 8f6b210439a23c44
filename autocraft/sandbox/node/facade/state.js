/**
 * Send reads and effects. A read is cached until the next effect, since nothing changes between two effects that a
 * program could see; after each effect the values that a program may hold are brought up to date.
 */
const TICK = 50
/** Milliseconds that one effect may wait. */
const LONGEST = 1200000

let kept = new Map()
let outstanding = 0
/** What brings values that a program may hold up to date. @type {Set<() => void>} */
const refreshers = new Set()

/** One read of the world as it is now. @param {string} name @param {...any} args plain values */
function read (name, ...args) {
  const key = JSON.stringify([name, args])
  if (!kept.has(key)) kept.set(key, host.read(name, ...args))
  return kept.get(key)
}

/** What a program looked for last, since its last effect, and what is not there. @type {null|(() => string)} */
let absent = null
/** What of bot looked for something last, since its last effect, and found nothing. */
let unfound = ''

/** The null of what was looked for and not found. @param {string} by */
function nothing (by) { unfound = by; return null }

/** To be the prototype of an object called `owner`: it notes which names are asked for that the object has not. */
const noting = (owner) => new Proxy({}, {
  get (target, key) {
    if (typeof key === 'string' && !(key in target) && key !== 'then' && key !== 'toJSON') {
      absent = () => `${owner}.${key}${otherwise(key)}`
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
 * Fulfilled when the effect that was asked for last is over; null when none is under way.
 * @type {Promise<void>|null}
 */
let last = null

/**
 * One effect; its text when it is done. Effects are carried out one after the other, in the order of these calls,
 * awaited
 * or not; an argument that is a function is called when the turn has come, and sees what was done before.
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
    if (called) error.stack = called // the line of the program that asked for it
    throw error
  } finally {
    outstanding--
    if (last === mine) last = null
    kept = new Map()
    for (const each of refreshers) try { each() } catch {} // the world may be gone; the next read says so
    over()
    clock.passed()
  }
}

/** In the crafting world no time passes by itself, so waiting only moves the clock of the program on. */
let waited = 0
async function pastime (args) {
  waited += args[args.length - 1] * 20
  return `Waited ${args[args.length - 1]} s.`
}

/** A table and a furnace are always there, so none is put down; other things have no place. */
async function stand (args) {
  const [name] = args
  if (!/^(crafting_table|furnace)$/.test(name)) throw new Error(`the crafting world has no placeItem for ${name}`)
  return `A ${name} is here already.`
}

/** Everything is within reach. */
async function stay () { return 'There is no need to move here.' }

/** What has no effect in the crafting world, and so needs no command. @type {Record<string, (args: any[]) => any>} */
const WITHOUT_EFFECT = WORLD === 'crafting'
  ? {
      setTimeout: pastime, 'bot.waitForTicks': pastime, 'bot.setControlState': pastime, placeItem: stand,
      'bot.placeBlock': stand, 'bot.pathfinder.goto': stay, 'bot.lookAt': stay, 'bot.activateBlock': stay
    }
  : {}

/** The ticks that the game has run. */
const ticks = () => waited + (WORLD === 'crafting' ? 0 : read('time'))

/** The same without waiting; a failure is said, since nobody hears it otherwise. */
function post (name, ...args) {
  perform(name, ...args).catch((error) => say(error.message))
}

/** Into the chat log, line by line. */
function say (text) {
  for (const line of String(text).split('\n')) if (line) host.say(line)
}

/**
 * setTimeout and setInterval in the time of the game. Nothing of a program runs while an effect does, so what falls due
 * meanwhile is called right after it; when a program waits for nothing but a timer, time is let pass.
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

  /** Call what is due, then see whether there is still something to wait for. */
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

  /** Let time pass when nothing else does; looked at after the program has gone on as far as it can. */
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
