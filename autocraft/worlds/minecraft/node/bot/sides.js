'use strict'
/** The sides of a block, as ways to the next one. */
const { Vec3 } = require('../shared/need')('vec3')

/** Down, up, north, south, west and east: by the number that the game gives each side. */
const SIDES = [
  new Vec3(0, -1, 0), new Vec3(0, 1, 0), new Vec3(0, 0, -1), new Vec3(0, 0, 1), new Vec3(-1, 0, 0), new Vec3(1, 0, 0)
]
const LEVEL = SIDES.slice(2)

module.exports = { LEVEL, SIDES }
