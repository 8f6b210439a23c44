'use strict'
/** Run one command: cancel and limit it, wait in it, and report its progress. */
const { Fault } = require('../shared/fault')
const { place } = require('./words')

/** Seconds of the game between two reports of a long command. */
const REPORT = 5
/** After so many unchanged reports, one is sent nevertheless. */
const QUIET = 12

class Task {
  /** @param {Bot} bot @param {number} seconds of game time that it may take */
  constructor (bot, seconds) {
    this.bot = bot
    this.ends = Date.now() + seconds * 1000
    this.seconds = seconds
    /** Whether this is a reflex, and not a command. */
    this.reflex = false
    /** What was done so far, in order. It is part of the reply, however the command ends. @type {string[]} */
    this.said = []
    /** @type {Fault|null} */
    this.stopped = null
    /** @type {Set<(fault: Fault) => void>} */
    this.stops = new Set()
    /** How far the command has come, such as "2 of 3 oak_log". */
    this.progress = ''
    this.reports = setInterval(() => this.report(), REPORT * 1000)
    this.last = ''
    this.same = 0
    this.limit = setTimeout(
      () => this.stop(new Fault(`it was not done within ${seconds} seconds`, 'limit')),
      seconds * 1000
    )
  }

  /** End the command: throw `fault` in everything that waits in it. @param {Fault} fault */
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

  /** Throw a Fault if the command was stopped. */
  check () { if (this.stopped) throw this.stopped }

  /** Go on after a failed try. Throw any other error again, and a Fault if the command was stopped. */
  goOnAfter (/** @type {any} */ error) {
    if (error.kind && error.kind !== 'failed') throw error
    this.check()
  }

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
   * Wait for a promise, at most until the command is stopped, and at most `seconds` if they are given.
   * @template T @param {Promise<T>} promise @param {number} [seconds] @param {string} [what] what is named in the
   * message if it takes too
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
