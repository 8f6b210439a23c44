'use strict'
/** Let players milk cows and shear sheep, and let chickens lay eggs. Here the wool of a sheep does not grow again. */

const EYES = 1.62
const REACH = 4
const INTERACT = 0 // `mouse` of use_entity
/** @type {[number, number]} */
const LAYS = [6000, 12000] // the fewest and the most ticks between two eggs of a chicken

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const shorn = new Set()
  const random = serv.random('animals')
  const luck = serv.random('eggs')
  /** The tick of the next egg of each chicken. @type {WeakMap<object, number>} */
  const eggs = new WeakMap()

  serv.onTick((tick) => {
    if (tick % 20) return
    for (const each of Object.values(serv.entities)) {
      if (each.kind !== 'mob' || each.name !== 'chicken' || each.health <= 0) continue
      const next = eggs.get(each)
      if (next !== undefined && tick < next) continue
      if (next !== undefined) serv.dropItem(each.position.offset(0, 0.3, 0), { name: 'egg', count: 1 })
      eggs.set(each, tick + luck.between(...LAYS))
    }
  })

  serv.on('newPlayer', (player) => {
    player._client.on('use_entity', ({ target, mouse }) => {
      const animal = serv.entities[target]
      if (mouse !== INTERACT || animal?.kind !== 'mob' || animal.health <= 0 || player.health <= 0) return
      const held = player.inHand()?.name
      const middle = animal.position.offset(0, animal.height / 2, 0)
      if (player.position.offset(0, EYES, 0).distanceTo(middle) > REACH) return
      if (animal.name === 'cow' && held === 'bucket') {
        player.spendHeld()
        player.giveOrDrop({ name: 'milk_bucket', count: 1 })
      } else if (animal.name === 'sheep' && held === 'shears' && !shorn.has(animal.id)) {
        shorn.add(animal.id)
        serv.dropItem(animal.position.offset(0, 0.6, 0), { name: 'white_wool', count: random.between(1, 3) })
        serv.wearHeld(player, 1)
      }
    })
  })
}
