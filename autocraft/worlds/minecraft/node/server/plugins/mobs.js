'use strict'
/**
 * Keep animals and monsters: where they appear, how they walk, flee and fight. They are much simpler than Minecraft's:
 * they walk straight ahead, jump one block, and turn when they cannot go on.
 */
const { Vec3 } = require('../../shared/need')('vec3')
const { Random, hash, hashText } = require('../random')
const { move, sees } = require('../body')
const { MOBS, ANIMALS, MONSTERS } = require('../tables/mobs')

const ACTIVE = 48 // blocks from a player; mobs that are farther away stand still
const GONE = 96 // blocks; monsters that are farther away vanish
const MOST_MONSTERS = 10 // near one player
const FUSE = 30 // ticks

/** @param {Serv} serv @param {ServerOptions} options */
module.exports = function inject (serv, options) {
  const { world } = serv
  const random = serv.random('mobs')
  const mobs = () => Object.values(serv.entities).filter((entity) => entity.kind === 'mob')

  serv.spawnMob = (name, position) => serv.addEntity({
    kind: 'mob', name, position: position.clone(), velocity: new Vec3(0, 0, 0), health: MOBS[name].health,
    unhurtUntil: 0, frightUntil: 0, heading: null, pace: 0, turnAt: 0, strikeAt: 0, fuse: 0, burning: 0, fallen: 0
  })

  /** Names of the columns that have already got their animals. */
  serv.settled = new Set()
  serv.on('column', (column) => {
    const name = `${column.cx},${column.cz}`
    if (options.mobs && !serv.settled.has(name)) settle(column)
    serv.settled.add(name)
  })

  /** Put a few animals into a new column with grass. @param {{cx: number, cz: number, states: Uint16Array}} parts */
  function settle ({ cx, cz, states }) {
    const luck = new Random(hash(world.seed, hashText('herd'), cx, cz))
    if (!luck.chance(0.1)) return
    const name = luck.pick(ANIMALS)
    for (let left = luck.between(2, 4); left > 0; left--) {
      const x = luck.int(16)
      const z = luck.int(16)
      let y = 255
      while (y > 0 && !world.solid[states[(y << 8) | (z << 4) | x]]) y--
      if (serv.states.name(states[(y << 8) | (z << 4) | x]) === 'grass_block') {
        serv.spawnMob(name, new Vec3(cx * 16 + x + 0.5, y + 1, cz * 16 + z + 0.5))
      }
    }
  }

  serv.onTick((tick) => {
    for (const mob of mobs()) {
      if (mob.diesAt !== undefined) { if (tick >= mob.diesAt) serv.removeEntity(mob) } else live(mob, tick)
    }
    if (options.mobs && tick % 20 === 0) serv.players.forEach(bringMonsters)
  })

  /** @param {Creature} mob @param {number} tick */
  function live (mob, tick) {
    const nearest = nearestPlayer(mob)
    const distance = nearest ? nearest.position.distanceTo(mob.position) : Infinity
    const kind = MOBS[mob.name]
    if (kind.hostile && (distance > GONE || (distance > 32 && random.chance(1 / 800)))) return serv.removeEntity(mob)
    if (distance > ACTIVE) return
    const target =
      nearest &&
      kind.hostile &&
      nearest.health > 0 &&
      distance < (kind.sight ?? 0) &&
      (mob.hurtBy === nearest || mob.name !== 'spider' || serv.isNight()) &&
      sees(world, eyes(mob), eyes(nearest))
        ? nearest
        : null
    if (target) chase(mob, kind, target, distance, tick)
    else wander(mob, kind, tick)
    walk(mob, kind)
    suffer(mob, kind)
  }

  /** @param {{position: Vec3, height: number}} parts */
  const eyes = ({ position, height }) => position.offset(0, height * 0.85, 0)

  /** @param {Creature} mob */
  function nearestPlayer (mob) {
    /** @type {Player | null} */
    let best = null
    let least = Infinity
    for (const player of serv.players) {
      const distance = player.position.distanceTo(mob.position)
      if (distance < least) [best, least] = [player, distance]
    }
    return best
  }

  /** @param {Creature} mob @param {Mob} kind @param {Player} target @param {number} distance @param {number} tick */
  function chase (mob, kind, target, distance, tick) {
    const to = target.position.minus(mob.position)
    mob.heading = Math.atan2(-to.x, to.z)
    mob.pace = kind.shoots && distance < kind.shoots * 0.6 ? 0 : 1
    if (kind.explodes) return fuse(mob, target, distance)
    const within = kind.shoots ? distance < kind.shoots : Math.hypot(to.x, to.z) < mob.width + 0.9 && Math.abs(to.y) < 2
    if (!within || tick < mob.strikeAt) return
    mob.strikeAt = tick + (kind.shoots ? 40 : 20)
    if (kind.shoots && !random.chance(Math.max(0.3, 1 - distance / 20))) return
    serv.tellNear(mob, 'animation', { entityId: mob.id, animation: 0 })
    target.hurt(kind.damage ?? 0, kind.shoots ? `was shot by a ${mob.name}` : `was slain by a ${mob.name}`, mob)
  }

  /** @param {Creature} mob @param {Player} target @param {number} distance */
  function fuse (mob, target, distance) {
    mob.fuse = distance < 3 ? mob.fuse + 1 : Math.max(0, mob.fuse - 1)
    if (mob.fuse > 0 && distance < 3) mob.pace = 0
    if (mob.fuse < FUSE) return
    serv.removeEntity(mob)
    for (const player of serv.players) {
      const d = player.position.distanceTo(mob.position)
      if (d < 6) player.hurt(Math.floor(24 * (1 - d / 6) ** 2 + 1), 'was blown up by a creeper', mob)
    }
  }

  /** @param {Creature} mob @param {Mob} kind @param {number} tick */
  function wander (mob, kind, tick) {
    if (tick < mob.frightUntil && mob.hurtBy && !kind.hostile) {
      const away = mob.position.minus(mob.hurtBy.position)
      mob.heading = Math.atan2(-away.x, away.z)
      mob.pace = 1.8
    } else if (tick >= mob.turnAt) {
      mob.turnAt = tick + random.between(40, 160)
      mob.heading = random.chance(0.4) ? random.next() * Math.PI * 2 : null
      mob.pace = 0.6
    }
  }

  /** @param {Creature} mob @param {Mob} kind */
  function walk (mob, kind) {
    const swims =
      world.name(Math.floor(mob.position.x), Math.floor(mob.position.y + 0.3), Math.floor(mob.position.z)) === 'water'
    const control = mob.onGround || swims ? 1 : 0.4
    const { heading } = mob
    if (heading !== null && mob.pace > 0) {
      mob.yaw = heading * 180 / Math.PI
      const speed = kind.speed * mob.pace
      mob.velocity.x += (-Math.sin(heading) * speed - mob.velocity.x) * control
      mob.velocity.z += (Math.cos(heading) * speed - mob.velocity.z) * control
      if (mob.onGround && !kind.hostile && cliff(mob, heading)) {
        mob.heading = heading + Math.PI
        mob.velocity.x = mob.velocity.z = 0
      }
    } else if (mob.onGround) {
      mob.velocity.x *= 0.5
      mob.velocity.z *= 0.5
    }
    if (swims) mob.velocity.y = Math.min(mob.velocity.y + 0.12, 0.1)
    const resting = mob.onGround && Math.abs(mob.velocity.x) < 0.003 && Math.abs(mob.velocity.z) < 0.003
    const { x, y, z } = mob.position
    if (resting && world.solidAt(Math.floor(x), Math.floor(y) - 1, Math.floor(z))) {
      mob.velocity = new Vec3(0, 0, 0)
      return
    }
    const before = mob.position.y
    const hit = move(world, mob)
    if (hit && mob.onGround && mob.heading !== null) mob.velocity.y = 0.45
    mob.fallen = mob.onGround || swims ? 0 : mob.fallen + Math.max(0, before - mob.position.y)
  }

  /** @param {Creature} mob @param {number} heading */
  function cliff (mob, heading) {
    const x = Math.floor(mob.position.x - Math.sin(heading))
    const z = Math.floor(mob.position.z + Math.cos(heading))
    const y = Math.floor(mob.position.y)
    const drop = [0, 1, 2, 3].every((d) => !world.solidAt(x, y - d, z))
    return drop || ['lava', 'water', 'fire', 'cactus'].includes(world.name(x, y - 1, z))
  }

  /** @param {Creature} mob @param {Mob} kind */
  function suffer (mob, kind) {
    const { x, y, z } = mob.position.floored()
    const within = world.name(x, y, z)
    if (within === 'lava' || within === 'fire') mob.burning = 100
    else if (within === 'water') mob.burning = 0
    else if (
      kind.burns &&
      mob.burning === 0 &&
      serv.clock.tick % 20 === 0 &&
      !serv.isNight() &&
      world.underSky(x, y + 1, z)
    ) {
      mob.burning = 160
    }
    if (mob.burning > 0 && mob.burning-- % 20 === 0) mob.health -= within === 'lava' ? 4 : 1
    if (mob.position.y < -20) mob.health = 0
    if (mob.health > 0) return
    serv.tellNear(mob, 'entity_status', { entityId: mob.id, entityStatus: 3 })
    serv.killMob(mob)
  }

  /**
   * Let monsters appear in the dark: at night under the sky, at any time in caves, not near torches or players.
   * @param {Player} player
   */
  function bringMonsters (player) {
    const near = mobs().filter((mob) => MOBS[mob.name].hostile && mob.position.distanceTo(player.position) < GONE)
    if (near.length >= MOST_MONSTERS || !random.chance(0.5)) return
    const angle = random.next() * Math.PI * 2
    const far = random.between(24, 44)
    const x = Math.floor(player.position.x + Math.cos(angle) * far)
    const z = Math.floor(player.position.z + Math.sin(angle) * far)
    const y = Math.floor(player.position.y) + random.between(-16, 16)
    for (let up = 0; up < 12; up++) {
      if (!world.solidAt(x, y + up - 1, z) || world.get(x, y + up, z) !== 0 || world.get(x, y + up + 1, z) !== 0) {
        continue
      }
      const dark = !lit(x, y + up, z) && (!world.underSky(x, y + up, z) || serv.isNight())
      if (dark) serv.spawnMob(random.pick(MONSTERS), new Vec3(x + 0.5, y + up, z + 0.5))
      return
    }
  }

  /** @param {number} x @param {number} y @param {number} z */
  function lit (x, y, z) {
    for (let j = -4; j <= 4; j++) {
      for (let k = -7; k <= 7; k++) {
        for (let i = -7; i <= 7; i++) if (serv.states.block(world.get(x + i, y + j, z + k)).emitLight > 7) return true
      }
    }
    return false
  }
}
