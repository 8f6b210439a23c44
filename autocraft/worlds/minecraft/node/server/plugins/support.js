'use strict'
/**
 * Break blocks that have lost their support: plants, torches and rails, and the second half of a door or bed. Let sand
 * and gravel fall.
 */

const { supportOf } = require('../../shared/supports')

const SOIL = /^(grass_block|dirt|coarse_dirt|podzol|farmland|mycelium)$/
const PLANTS = new RegExp(
  '^(grass|fern|tall_grass|large_fern|dandelion|poppy|blue_orchid|allium|azure_bluet|.*_tulip|oxeye_daisy|' +
  'cornflower|lily_of_the_valley|.*_sapling|sweet_berry_bush)$'
)
const CROPS = /^(wheat|carrots|potatoes|beetroots|pumpkin_stem|melon_stem)$/
const FALLS = /^(sand|red_sand|gravel|.*_concrete_powder|anvil)$/
/** @type {Record<string, [number, number]>} */
const STEPS = { north: [0, -1], south: [0, 1], west: [-1, 0], east: [1, 0] }

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { world, states } = serv

  /** @returns {boolean} whether a block of this name holds at this place */
  serv.mayStand = (name, x, y, z, properties) => {
    const below = world.name(x, y - 1, z)
    if (supportOf(name) === 'behind') {
      const [dx, dz] = STEPS[properties.facing]
      return world.solidAt(x - dx, y, z - dz)
    }
    if (CROPS.test(name)) return below === 'farmland'
    if (PLANTS.test(name)) return SOIL.test(below) || below === name
    if (name === 'dead_bush') return /sand|terracotta|dirt/.test(below)
    if (name === 'cactus') {
      return (
        /^(sand|red_sand|cactus)$/.test(below) &&
        Object.values(STEPS).every(([dx, dz]) => !world.solidAt(x + dx, y, z + dz))
      )
    }
    if (name === 'sugar_cane') {
      return (
        below === name ||
        (/^(sand|red_sand|grass_block|dirt)$/.test(below) &&
          Object.values(STEPS).some(([dx, dz]) => world.name(x + dx, y - 1, z + dz) === 'water'))
      )
    }
    if (name.endsWith('_door') && properties.half === 'upper') return below === name
    return supportOf(name) !== 'below' || world.solidAt(x, y - 1, z)
  }

  serv.on('blockChanged', (x, y, z, before, after) => {
    const was = states.name(before)
    const properties = states.properties(before)
    if (states.name(after) !== was) {
      if (was.endsWith('_bed')) {
        const [dx, dz] = STEPS[properties.facing].map((d) => properties.part === 'foot' ? d : -d)
        takeWith(was, x + dx, y, z + dz)
      }
      if (was.endsWith('_door') && world.name(x, properties.half === 'lower' ? y + 1 : y - 1, z) === was) {
        serv.breakBlock(x, properties.half === 'lower' ? y + 1 : y - 1, z)
      }
    }
    check(x, y + 1, z)
    for (const [dx, dz] of Object.values(STEPS)) check(x + dx, y, z + dz)
    fall(x, y, z)
    fall(x, y + 1, z)
  })

  /** @param {string} name @param {number} x @param {number} y @param {number} z */
  function takeWith (name, x, y, z) {
    if (world.name(x, y, z) === name) serv.breakBlock(x, y, z)
  }

  /** @param {number} x @param {number} y @param {number} z */
  function check (x, y, z) {
    const state = world.get(x, y, z)
    const name = states.name(state)
    if (state === 0 || !supportOf(name)) return
    if (!serv.mayStand(name, x, y, z, states.properties(state))) serv.breakBlock(x, y, z)
  }

  /** Let a block fall. Falling takes no time here. @param {number} x @param {number} y @param {number} z */
  function fall (x, y, z) {
    const state = world.get(x, y, z)
    if (!FALLS.test(states.name(state))) return
    let to = y
    while (to > 0 && ['air', 'water', 'lava', 'fire', 'grass'].includes(world.name(x, to - 1, z))) to--
    if (to === y) return
    world.set(x, y, z, 0)
    world.set(x, to, z, state)
  }
}
