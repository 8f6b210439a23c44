'use strict'
/** Find which kinds of block lie around the bot, in one pass over the loaded world. */
const need = require('../../shared/need')
const { isAir, scan, sections } = require('../columns')
const { reachable } = require('../commands/near')

const { Vec3 } = need('vec3')

const REFUSED = 256 // no more blocks of one kind are looked at than so many that must be kept or are out of view

/**
 * How far away the nearest block of each kind is that may be broken or used. A section is looked through only where it
 * may hold a kind that was not found nearer.
 * @param {Bot} bot @param {number} radius
 * @param {() => Promise<void>} pause called after each section of 16 x 16 x 16 blocks
 * @returns {Promise<Map<number, number>>} from a block's id to its distance; what is not there is left out
 */
async function kindsAround (bot, radius, pause) {
  const middle = bot.entity.position.floored()
  const states = bot.registry.blocksByStateId
  /** @type {Map<number, number>} */
  const nearest = new Map()
  /** @type {Map<number, number>} */
  const refused = new Map()
  /** @param {number} id @param {number} far */
  const open = (id, far) => far < (nearest.get(id) ?? Infinity) && (refused.get(id) ?? 0) < REFUSED
  /** @param {number} state @param {number} x @param {number} y @param {number} z */
  const found = (state, x, y, z) => {
    if (state === 0 || isAir(states[state])) return
    const { id } = states[state]
    const far = Math.hypot(x - middle.x, y - middle.y, z - middle.z)
    if (far > radius || !open(id, far)) return
    if (!reachable(bot, { x, y, z, state })) return
    const kept = !bot.autocraft.eyes.know(x, y, z) || bot.autocraft.bounds.keep(bot.blockAt(new Vec3(x, y, z)))
    if (kept) refused.set(id, (refused.get(id) || 0) + 1)
    else nearest.set(id, far)
  }
  for (const section of sections(bot, middle, radius)) {
    const { away, palette } = section
    if (palette?.every((state) => isAir(states[state]))) continue
    if (!palette || palette.some((state) => !isAir(states[state]) && open(states[state].id, away))) scan(section, found)
    await pause()
  }
  return nearest
}

module.exports = { kindsAround }
