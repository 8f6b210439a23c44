'use strict'
/**
 * Run the virtual clock. A tick begins when four things hold: somebody is in the world; the clock is not frozen, or
 * single ticks are requested; every lockstep client has answered the last tick; and it is time for the tick at the
 * chosen speed.
 */
const { performance } = require('perf_hooks')

const TICK_MS = 50
const BEHIND_AT_MOST = 10 // ticks; a greater delay is not caught up

class Clock {
  /**
   * @param {{speed: number, frozen: boolean, ready: () => boolean, step: (tick: number) => void,
   *   failed: (error: Error) => void}} parts `ready` tells whether the players allow a tick
   */
  constructor ({ speed, frozen, ready, step, failed }) {
    this.speed = speed
    this.frozen = frozen
    this.ready = ready
    this.step = step
    this.failed = failed
    this.tick = 0
    this.stopped = false
    /**
     * Numbers of remaining ticks, each with a function to call after the last one.
     * @type {[number, (tick: number) => void][]}
     */
    this.single = []
    /** @type {(() => void) | null} */
    this.wake = null
  }

  /** Check again whether a waiting tick may begin, since something has changed. */
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
