'use strict'
/**
 * Send what the bot sees to the page that draws it: columns of blocks, blocks that change, other entities, and where
 * the bot stands and looks. The messages have the names of prismarine-viewer. Times are real, not of the game.
 */
const { real } = require('./clock')

/** Columns of 16 x 16 blocks that are shown in each direction. */
const FAR = 4
/** Blocks within which other entities are shown. */
const NEAR = 64
/** Milliseconds between two lines. Each line has at most one new column. */
const PAUSE = 50

class View {
  /** @param {Bot} bot */
  constructor (bot) {
    this.bot = bot
    /** The columns that are shown, by their places. @type {Map<string, {x: number, z: number}>} */
    this.shown = new Map()
    /** The last message about each entity. @type {Map<number, string>} */
    this.entities = new Map()
    /** @type {[string, object][]} */
    this.blocks = []
    this.last = ''
    this.onBlock = (/** @type {unknown} */ _before, /** @type {any} */ now) => {
      if (now && this.shown.has(key(now.position.x >> 4, now.position.z >> 4))) {
        this.blocks.push(['blockUpdate', { pos: point(now.position), stateId: now.stateId }])
      }
    }
    /** Send a column again that was loaded again. @param {Point} corner */
    this.onColumn = (corner) => { this.shown.delete(key(corner.x >> 4, corner.z >> 4)) }
    bot.on('blockUpdate', this.onBlock)
    bot.on('chunkColumnLoad', this.onColumn)
    this.timer = real.setInterval(() => this.#tell(), PAUSE)
  }

  close () {
    real.clearInterval(this.timer)
    this.bot.off('blockUpdate', this.onBlock)
    this.bot.off('chunkColumnLoad', this.onColumn)
  }

  #tell () {
    const me = this.bot.entity
    if (this.bot.autocraft.ending) return this.close()
    if (!me) return
    const sent = [...this.#columns(me.position), ...this.blocks, ...this.#others(me)]
    this.blocks = []
    const stand = { pos: point(me.position), yaw: me.yaw, pitch: me.pitch }
    if (JSON.stringify(stand) !== this.last) sent.push(['position', stand])
    this.last = JSON.stringify(stand)
    if (sent.length) this.bot.autocraft.tell({ event: 'view', sent })
  }

  /**
   * Return messages: which columns are too far now, and the nearest column that is not shown yet.
   * @param {Point} at @returns {[string, object][]}
   */
  #columns (at) {
    const [cx, cz] = [Math.floor(at.x) >> 4, Math.floor(at.z) >> 4]
    /** @param {{x: number, z: number}} column */
    const away = ({ x, z }) => Math.hypot(x - cx, z - cz)
    /** @type {[string, object][]} */
    const sent = []
    for (const [name, column] of this.shown) {
      if (away(column) <= FAR + 1) continue
      this.shown.delete(name)
      sent.push(['unloadChunk', { x: column.x * 16, z: column.z * 16 }])
    }
    const missing = around(cx, cz).filter(({ x, z }) => !this.shown.has(key(x, z)) && this.bot.world.getColumn(x, z))
    const next = missing.sort((a, b) => away(a) - away(b))[0]
    if (!next) return sent
    this.shown.set(key(next.x, next.z), next)
    const chunk = this.bot.world.getColumn(next.x, next.z).toJson()
    return [...sent, ['loadChunk', { x: next.x * 16, z: next.z * 16, chunk }]]
  }

  /**
   * Return messages about the other entities that moved, came or went.
   * @param {Entity} me @returns {[string, object][]}
   */
  #others (me) {
    const near = Object.values(this.bot.entities)
      .filter((each) => each !== me && each.position && each.position.distanceTo(me.position) < NEAR)
    const ids = new Set(near.map(({ id }) => id))
    const gone = [...this.entities.keys()].filter((id) => !ids.has(id))
    for (const id of gone) this.entities.delete(id)
    /** @type {[string, object][]} */
    const sent = gone.map((id) => ['entity', { id, delete: true }])
    for (const each of near) {
      const { id, name, width, height, username, yaw, pitch } = each
      const news = { id, name, width, height, username, yaw, pitch, pos: point(each.position) }
      if (this.entities.get(id) === JSON.stringify(news)) continue
      this.entities.set(id, JSON.stringify(news))
      sent.push(['entity', news])
    }
    return sent
  }
}

/** @param {number} x @param {number} z of a column */
const key = (x, z) => `${x},${z}`
/** @param {Point} at */
const point = ({ x, y, z }) => ({ x, y, z })

/** Return the places of the columns around a column. @param {number} cx @param {number} cz */
function around (cx, cz) {
  const found = []
  for (let x = cx - FAR; x <= cx + FAR; x++) for (let z = cz - FAR; z <= cz + FAR; z++) found.push({ x, z })
  return found.filter(({ x, z }) => Math.hypot(x - cx, z - cz) <= FAR)
}

/**
 * Start to send everything that is seen, from the beginning, or stop it.
 * @param {Bot} bot @param {{on: boolean}} parts
 */
function view (bot, { on }) {
  bot.autocraft.view?.close()
  bot.autocraft.view = on ? new View(bot) : null
}

module.exports = { View, view }
