'use strict'
/**
 * Keep server and bot on one clock, over the plugin channel of `../README.md`. Between commands the bot holds the
 * world: it does not send back the number of the last tick, and the server waits.
 */
const { settled } = require('./clock')

const CHANNEL = 'autocraft:tick'

class Lockstep {
  /**
   * @param {import('./clock').Clock} clock @param {boolean} hold whether the world stands still while no command runs
   */
  constructor (clock, hold) {
    this.clock = clock
    this.hold = hold
    this.running = 0
    this.joined = false
    /** The tick that waits to be answered. @type {string|null} */
    this.kept = null
    this.busy = false
    /** Called when time stands still again. @type {(() => void)[]} */
    this.held = []
    /** @type {Client | null} */
    this.client = null
    /** @type {(tick: number) => void} */
    this.onJoined = () => {}
  }

  /** Take part with this client; resolves once the server has answered. @param {Client} client */
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

  /** A command begins: time may pass. What it did synchronously has been sent before. */
  begin () {
    this.running++
    void this.#go()
  }

  /** A command has ended; resolves when time stands still again, so that what is seen next is repeatable. */
  end () {
    this.running--
    if (!this.hold || this.running > 0 || !this.joined) return Promise.resolve()
    return new Promise((/** @type {(nothing: void) => void} */ resolve) => {
      this.held.push(resolve)
      if (this.kept !== null && !this.busy) this.#release()
    })
  }

  /** The connection is gone, so nothing will be held any more. */
  leave () {
    this.joined = false
    this.kept = null
    this.#release()
  }

  /** @param {string} number */
  #arrived (number) {
    if (!this.joined) { // the answer to `join`; the server counts on from it
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
   * Let the tick pass that waits, if a command wants it. What its packets set off comes first: they may arrive in one
   * piece, together with its number, or in many.
   */
  async #go () {
    if (this.busy || this.kept === null) return
    this.busy = true
    await settled(1)
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
