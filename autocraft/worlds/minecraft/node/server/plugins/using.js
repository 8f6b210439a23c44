'use strict'
/** Use a block (open it, switch it), and place a block or something else where the player points. */
const { Vec3 } = require('../../shared/need')('vec3')

/** @type {[number, number, number][]} */
const FACES = [[0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]]
const FACE_NAMES = ['down', 'up', 'north', 'south', 'west', 'east']
const AXES = ['y', 'y', 'z', 'z', 'x', 'x']
const LOOKS = ['south', 'west', 'north', 'east']
/** @type {Record<string, string>} */
const BACK = { north: 'south', south: 'north', west: 'east', east: 'west' }
const REPLACED = new Set([
  'air', 'cave_air', 'grass', 'fern', 'dead_bush', 'water', 'lava', 'fire', 'vine', 'seagrass', 'snow', 'tall_grass',
  'large_fern'
])
const FACING_PLAYER = new RegExp(
  '^(chest|trapped_chest|furnace|smoker|blast_furnace|barrel|carved_pumpkin|jack_o_lantern|lectern|loom|' +
  'stonecutter|ladder|beehive|dispenser|dropper)$'
)
const REACH = 7

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { states, world } = serv
  /** @type {Map<string, UseBlock>} */
  const blockUses = new Map()
  /** @type {Map<string, UseItem>} */
  const itemUses = new Map()

  /** Set what happens when a block with this name is used. */
  serv.onUse = (name, action) => blockUses.set(name, action)

  /** Set what happens when an item is used on a block. If `action` returns false, the item is placed instead. */
  serv.onUseItem = (name, action) => itemUses.set(name, action)

  serv.on('newPlayer', (player) => {
    player._client.on('block_place', ({ hand, location, direction, cursorY }) => {
      const at = new Vec3(location.x, location.y, location.z)
      if (player.health <= 0 || hand !== 0 || !FACES[direction] || player.position.distanceTo(at) > REACH) {
        return show(at, direction)
      }
      const block = world.name(at.x, at.y, at.z)
      const use = blockUses.get(block)
      if (!player.crouching && use) return use(player, at)
      const held = player.inHand()
      if (held && !itemUses.get(held.name)?.(player, at, direction)) {
        placeBlock(at, direction, held, cursorY)
      }
      show(at, direction)
    })

    /**
     * Send the blocks as they are, since the client may show something else.
     * @param {Vec3} at @param {number} direction
     */
    function show (at, direction) {
      const face = FACES[direction] ?? [0, 0, 0]
      for (const p of [at, at.offset(...face)]) {
        player._client.write('block_change', { location: p, type: world.get(p.x, p.y, p.z) })
      }
    }

    /** @param {Vec3} at @param {number} direction @param {Stack} held @param {number} cursorY */
    function placeBlock (at, direction, held, cursorY) {
      if (!serv.registry.blocksByName[blockName(held.name, direction)]) return
      const into = REPLACED.has(world.name(at.x, at.y, at.z)) ? at : at.offset(...FACES[direction])
      if (into.y < 0 || into.y > 255 || !REPLACED.has(world.name(into.x, into.y, into.z))) return
      const name = blockName(held.name, direction)
      const look = LOOKS[Math.round(player.yaw / 90) & 3]
      const state = states.state(name, propertiesFor(name, direction, look, cursorY))
      if (world.solid[state] && occupied(into)) return
      if (!serv.mayStand(name, into.x, into.y, into.z, states.properties(state)) || !placeSecond(name, into, look)) {
        return
      }
      world.set(into.x, into.y, into.z, state)
      if (name === 'chest' || name === 'trapped_chest') serv.joinChest(into.x, into.y, into.z)
      player.spendHeld()
    }
  })

  /**
   * Return the block's name for an item: torches and signs at a wall are other blocks than on the ground.
   * @param {string} item @param {number} direction
   */
  function blockName (item, direction) {
    if (direction < 2) return item === 'redstone' ? 'redstone_wire' : item === 'string' ? 'tripwire' : item
    if (item === 'torch') return 'wall_torch'
    if (item === 'redstone_torch') return 'redstone_wall_torch'
    return item.endsWith('_sign') ? item.replace('_sign', '_wall_sign') : item
  }

  /** @param {string} name @param {number} direction @param {string} look @param {number} cursorY */
  function propertiesFor (name, direction, look, cursorY) {
    const has = Object.keys(states.properties(serv.registry.blocksByName[name].defaultState))
    const upper = direction === 0 || (direction !== 1 && cursorY > 0.5)
    /** @type {Properties} */
    const given = {}
    if (has.includes('axis')) given.axis = AXES[direction]
    if (has.includes('half') && /_(stairs|trapdoor)$/.test(name)) given.half = upper ? 'top' : 'bottom'
    if (has.includes('type') && name.endsWith('_slab')) given.type = upper ? 'top' : 'bottom'
    if (has.includes('persistent')) given.persistent = true
    if (has.includes('face')) given.face = direction === 0 ? 'ceiling' : direction === 1 ? 'floor' : 'wall'
    if (has.includes('facing')) {
      const hangs = /wall_(torch|sign)$/.test(name) || (direction > 1 && (name === 'ladder' || has.includes('face')))
      if (hangs) given.facing = FACE_NAMES[direction]
      else given.facing = FACING_PLAYER.test(name) ? BACK[look] : look
    }
    return given
  }

  /**
   * Place the second block of a bed or door.
   * @param {string} name @param {Vec3} at @param {string} look @returns {boolean} whether there is room for the second
   */
  function placeSecond (name, at, look) {
    if (name.endsWith('_bed')) {
      const [dx, , dz] = FACES[FACE_NAMES.indexOf(look)]
      if (!REPLACED.has(world.name(at.x + dx, at.y, at.z + dz))) return false
      world.set(at.x + dx, at.y, at.z + dz, states.state(name, { facing: look, part: 'head' }))
    } else if (name.endsWith('_door')) {
      if (!REPLACED.has(world.name(at.x, at.y + 1, at.z))) return false
      world.set(at.x, at.y + 1, at.z, states.state(name, { facing: look, half: 'upper' }))
    }
    return true
  }

  /** @param {Vec3} at */
  function occupied (at) {
    return Object.values(serv.entities).some(
      ({ kind, type, position: p, width, height }) =>
        (kind === 'mob' || type === 'player') &&
        p.x + width / 2 > at.x + 0.01 &&
        p.x - width / 2 < at.x + 0.99 &&
        p.z + width / 2 > at.z + 0.01 &&
        p.z - width / 2 < at.z + 0.99 &&
        p.y + height > at.y + 0.01 &&
        p.y < at.y + 0.99
    )
  }

  for (const { name } of serv.registry.blocksArray) {
    if (/_door$|_trapdoor$|_fence_gate$/.test(name) && !name.startsWith('iron')) {
      serv.onUse(name, (player, at) => swing(name, at))
    }
  }

  /** @type {(Point & {at: number})[]} */
  const pressed = [] // buttons that will come out again: {x, y, z, at}

  for (const { name } of serv.registry.blocksArray) {
    if (name === 'lever') serv.onUse(name, (player, at) => power(name, at))
    if (name.endsWith('_button')) {
      serv.onUse(name, (player, at) => {
        if (states.properties(world.get(at.x, at.y, at.z)).powered === 'true') return
        power(name, at)
        pressed.push({ x: at.x, y: at.y, z: at.z, at: serv.clock.tick + (/stone/.test(name) ? 20 : 30) })
      })
    }
  }

  serv.onTick((tick) => {
    for (const at of [...pressed]) {
      if (at.at > tick) continue
      pressed.splice(pressed.indexOf(at), 1)
      const name = world.name(at.x, at.y, at.z)
      if (name.endsWith('_button')) power(name, at)
    }
  })

  /**
   * Switch a lever or a button. Nothing is connected to it, since there is no redstone here.
   * @param {string} name @param {{x: number, y: number, z: number}} parts
   */
  function power (name, { x, y, z }) {
    const now = states.properties(world.get(x, y, z))
    world.set(x, y, z, states.state(name, { ...now, powered: now.powered === 'true' ? 'false' : 'true' }))
  }

  /** @param {string} name @param {{x: number, y: number, z: number}} parts */
  function swing (name, { x, y, z }) {
    const now = states.properties(world.get(x, y, z))
    const open = now.open === 'true' ? 'false' : 'true'
    world.set(x, y, z, states.state(name, { ...now, open }))
    const other = now.half === 'lower' ? y + 1 : y - 1
    if (!name.endsWith('_door') || world.name(x, other, z) !== name) return
    world.set(x, other, z, states.state(name, { ...states.properties(world.get(x, other, z)), open }))
  }
}
