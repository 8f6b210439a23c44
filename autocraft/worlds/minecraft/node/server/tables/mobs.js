'use strict'
/**
 * List the animals and monsters of the practice world (facts of Minecraft 1.16, minecraft.wiki, at normal difficulty;
 * speeds in blocks per tick are ours).
 */

/**
 * `drops` is [item, fewest, most, chance]; `damage` is in half hearts.
 * @type {Record<string, {health: number, speed: number, hostile?: boolean, damage?: number, shoots?: number,
 *   burns?: boolean, explodes?: boolean, sight?: number, drops: [string, number, number, number][]}>}
 */
const MOBS = {
  cow: { health: 10, speed: 0.09, drops: [['beef', 1, 3, 1], ['leather', 0, 2, 1]] },
  pig: { health: 10, speed: 0.09, drops: [['porkchop', 1, 3, 1]] },
  sheep: { health: 8, speed: 0.09, drops: [['mutton', 1, 2, 1], ['white_wool', 1, 1, 1]] },
  chicken: { health: 4, speed: 0.09, drops: [['chicken', 1, 1, 1], ['feather', 0, 2, 1]] },
  zombie: {
    health: 20, speed: 0.115, hostile: true, damage: 3, burns: true, sight: 35,
    drops: [['rotten_flesh', 0, 2, 1], ['iron_ingot', 1, 1, 0.008], ['carrot', 1, 1, 0.008], ['potato', 1, 1, 0.008]]
  },
  skeleton: {
    health: 20, speed: 0.115, hostile: true, damage: 3, shoots: 15, burns: true, sight: 16,
    drops: [['bone', 0, 2, 1], ['arrow', 0, 2, 1]]
  },
  spider: {
    health: 16, speed: 0.14, hostile: true, damage: 2, sight: 16,
    drops: [['string', 0, 2, 1], ['spider_eye', 0, 1, 0.33]]
  },
  creeper: {
    health: 20, speed: 0.115, hostile: true, damage: 0, explodes: true, sight: 16,
    drops: [['gunpowder', 0, 2, 1]]
  }
}

const ANIMALS = ['cow', 'pig', 'sheep', 'chicken']
const MONSTERS = ['zombie', 'zombie', 'skeleton', 'spider', 'creeper']

module.exports = { MOBS, ANIMALS, MONSTERS }
