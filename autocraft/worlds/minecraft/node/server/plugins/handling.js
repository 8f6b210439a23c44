'use strict'
/** Use what is in the hand: food, buckets, a bow, armor, a hoe, seeds, flint and steel, bone meal. */
const { Vec3 } = require('../../shared/need')('vec3')

const EAT_TICKS = 32
const EYES = 1.62
const BUCKET_REACH = 5
/** @type {Record<string, string>} */
const BOWLS = {
  mushroom_stew: 'bowl', rabbit_stew: 'bowl', beetroot_soup: 'bowl', suspicious_stew: 'bowl',
  honey_bottle: 'glass_bottle'
}
/** @type {Record<string, string>} */
const SEEDS = {
  wheat_seeds: 'wheat', carrot: 'carrots', potato: 'potatoes', beetroot_seeds: 'beetroots',
  pumpkin_seeds: 'pumpkin_stem', melon_seeds: 'melon_stem'
}
/** @type {Record<string, number>} */
const ARMOR_SLOT = { helmet: 5, chestplate: 6, leggings: 7, boots: 8 }
/** @type {[number, number, number][]} */
const FACES = [[0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]]
/** Where poured water would flow first. @type {[number, number, number][]} */
const FLOWS = [[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0, -1, 0]]

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { world, states, registry } = serv

  serv.on('newPlayer', (player) => {
    player.using = null // {name, since}

    player._client.on('use_item', ({ hand }) => {
      const held = player.inHand()
      if (hand !== 0 || !held || player.health <= 0) return
      const food = registry.foodsByName[held.name]
      if (food && (player.food < 20 || held.name === 'golden_apple')) begin(held.name)
      else if (held.name === 'bow') begin('bow')
      else if (held.name === 'fishing_rod') serv.useRod(player)
      else if (held.name.endsWith('bucket')) useBucket(player, held)
      else putOn(held)
    })

    /** @param {string} name */
    function begin (name) { player.using = { name, since: serv.clock.tick } }

    /** @param {Stack} held */
    function putOn (held) {
      const slot = ARMOR_SLOT[held.name.split('_').at(-1) ?? '']
      if (!slot || player.slots[slot]) return
      player.slots[slot] = held
      player.setSlot(36 + player.held, null)
    }

    player._client.on('block_dig', ({ status }) => {
      if (status !== 5 || !player.using) return
      const { name, since } = player.using
      player.using = null
      if (name === 'bow' && player.inHand()?.name === 'bow') serv.shootBow(player, serv.clock.tick - since)
    })

    player.on('heldChanged', () => { player.using = null })
    player.on('died', () => { player.using = null })

    player.continueUsing = () => {
      if (!player.using || player.using.name === 'bow') return
      if (player.inHand()?.name !== player.using.name) player.using = null
      else if (serv.clock.tick - player.using.since >= EAT_TICKS) eat(player.using.name)
    }

    /** @param {string} name */
    function eat (name) {
      const { foodPoints, saturation } = registry.foodsByName[name]
      player.using = null
      player.food = Math.min(20, player.food + foodPoints)
      player.saturation = Math.min(player.food, player.saturation + saturation)
      player._client.write('entity_status', { entityId: player.id, entityStatus: 9 })
      player.spendHeld()
      if (BOWLS[name]) player.giveOrDrop({ name: BOWLS[name], count: 1 })
      player.sendHealth()
    }
  })

  serv.onTick(() => serv.players.forEach((player) => player.continueUsing()))

  /** Return the direction in which a player looks. */
  serv.lookOf = (player) => {
    const yaw = player.yaw * Math.PI / 180
    const pitch = player.pitch * Math.PI / 180
    return new Vec3(-Math.sin(yaw) * Math.cos(pitch), -Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch))
  }

  /**
   * @param {Player} player @param {(state: number) => any} stops
   * @returns {{at: Vec3, before: Vec3}|null} the first block in sight that `stops` accepts, and the one before it
   */
  function pointedAt (player, stops) {
    const from = player.position.offset(0, EYES, 0)
    const look = serv.lookOf(player)
    let before = from.floored()
    for (let t = 0; t <= BUCKET_REACH; t += 0.05) {
      const at = from.plus(look.scaled(t)).floored()
      if (at.equals(before) && t > 0) continue
      if (stops(world.get(at.x, at.y, at.z))) return { at, before }
      before = at
    }
    return null
  }

  /** @param {Player} player @param {Stack} held */
  function useBucket (player, held) {
    if (held.name === 'bucket') {
      /** @param {number} state */
      const full = (state) => ['water', 'lava'].includes(states.name(state)) && states.properties(state).level === 0
      const found = pointedAt(player, (state) => full(state) || world.solid[state])
      if (!found || !full(world.get(found.at.x, found.at.y, found.at.z))) return
      const liquid = world.name(found.at.x, found.at.y, found.at.z)
      world.set(found.at.x, found.at.y, found.at.z, 0)
      player.spendHeld()
      player.giveOrDrop({ name: `${liquid}_bucket`, count: 1 })
    } else if (held.name === 'water_bucket' || held.name === 'lava_bucket') {
      const found = pointedAt(player, (state) => world.solid[state] === 1)
      if (!found || world.solidAt(found.before.x, found.before.y, found.before.z)) return
      pour(held.name.slice(0, -'_bucket'.length), found.before)
      player.setSlot(36 + player.held, { name: 'bucket', count: 1 })
    }
  }

  /**
   * Pour a liquid. It takes the place of another one, and does not flow here. Lava that has water beside or above it
   * becomes obsidian, as in Minecraft.
   * @param {string} liquid @param {{x: number, y: number, z: number}} parts
   */
  function pour (liquid, { x, y, z }) {
    world.set(x, y, z, states.state(liquid))
    for (const [dx, dy, dz] of [[0, 0, 0], ...FLOWS]) harden(x + dx, y + dy, z + dz)
  }

  /** @param {number} x @param {number} y @param {number} z */
  function harden (x, y, z) {
    const wet = FLOWS.some(([dx, dy, dz]) => world.name(x - dx, y - dy, z - dz) === 'water')
    if (wet && world.name(x, y, z) === 'lava') world.set(x, y, z, states.state('obsidian'))
  }

  /** @param {Vec3} p */
  const air = (p) => world.get(p.x, p.y, p.z) === 0

  for (const tier of ['wooden', 'stone', 'iron', 'golden', 'diamond', 'netherite']) {
    serv.onUseItem(`${tier}_hoe`, (player, at, face) => {
      if (
        face === 0 ||
        !/^(grass_block|dirt|grass_path)$/.test(world.name(at.x, at.y, at.z)) ||
        !air(at.offset(0, 1, 0))
      ) {
        return true
      }
      world.set(at.x, at.y, at.z, states.state('farmland'))
      serv.wearHeld(player, 1)
      return true
    })
  }

  for (const [seed, crop] of Object.entries(SEEDS)) {
    serv.onUseItem(seed, (player, at, face) => {
      const up = at.offset(0, 1, 0)
      if (face !== 1 || world.name(at.x, at.y, at.z) !== 'farmland' || !air(up)) return true
      world.set(up.x, up.y, up.z, states.state(crop))
      player.spendHeld()
      return true
    })
  }

  serv.onUseItem('flint_and_steel', (player, at, face) => {
    const into = at.offset(...FACES[face])
    if (air(into)) {
      world.set(into.x, into.y, into.z, states.state('fire'))
      serv.wearHeld(player, 1)
    }
    return true
  })

  serv.onUseItem('bone_meal', (player, at) => {
    if (serv.growNow(at.x, at.y, at.z)) player.spendHeld()
    return true
  })
}
