'use strict'
/** Move things that are not players: by gravity, with blocks taken as full cubes. */
const { RaycastIterator } = require('../shared/need')('prismarine-world').iterators

const GRAVITY = 0.08
const DRAG = 0.98
const AXES = /** @type {const} */ (['y', 'x', 'z'])

/**
 * Move a body by its velocity, in blocks per tick, and stop it at solid blocks.
 * @param {ServerWorld} world @param {Being} body is changed @param {{gravity?: number, drag?: number}} [pull]
 * @returns {boolean} whether it ran into something sideways
 */
function move (world, body, { gravity = GRAVITY, drag = DRAG } = {}) {
  const { position: p, velocity: v } = body
  v.y = Math.max(-3.9, (v.y - gravity) * drag)
  let hit = false
  for (const axis of AXES) {
    const step = v[axis]
    if (step === 0) continue
    const before = p[axis]
    p[axis] += step
    if (!inside(world, body)) {
      if (axis === 'y') body.onGround = false
      continue
    }
    p[axis] = before
    if (axis === 'y') {
      body.onGround = step < 0
      if (step < 0) settle(world, body, step)
    } else {
      hit = true
    }
    v[axis] = 0
  }
  return hit
}

/**
 * Let a falling body come to rest on the block below, and not above it.
 * @param {ServerWorld} world @param {Being} body @param {number} step
 */
function settle (world, body, step) {
  const floor = Math.floor(body.position.y)
  if (body.position.y === floor) return
  const before = body.position.y
  body.position.y = Math.max(floor, before + step)
  if (inside(world, body)) body.position.y = before
}

/**
 * @param {ServerWorld} world @param {{position: Vec3, width: number, height: number}} parts
 * @returns {boolean} whether the body stands in something solid
 */
function inside (world, { position: p, width, height }) {
  const half = width / 2 - 1e-6
  for (let y = Math.floor(p.y + 1e-6); y <= Math.floor(p.y + height - 1e-6); y++) {
    for (let x = Math.floor(p.x - half); x <= Math.floor(p.x + half); x++) {
      for (let z = Math.floor(p.z - half); z <= Math.floor(p.z + half); z++) if (world.solidAt(x, y, z)) return true
    }
  }
  return false
}

/**
 * @param {ServerWorld} world @param {any} from @param {Vec3} to
 * @returns {boolean} whether nothing solid is between two points
 */
function sees (world, from, to) {
  const line = new RaycastIterator(from, to.minus(from).normalize(), from.distanceTo(to))
  for (let at = line.next(); at; at = line.next()) if (world.solidAt(at.x, at.y, at.z)) return false
  return true
}

module.exports = { move, inside, sees }
