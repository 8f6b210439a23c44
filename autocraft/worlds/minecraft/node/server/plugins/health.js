'use strict'
/** Keep health, hunger and breath of players: damage, healing, death and respawn. */
const { Vec3 } = require('../../shared/need')('vec3')

const SAFE_FALL = 3 // blocks
const LEAST = 0.01 // saturation below which only an error of rounding is left
const UNHURT = 10 // ticks after damage in which only greater damage counts
const BREATH = 300 // ticks
const EYES = 1.62
/** The body of a player who comes into the world. */
const NEW = {
  health: 20, food: 20, saturation: 5, exhaustion: 0, fallen: 0, breath: BREATH, burning: 0, healing: 0, starving: 0,
  unhurt: 0, lastHurt: 0
}
/** @type {Record<string, number[]>} */
const ARMOR = {
  leather: [1, 3, 2, 1], golden: [2, 5, 3, 1], chainmail: [2, 5, 4, 1], iron: [2, 6, 5, 2], diamond: [3, 8, 6, 3],
  netherite: [3, 8, 6, 3], turtle: [2, 0, 0, 0]
}
const PAST_ARMOR = new Set([
  'fell from a high place', 'drowned', 'starved to death', 'fell out of the world', 'suffocated in a wall',
  'burned to death'
])

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { world } = serv

  serv.blockAtEyes = (player) => {
    const { x, y, z } = player.position
    return world.name(Math.floor(x), Math.floor(y + EYES), Math.floor(z))
  }

  /** Add exhaustion. At 4 it costs a point of saturation, or of food if no saturation is left. */
  serv.tire = (player, amount) => {
    player.exhaustion = Math.min(40, player.exhaustion + amount)
  }

  serv.on('newPlayer', (player) => {
    Object.assign(player, NEW)

    player.sendHealth = () =>
      player._client.write('update_health', {
        health: player.health,
        food: player.food,
        foodSaturation: player.saturation
      })

    player.on('moved', (from, wasOnGround) => {
      const dy = player.position.y - from.y
      const distance = Math.hypot(player.position.x - from.x, player.position.z - from.z)
      if (player.sprinting) serv.tire(player, 0.1 * distance)
      if (wasOnGround && !player.onGround && dy > 0.2) serv.tire(player, player.sprinting ? 0.2 : 0.05)
      const { x, y, z } = player.position.floored()
      const within = world.name(x, y, z)
      if (within === 'water') {
        serv.tire(player, 0.01 * distance)
        player.fallen = 0
      } else if (['ladder', 'vine', 'lava', 'cobweb', 'scaffolding'].includes(within)) {
        player.fallen = 0
      } else if (dy < 0) {
        player.fallen -= dy
      }
      if (player.onGround) land(x, y, z)
    })

    /** @param {number} x @param {number} y @param {number} z */
    function land (x, y, z) {
      const fallen = player.fallen
      player.fallen = 0
      const below = world.name(x, y - 1, z)
      const damage = Math.ceil(fallen - SAFE_FALL) * (below === 'hay_block' ? 0.2 : 1)
      if (damage > 0 && below !== 'slime_block') player.hurt(damage, 'fell from a high place')
    }

    /**
     * Take health from a player.
     * @param {string} how the end of "NAME …" @param {Creature | Player | null} by what did it, if something did
     */
    player.hurt = (amount, how, by = null) => {
      if (player.health <= 0) return false
      if (player.unhurt > 0 && amount <= player.lastHurt) return false
      const counted = player.unhurt > 0 ? amount - player.lastHurt : amount
      player.lastHurt = amount
      if (player.unhurt === 0) player.unhurt = UNHURT
      const through = PAST_ARMOR.has(how) ? counted : counted * (1 - protection(counted))
      player.health = Math.max(0, player.health - through)
      if (!PAST_ARMOR.has(how)) {
        wearArmor(amount)
        serv.tire(player, 0.1) // damage that ignores armor does not exhaust
      }
      serv.tellNear(player, 'entity_status', { entityId: player.id, entityStatus: 2 })
      player.sendHealth()
      player.emit('hurt', by)
      if (player.health <= 0) die(how)
      return true
    }

    function armorPoints () {
      return player.slots
        .slice(5, 9)
        .reduce((sum, stack, i) => sum + (stack ? (ARMOR[stack.name.split('_')[0]]?.[i] ?? 0) : 0), 0)
    }

    /** @param {number} damage */
    function protection (damage) {
      const points = armorPoints()
      return Math.min(20, Math.max(points / 5, points - damage / 2)) / 25
    }

    /** @param {number} amount */
    function wearArmor (amount) {
      for (let slot = 5; slot < 9; slot++) {
        const stack = player.slots[slot]
        if (!stack || !serv.stacks.durability(stack)) continue
        const wear = (stack.wear ?? 0) + Math.max(1, Math.floor(amount / 4))
        player.slots[slot] = wear >= serv.stacks.durability(stack) ? null : { ...stack, wear }
      }
      player.showChanges()
    }

    /** @param {string} how */
    function die (how) {
      player.closeWindow()
      player.slots.forEach((stack, slot) => {
        if (!stack) return
        player.slots[slot] = null
        serv.dropItem(player.position.offset(0, 1, 0), stack).wait = 40
      })
      player.showChanges()
      serv.tellNear(player, 'entity_status', { entityId: player.id, entityStatus: 3 })
      serv.broadcast(`${player.username} ${how}.`)
      player.emit('died')
    }

    player._client.on('client_command', ({ actionId }) => {
      if (actionId !== 'perform_respawn' || player.health > 0) return
      Object.assign(player, NEW, { unhurt: 60 })
      player._client.write('entity_destroy', { entityIds: [...player.seen.keys()] })
      player.seen.clear()
      player._client.write('respawn', {
        ...serv.registry.loginPacket,
        worldName: 'minecraft:overworld',
        hashedSeed: [0, world.seed | 0],
        gamemode: 0,
        previousGamemode: 255,
        isDebug: false,
        isFlat: false,
        copyMetadata: false
      })
      player.position = serv.respawnPlace(player)
      player.sendFirstColumns()
      player.sendOwnPosition()
      player.sendInventory()
      player._client.write('held_item_slot', { slot: player.held })
      player.sendHealth()
      player.emit('respawned')
    })
  })

  serv.respawnPlace = (player) => {
    if (player.bed && /_bed$/.test(world.name(player.bed.x, player.bed.y, player.bed.z))) {
      return new Vec3(player.bed.x + 0.5, player.bed.y + 0.6, player.bed.z + 0.5)
    }
    return serv.spawn.clone()
  }

  serv.onTick(() => {
    for (const player of serv.players) if (player.health > 0) live(player)
  })

  /** @param {Player} player */
  function live (player) {
    if (player.unhurt > 0) player.unhurt--
    const before = `${player.health} ${player.food} ${player.saturation}`
    digest(player)
    breathe(player)
    surroundings(player)
    if (before !== `${player.health} ${player.food} ${player.saturation}`) player.sendHealth()
  }

  /** @param {Player} player */
  function digest (player) {
    if (player.exhaustion >= 4) {
      player.exhaustion -= 4
      if (player.saturation > 0) player.saturation = Math.max(0, player.saturation - 1)
      else player.food = Math.max(0, player.food - 1)
    }
    const wounded = player.health < 20
    if (wounded && player.food === 20 && player.saturation > LEAST) {
      if (++player.healing < 10) return
      const strength = Math.min(player.saturation, 6)
      player.health = Math.min(20, player.health + strength / 6)
      serv.tire(player, strength)
      player.healing = 0
    } else if (wounded && player.food >= 18) {
      if (++player.healing < 80) return
      player.health = Math.min(20, player.health + 1)
      serv.tire(player, 6)
      player.healing = 0
    } else {
      player.healing = 0
    }
    if (player.food > 0) { player.starving = 0; return }
    if (++player.starving < 80) return
    player.starving = 0
    if (player.health > 1) player.hurt(1, 'starved to death')
  }

  /** @param {Player} player */
  function breathe (player) {
    const before = player.breath
    if (serv.blockAtEyes(player) === 'water') {
      if (--player.breath <= -20) {
        player.breath = 0
        player.hurt(2, 'drowned')
      }
    } else {
      player.breath = Math.min(BREATH, player.breath + 4)
    }
    if (before !== player.breath) {
      player._client.write('entity_metadata', {
        entityId: player.id,
        metadata: [{ key: 1, type: 1, value: player.breath }]
      })
    }
  }

  /** @param {Player} player */
  function surroundings (player) {
    const { x, y, z } = player.position.floored()
    const feet = world.name(x, y, z)
    const eyes = serv.blockAtEyes(player)
    if (feet === 'lava' || eyes === 'lava') {
      player.hurt(4, 'tried to swim in lava')
      player.burning = 300
    } else if (feet === 'fire') {
      player.hurt(1, 'went up in flames')
      player.burning = Math.max(player.burning, 160)
    }
    if (feet === 'water') player.burning = 0
    if (player.burning > 0 && --player.burning % 20 === 0 && feet !== 'lava') player.hurt(1, 'burned to death')
    if (
      world.solidAt(x, Math.floor(player.position.y + EYES), z) &&
      world.opaque[world.get(x, Math.floor(player.position.y + EYES), z)]
    ) {
      player.hurt(1, 'suffocated in a wall')
    }
    if (player.position.y < -64) player.hurt(4, 'fell out of the world')
    const reach = 0.31
    for (const [dx, dz] of [[reach, 0], [-reach, 0], [0, reach], [0, -reach]]) {
      if (world.name(Math.floor(player.position.x + dx), y, Math.floor(player.position.z + dz)) === 'cactus') {
        player.hurt(1, 'was pricked to death')
      }
    }
  }

  /** @type {('health' | 'food' | 'saturation' | 'exhaustion' | 'bed')[]} */
  const KEPT = ['health', 'food', 'saturation', 'exhaustion', 'bed']
  serv.on('keepPlayer', (player, kept) => KEPT.forEach((name) => { kept[name] = player[name] }))
  serv.on('restorePlayer', (player, kept) => {
    Object.assign(player, Object.fromEntries(KEPT.map((name) => [name, kept[name]])))
    if (player.health > 0) return
    Object.assign(player, { health: 20, food: 20, saturation: 5 })
    player.position = serv.respawnPlace(player)
  })
}
