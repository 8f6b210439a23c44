'use strict'
/**
 * Keep server and bot on one clock, over the plugin channel of `../README.md`. Between commands the bot stops the
 * world: it does not send back the number of the last tick, and the server waits for it.
 */
const { settle } = require('./clock')

const CHANNEL = 'autocraft:tick'

class Lockstep {
  /**
   * @param {import('./clock').Clock} clock @param {boolean} hold whether the world stands still while no command runs
   */
  constructor (clock, hold) {
    this.clock = clock
    this.hold = hold
    /** Whether other bots of the run can hold the world too. Then the next tick may come only after they go on. */
    this.shared = false
    this.running = 0
    this.joined = false
    /** The number of the last tick, while it is not answered. @type {string|null} */
    this.kept = null
    this.busy = false
    /** Functions to call when time stands still again. @type {(() => void)[]} */
    this.held = []
    /** @type {Client | null} */
    this.client = null
    /** @type {(tick: number) => void} */
    this.onJoined = () => {}
  }

  /** Take part with this client. Resolve once the server has answered. @param {Client} client */
  join (client) {
    this.client = client
    this.joined = false
    this.kept = null
    client.on('custom_payload', (packet) => {
      if (packet.channel === CHANNEL) this.#arrived(packet.data.toString())
    })
    return new Promise((resolve) => {
      this.onJoined = resolve
      this.#send('join')
    })
  }

  /** Let time pass for a command. What the command did synchronously has already been sent. */
  begin () {
    this.running++
    void this.#go()
  }

  /** End a command. Resolve when time stands still again, so that what a single bot sees next is repeatable. */
  end () {
    this.running--
    if (!this.hold || this.shared || this.running > 0 || !this.joined) return Promise.resolve()
    return new Promise((/** @type {(nothing: void) => void} */ resolve) => {
      this.held.push(resolve)
      if (this.kept !== null && !this.busy) this.#release()
    })
  }

  /** Stop holding the world, since the connection is gone. */
  leave () {
    this.joined = false
    this.kept = null
    this.#release()
  }

  /** @param {string} number */
  #arrived (number) {
    if (!this.joined) { // the answer to `join`, from which the server counts on
      this.joined = true
      this.onJoined(Number(number))
      return
    }
    this.kept = number
    void this.#go()
  }

  #release () {
    for (const each of this.held.splice(0)) each()
  }

  /**
   * Answer the waiting tick if a command runs. First handle everything that the packets of this tick start: they may
   * arrive in one piece, together with its number, or in many.
   */
  async #go () {
    if (this.busy || this.kept === null) return
    this.busy = true
    await settle(1)
    const number = this.kept
    const passes = number !== null && (this.running > 0 || !this.hold)
    if (passes) {
      this.kept = null
      await this.clock.tick()
    }
    this.busy = false
    if (!passes) this.#release()
    else if (this.joined) this.#send(number)
  }

  /** @param {string} text */
  #send (text) {
    this.client?.write('custom_payload', { channel: CHANNEL, data: Buffer.from(text) })
  }
}

module.exports = { Lockstep }
