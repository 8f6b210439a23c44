'use strict'
/** Read the land around the bot as it looks from above. Python draws the map. */
const { isAir } = require('./columns')
const { NOT_ALIVE } = require('./observe')
const { pausing } = require('./pausing')

/** Blocks that are shown in each direction. */
const FAR = 16
/**
 * Blocks above the feet from which the map looks down, in the open and below a roof, and blocks below the feet that it
 * shows.
 */
const [OPEN, ROOFED, BELOW] = [24, 1, 24]

/**
 * Return the uppermost block of each column around the bot: rows from north to south, each from west to east. A block
 * is its kind, which is an index into `kinds`, and how many blocks it lies above the block on which the bot stands. It
 * is null where nothing is seen.
 * @param {Bot} bot
 */
async function map (bot) {
  const feet = bot.entity.position.floored()
  const states = bot.registry.blocksByStateId
  const pause = pausing()
  /** @param {number} x @param {number} y @param {number} z @returns {BlockKind | undefined} */
  const block = (x, y, z) => states[bot.world.getBlockStateId(feet.offset(x, y, z))]
  const roofed = isRoofed(block)
  /** @type {string[]} */
  const kinds = []
  /** @type {([number, number] | null)[][]} */
  const rows = []
  for (let z = -FAR; z <= FAR; z++) {
    /** @type {([number, number] | null)[]} */
    const row = []
    for (let x = -FAR; x <= FAR; x++) {
      let y = roofed ? ROOFED : OPEN
      while (y >= -BELOW && isAir(block(x, y, z))) y--
      const name = block(x, y, z)?.name
      if (name && y >= -BELOW && !kinds.includes(name)) kinds.push(name)
      row.push(name && y >= -BELOW ? [kinds.indexOf(name), y + 1] : null)
    }
    rows.push(row)
    await pause()
  }
  const { x, y, z } = feet
  return { feet: { x, y, z }, yaw: bot.entity.yaw, roofed, kinds, rows, others: others(bot) }
}

/**
 * Tell whether a block that hides what is below it lies over the head.
 * @param {(x: number, y: number, z: number) => any} block
 */
function isRoofed (block) {
  for (let y = ROOFED + 1; y <= OPEN; y++) {
    const over = block(0, y, 0)
    if (!isAir(over) && over.boundingBox === 'block' && !over.transparent) return true
  }
  return false
}

/** Return the other living things on the map, each with its distance to the east and to the south. @param {Bot} bot */
function others (bot) {
  const me = bot.entity.position.floored()
  return Object.values(bot.entities)
    .filter((each) => each !== bot.entity && each.position && each.name && !NOT_ALIVE.includes(each.name))
    .map((each) => ({
      name: each.type === 'player' ? `player ${each.username}` : String(each.name),
      x: Math.floor(each.position.x) - me.x,
      z: Math.floor(each.position.z) - me.z
    }))
    .filter(({ x, z }) => Math.max(Math.abs(x), Math.abs(z)) <= FAR)
}

module.exports = { map }
