'use strict'
/**
 * Replace timers, Date.now and performance.now of this process by a clock that stands still until it is told to
 * advance. On the practice server each server tick advances it by 50 ms, so that digging, physics and every pause take
 * the same number of ticks at any speed. It must be installed before mineflayer is loaded. It is not used on other
 * servers.
 */
const TICK = 50
const real = { setTimeout, setInterval, clearTimeout, clearInterval, setImmediate, now: Date.now.bind(Date) }

/** A timer with the same interface as Node's own. */
class Timer {
  /** @param {Clock} clock @param {(...args: any[]) => void} run @param {number} delay @param {boolean} again */
  constructor (clock, run, delay, again) {
    this.clock = clock
    this.run = run
    this.delay = delay
    this.again = again
    this.due = clock.now + delay
    this.turn = clock.turn++
    clock.timers.add(this)
  }

  refresh () { this.due = this.clock.now + this.delay; this.clock.timers.add(this); return this }
  ref () { return this }
  unref () { return this }
  hasRef () { return true }
  close () { this.clock.timers.delete(this) }
  [Symbol.toPrimitive] () { return this.turn }
  [Symbol.dispose] () { this.close() }
}

class Clock {
  constructor () {
    this.now = 0
    this.turn = 1
    this.ticks = 0
    /** @type {Set<Timer>} */
    this.timers = new Set()
  }

  /** Replace the timers of the process by this clock; `seed` makes Math.random repeatable. @param {number} seed */
  install (seed) {
    const begun = 1_600_000_000_000
    /** @param {boolean} again */
    const make = (again) => (/** @type {(...args: any[]) => void} */ run, delay = 1, /** @type {any[]} */ ...args) =>
      new Timer(this, () => run(...args), delay >= 1 && delay < 2 ** 31 ? Math.floor(delay) : 1, again)
    /** @param {any} timer */
    const clear = (timer) => {
      if (timer instanceof Timer) timer.close()
      else if (timer && typeof timer === 'object') real.clearTimeout(timer)
      else for (const each of this.timers) if (each.turn === timer) each.close()
    }
    Object.assign(globalThis, {
      setTimeout: make(false), setInterval: make(true), clearTimeout: clear, clearInterval: clear
    })
    Date.now = () => begun + this.now
    performance.now = () => this.now
    let state = (seed >>> 0) || 1
    Math.random = () => { // the algorithm is mulberry32
      state = (state + 0x6D2B79F5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    }
  }

  /** Advance by one tick: run every timer that falls due, in order, with everything that it starts. */
  async tick () {
    const end = this.now + TICK
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.now = Math.max(this.now, timer.due)
      if (timer.again) timer.due += Math.max(1, timer.delay)
      else timer.close()
      try { timer.run() } catch (error) { process.emit('uncaughtException', error) }
      await settle(1)
    }
    this.now = end
    this.ticks++
    await settle(2)
  }

  /**
   * Let time pass by itself, for example while joining, until the returned function is called.
   * @returns {() => void} stop
   */
  run () {
    let going = true
    const next = async () => {
      if (!going) return
      await this.tick()
      real.setTimeout(next, 5)
    }
    void next()
    return () => { going = false }
  }

  /** @param {number} end */
  #next (end) {
    let first = null
    for (const each of this.timers) {
      if (each.due <= end && (!first || each.due < first.due || (each.due === first.due && each.turn < first.turn))) {
        first = each
      }
    }
    return first
  }
}

/** Wait until promises and immediates that are due have run. @param {number} rounds */
async function settle (rounds) {
  for (let i = 0; i < rounds; i++) await new Promise((resolve) => real.setImmediate(resolve))
}

module.exports = { Clock, TICK, real, settle }
