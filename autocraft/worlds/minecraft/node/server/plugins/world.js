'use strict'
/**
 * Keep the blocks: generated from the seed, or read from the folder if they were changed. Everything here is
 * synchronous, so that a tick never waits for a disk.
 */
const { createStates } = require('../states')
const { createGenerator } = require('../generator')
const { hash, hashText, Random } = require('../random')

/** @param {number} x @param {number} y @param {number} z */
const key = (x, y, z) => `${x},${y},${z}`

/** @param {Serv} serv @param {ServerOptions} options */
module.exports = function inject (serv, options) {
  const states = createStates(serv.registry)
  const seed = hash(options.seed, Math.floor(options.seed / 4294967296))
  const generator = createGenerator(seed, states)
  const columns = new Map()
  /** @type {Record<string, Random>} */
  const streams = {}
  const blocks = serv.registry.blocksByStateId
  const solid = Uint8Array.from({ length: 17200 }, (_, id) => blocks[id]?.boundingBox === 'block' ? 1 : 0)
  const opaque = Uint8Array.from({ length: 17200 }, (_, id) => blocks[id] && blocks[id].filterLight > 0 ? 1 : 0)

  serv.states = states
  serv.key = key
  serv.dimensionNames = { 0: 'minecraft:overworld' }

  /** Return the stream of random numbers for one part of the server. Its state is saved. */
  serv.random = (name) => {
    streams[name] ??= new Random(hash(seed, hashText(name)))
    return streams[name]
  }
  serv.streams = streams

  serv.world = {
    seed,
    generator,
    columns,
    things: new Map(), // contents of chests, furnaces and beds, by key
    solid,
    opaque,
    /** Read a changed column. The storage replaces this function. */
    load: () => null,

    column (cx, cz) {
      const name = `${cx},${cz}`
      let column = columns.get(name)
      if (!column) {
        column = { cx, cz, ...generator.column(cx, cz), changed: false, saving: false }
        const kept = this.load(cx, cz)
        if (kept) column.states = kept
        columns.set(name, column)
        serv.emit('column', column)
      }
      return column
    },

    /** @returns {number} the state id; air above and below the world */
    get (x, y, z) {
      if (y < 0 || y > 255) return 0
      return this.column(x >> 4, z >> 4).states[(y << 8) | ((z & 15) << 4) | (x & 15)]
    },

    name (x, y, z) {
      return blocks[this.get(x, y, z)].name
    },

    solidAt (x, y, z) {
      return solid[this.get(x, y, z)] === 1
    },

    /** @returns {boolean} whether nothing between this block and the sky stops light */
    underSky (x, y, z) {
      for (let up = y; up < 256; up++) if (opaque[this.get(x, up, z)]) return false
      return true
    },

    /** Change a block, tell every player who sees it, and let the neighbours react. */
    set (x, y, z, state) {
      if (y < 0 || y > 255) return
      const column = this.column(x >> 4, z >> 4)
      const at = (y << 8) | ((z & 15) << 4) | (x & 15)
      const before = column.states[at]
      if (before === state) return
      column.states[at] = state
      column.changed = true
      for (const player of serv.players) {
        if (player.columns?.has(`${x >> 4},${z >> 4}`)) {
          player._client.write('block_change', { location: { x, y, z }, type: state })
        }
      }
      serv.emit('blockChanged', x, y, z, before, state)
    }
  }
}
