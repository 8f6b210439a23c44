'use strict'
/** Let players fish: a rod throws a bobber, after a while a fish bites, and a player who pulls in time gets it. */
const { Vec3 } = require('../../shared/need')('vec3')

const FLIGHT = 60 // steps of the throw, a tenth of a block each at first
/** @type {[number, number]} ticks */
const BITES = [100, 600]
const PULL_WITHIN = 40 // ticks
const FAR = 32 // blocks after which the line breaks
const EYES = 1.62
/** @type {[string, number][]} */
const CATCH = [
  ['cod', 54], ['salmon', 22], ['pufferfish', 12], ['tropical_fish', 2], ['leather', 2], ['string', 2], ['stick', 2],
  ['bone', 2], ['rotten_flesh', 2]
]

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const random = serv.random('fishing')
  const particle = serv.registry.particlesByName.fishing.id

  /** Throw the bobber, or pull it in. */
  serv.useRod = (player) => {
    if (!player.bobber) { player.bobber = cast(player); return }
    const { bitten } = player.bobber
    reel(player)
    if (bitten === undefined || serv.clock.tick - bitten > PULL_WITHIN) return
    serv.dropItem(player.position.offset(0, 0.5, 0), { name: something(), count: 1 })
    serv.wearHeld(player, 1)
  }

  /** @param {Player} player */
  function cast (player) {
    const position = player.position.offset(0, EYES, 0)
    const step = serv.lookOf(player).scaled(0.3)
    for (let i = 0; i < FLIGHT; i++) {
      const next = position.plus(step)
      if (serv.world.solidAt(Math.floor(next.x), Math.floor(next.y), Math.floor(next.z))) break
      position.add(step)
      step.y -= 0.012
      if (wet(position)) { position.y = Math.floor(position.y) + 0.8; break }
    }
    return serv.addEntity({
      kind: 'bobber', name: 'fishing_bobber', owner: player.id, position, velocity: new Vec3(0, 0, 0),
      bitesAt: serv.clock.tick + random.between(...BITES)
    })
  }

  /** @param {Vec3} p */
  const wet = (p) => serv.world.name(Math.floor(p.x), Math.floor(p.y), Math.floor(p.z)) === 'water'

  /** @param {Player} player */
  function reel (player) {
    if (player.bobber) serv.removeEntity(player.bobber)
    player.bobber = null
  }

  function something () {
    let roll = random.int(CATCH.reduce((sum, [, weight]) => sum + weight, 0))
    return (CATCH.find(([, weight]) => (roll -= weight) < 0) ?? CATCH[0])[0]
  }

  serv.onTick((tick) => {
    for (const player of serv.players) {
      const { bobber } = player
      if (!bobber) continue
      const far = bobber.position.distanceTo(player.position) > FAR
      if (player.inHand()?.name !== 'fishing_rod' || player.health <= 0 || far) reel(player)
      else if (tick === bobber.bitesAt && wet(bobber.position)) bite(bobber, tick)
      else if (bobber.bitten !== undefined && tick > bobber.bitten + PULL_WITHIN) {
        Object.assign(bobber, { bitten: undefined, bitesAt: tick + random.between(...BITES) })
      }
    }
  })

  /** @param {Bobber} bobber @param {number} tick */
  function bite (bobber, tick) {
    bobber.bitten = tick
    const { x, y, z } = bobber.position
    serv.tellNear(bobber, 'world_particles', {
      particleId: particle, longDistance: false, x, y, z, offsetX: 0.25, offsetY: 0, offsetZ: 0.25, particleData: 0.2,
      particles: 6, data: {}
    })
  }

  serv.on('newPlayer', (player) => { player.bobber = null })
  serv.on('leaving', (player) => { if (player.bobber) reel(player) })
}
