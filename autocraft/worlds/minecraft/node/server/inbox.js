'use strict'
/**
 * Queue what players send, and handle it in order at the beginning of the next tick, so that the result does not depend
 * on when it arrived. Keep-alive, settings and plug-in channels are handled at once.
 */

const AT_ONCE = new Set(['keep_alive', 'custom_payload', 'settings', 'transaction'])
const REPLACEABLE = new Set(['position', 'look', 'position_look', 'flying', 'arm_animation'])
const AT_MOST = 10000 // packets; a client that sends more in one tick is disconnected

class Inbox {
  /** @param {Client} client @param {() => boolean} frozen */
  constructor (client, frozen) {
    this.client = client
    /** @type {[string, any, any][]} */
    this.queue = []
    this.emit = client.emit
    const inbox = this
    client.emit = (name, ...args) => {
      const [data, meta] = args
      const waits = meta?.state === 'play' && meta.name === name && !AT_ONCE.has(name)
      if (!waits) return inbox.emit.call(client, name, ...args)
      inbox.#put(name, data, meta, frozen())
      return true
    }
  }

  /** @param {string} name @param {any} data @param {any} meta @param {boolean} frozen */
  #put (name, data, meta, frozen) {
    const last = this.queue[this.queue.length - 1]
    if (frozen && REPLACEABLE.has(name) && last?.[0] === name) this.queue.pop()
    this.queue.push([name, data, meta])
    if (this.queue.length > AT_MOST) {
      this.queue = []
      this.client.end('You sent more than this practice server can handle.')
    }
  }

  /** Pass what arrived to the listeners of the client. @param {(error: Error) => void} failed */
  handle (failed) {
    const packets = this.queue
    this.queue = []
    for (const packet of packets) {
      try {
        this.emit.apply(this.client, packet)
      } catch (error) {
        failed(error)
      }
    }
  }
}

module.exports = { Inbox }
