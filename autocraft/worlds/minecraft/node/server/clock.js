'use strict'
/**
 * Run the virtual clock. A tick begins when somebody is in the world, the clock is not frozen (or single ticks were
 * asked for), every lockstep client has answered the last tick, and its time at the chosen speed has come.
 */
const { performance } = require('perf_hooks')

const TICK_MS = 50
const BEHIND_AT_MOST = 10 // ticks; what is later than that is not caught up

class Clock {
  /**
   * @param {{speed: number, frozen: boolean, ready: () => boolean, step: (tick: number) => void,
   *   failed: (error: Error) => void}} parts ready: whether the players allow a tick
   */
  constructor ({ speed, frozen, ready, step, failed }) {
    this.speed = speed
    this.frozen = frozen
    this.ready = ready
    this.step = step
    this.failed = failed
    this.tick = 0
    this.stopped = false
    /** Ticks left, and what to call when they are done. @type {[number, (tick: number) => void][]} */
    this.single = []
    /** @type {(() => void) | null} */
    this.wake = null
  }

  /** Says that something changed which a waiting tick may depend on. */
  poke () {
    this.wake?.()
    this.wake = null
  }

  freeze () { this.frozen = true }

  thaw () {
    this.frozen = false
    this.poke()
  }

  /** @param {number} speed */
  setSpeed (speed) {
    this.speed = speed
    this.poke()
  }

  /**
   * @param {number} n
   * @returns {Promise<number>} the tick that was reached after n ticks, taken although the clock is frozen
   */
  advance (n) {
    return new Promise((resolve) => {
      this.single.push([n, resolve])
      this.poke()
    })
  }

  stop () {
    this.stopped = true
    this.poke()
  }

  async run () {
    let due = performance.now()
    while (true) {
      while (!this.stopped && !this.#may()) {
        await new Promise((/** @type {(nothing: void) => void} */ resolve) => {
          this.wake = resolve
        })
      }
      if (this.stopped) return
      const length = this.speed > 0 ? TICK_MS / this.speed : 0
      due = Math.max(due + length, performance.now() - BEHIND_AT_MOST * length)
      await pause(this.single.length ? 0 : due - performance.now())
      if (this.stopped) return
      if (this.#may()) this.#take()
    }
  }

  #may () {
    return (!this.frozen || this.single.length > 0) && this.ready()
  }

  #take () {
    try {
      this.step(++this.tick)
    } catch (error) {
      this.failed(error)
    }
    const first = this.single[0]
    if (first && --first[0] <= 0) {
      this.single.shift()
      first[1](this.tick)
    }
  }
}

/** @param {number} ms */
function pause (ms) {
  return new Promise((resolve) => ms >= 1 ? setTimeout(resolve, ms) : setImmediate(resolve))
}

module.exports = { Clock }
