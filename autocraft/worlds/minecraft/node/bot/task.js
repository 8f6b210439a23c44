'use strict'
/** Run one command: how it is cancelled, limited, how it waits, and how it reports where it is. */
const { Fault } = require('../shared/fault')
const { place } = require('./words')

/** Seconds of the game between two reports of a command that takes long. */
const REPORT = 5
/** After so many reports without any news one is sent all the same. */
const QUIET = 12

class Task {
  /** @param {Bot} bot @param {number} seconds of game time that it may take */
  constructor (bot, seconds) {
    this.bot = bot
    this.ends = Date.now() + seconds * 1000
    this.seconds = seconds
    /** Whether it is a reflex and no command. */
    this.reflex = false
    /** What was done so far, in the order in which it happened; part of the reply however it ends. @type {string[]} */
    this.said = []
    /** @type {Fault|null} */
    this.stopped = null
    /** @type {Set<(fault: Fault) => void>} */
    this.stops = new Set()
    /** What is done so far, as in "2 of 3 oak_log". */
    this.progress = ''
    this.reports = setInterval(() => this.report(), REPORT * 1000)
    this.last = ''
    this.same = 0
    this.limit = setTimeout(
      () => this.stop(new Fault(`it was not done within ${seconds} seconds`, 'limit')),
      seconds * 1000
    )
  }

  /** End it: everything that waits in it is thrown `fault`. @param {Fault} fault */
  stop (fault) {
    if (this.stopped) return
    this.stopped = fault
    for (const each of [...this.stops]) each(fault)
  }

  close () {
    clearTimeout(this.limit)
    clearInterval(this.reports)
    this.stopped = this.stopped || new Fault('it is over', 'cancelled')
  }

  /** Throw when it has been stopped. */
  check () { if (this.stopped) throw this.stopped }

  /** @param {string} text */
  say (text) { this.said.push(text) }

  /** Tell Python where the command and the bot are, if that has changed. */
  report () {
    const { entity, health } = this.bot
    if (!entity) return
    const news = { text: this.progress, at: place(entity.position), health }
    const line = JSON.stringify(news)
    this.same = line === this.last ? this.same + 1 : 0
    if (this.same % QUIET) return
    this.last = line
    this.bot.autocraft.tell({ event: 'progress', ...news })
  }

  /**
   * Wait for a promise, but no longer than the task lives nor than `seconds`.
   * @template T @param {Promise<T>} promise @param {number} [seconds] @param {string} [what] named when it takes too
   * long
   * @returns {Promise<T>}
   */
  wait (promise, seconds = 0, what = 'the server') {
    if (this.stopped) { promise.catch(() => {}); return Promise.reject(this.stopped) }
    return new Promise((resolve, reject) => {
      /** @type {NodeJS.Timeout} */
      let timer
      /** @param {(value: any) => void} act */
      const finish = (act) => (/** @type {any} */ value) => { clearTimeout(timer); this.stops.delete(stop); act(value) }
      const stop = finish(reject)
      this.stops.add(stop)
      if (seconds) {
        timer = setTimeout(() => stop(new Fault(`${what} did not answer within ${seconds} seconds`)), seconds * 1000)
      }
      promise.then(finish(resolve), stop)
    })
  }

  /** @param {number} ticks of the game */
  ticks (ticks) {
    /** @type {NodeJS.Timeout} */
    let timer
    return this.wait(
      new Promise((resolve) => {
        timer = setTimeout(resolve, ticks * 50)
      })
    ).finally(() => clearTimeout(timer))
  }
}

module.exports = { Task }
