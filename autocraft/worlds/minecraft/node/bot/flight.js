'use strict'
/**
 * Compute where a thrown or shot item may fly from where the bot looks now, by the game's own speeds, gravity and drag,
 * for weak and strong draws. `bounds.js` judges every point of these ways, since nobody knows in advance what will be
 * hit.
 */
const { eyes } = require('./sight')

const TICKS = 300
const STEP = 0.5 // blocks between two points
/**
 * How items fly: speeds in blocks per tick, fall and drag per tick, degrees above and beside the look, and how many
 * blocks around the end they act.
 */
/** @type {[RegExp, Pick<Flight, 'speeds' | 'fall'> & Partial<Flight>][]} */
const KINDS = [
  [/^bow$/, { speeds: [0.3, 0.8, 1.5, 2.2, 3], fall: 0.05 }],
  [/^crossbow$/, { speeds: [1.6, 3.15], fall: 0.05, beside: [-10, 0, 10] }],
  [/^trident$/, { speeds: [2.5], fall: 0.05 }],
  [/^(snowball|egg|.*_egg|ender_pearl|ender_eye)$/, { speeds: [1.5], fall: 0.03 }],
  [/^(splash|lingering)_potion$/, { speeds: [0.5], fall: 0.05, above: 20, around: 4.5 }],
  [/^experience_bottle$/, { speeds: [0.7], fall: 0.07, above: 20 }],
  [/^wind_charge$/, { speeds: [1.5], fall: 0, drag: 1, around: 3 }],
  [/^fishing_rod$/, { speeds: [1.1], fall: 0.03, drag: 0.92, swims: true }]
]

/**
 * Return how an item flies when it is thrown or shot, or null if it does not fly.
 * @param {Item} item @returns {Flight | null}
 */
function kindOf (item) {
  // before 1.9 a splash potion is a potion with this number
  const old = item.name === 'potion' && item.metadata & 0x4000
  const found = KINDS.find(([names]) => names.test(old ? 'splash_potion' : item.name))
  return found && !/_spawn_egg$/.test(item.name)
    ? { drag: 0.99, above: 0, beside: [0], around: 0, swims: false, ...found[1] }
    : null
}

/**
 * Generate each way that an item may take: its points, and whether its end is known. The end is known if the way meets
 * a block.
 * @param {Bot} bot @param {Flight} kind @returns {Generator<{points: Vec3[], ends: boolean}>}
 */
function * ways (bot, kind) {
  for (const beside of kind.beside) for (const speed of kind.speeds) yield way(bot, kind, speed, beside * Math.PI / 180)
}

/**
 * @param {Bot} bot @param {{fall: number, drag: number, above: number, swims: boolean}} parts @param {number} speed
 * @param {number} beside
 */
function way (bot, { fall, drag, above, swims }, speed, beside) {
  const here = eyes(bot)
  const [yaw, pitch] = [bot.entity.yaw + beside, bot.entity.pitch]
  const rise = Math.sin(pitch + above * Math.PI / 180)
  const go = eyes(bot).set(-Math.sin(yaw) * Math.cos(pitch), rise, -Math.cos(yaw) * Math.cos(pitch))
  go.scale(speed / go.norm())
  const points = []
  for (let tick = 0; tick < TICKS; tick++) {
    const parts = Math.max(1, Math.ceil(go.norm() / STEP))
    for (let part = 0; part < parts; part++) {
      here.add(go.scaled(1 / parts))
      points.push(here.clone())
      const block = bot.blockAt(here, false)
      if (!block) return { points, ends: false } // not loaded
      if (block.boundingBox === 'block' || (swims && /water|lava/.test(block.name))) return { points, ends: true }
    }
    go.scale(drag)
    go.y -= fall
  }
  return { points, ends: false }
}

module.exports = { kindOf, ways }
