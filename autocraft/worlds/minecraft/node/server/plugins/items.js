'use strict'
/** Keep items on the ground: they fall, lie for five minutes, join equal ones, burn in lava, and are picked up. */
const { Vec3 } = require('../../shared/need')('vec3')
const { move } = require('../body')

const LIFE = 6000 // ticks
const WAIT_DROPPED = 10
const WAIT_THROWN = 40
const JOIN_WITHIN = 0.8 // blocks
const EYES = 1.62

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const random = serv.random('items')
  const items = () => Object.values(serv.entities).filter((entity) => entity.kind === 'item')

  /** @param {Vec3} position @param {Vec3} velocity @param {Stack} stack @param {number} wait */
  function add (position, velocity, stack, wait) {
    return serv.addEntity({ kind: 'item', name: 'item', position, velocity, stack: { ...stack }, wait })
  }

  /** Drop a stack at a place, with a small hop. */
  serv.dropItem = ({ x, y, z }, stack) => {
    const velocity = new Vec3(random.next() * 0.1 - 0.05, 0.1, random.next() * 0.1 - 0.05)
    return add(new Vec3(x, y, z), velocity, stack, WAIT_DROPPED)
  }

  /** Throw a stack ahead of a player. */
  serv.throwItem = (player, stack) => {
    const yaw = player.yaw * Math.PI / 180
    const velocity = new Vec3(-Math.sin(yaw) * 0.3, 0.1, Math.cos(yaw) * 0.3)
    add(player.position.offset(0, EYES - 0.3, 0), velocity, stack, WAIT_THROWN)
  }

  serv.onTick(() => {
    for (const item of items()) {
      if (serv.entities[item.id]) tick(item)
    }
  })

  /** @param {Drop} item */
  function tick (item) {
    item.age++
    const { x, y, z } = item.position
    const inBlock = serv.world.name(Math.floor(x), Math.floor(y), Math.floor(z))
    if (item.age > LIFE || y < -10 || inBlock === 'lava' || inBlock === 'fire') return serv.removeEntity(item)
    if (inBlock === 'water') item.velocity.y = Math.min(item.velocity.y + 0.1, 0.06)
    if (!(
      item.onGround &&
      item.velocity.x === 0 &&
      item.velocity.z === 0 &&
      serv.world.solidAt(Math.floor(x), Math.ceil(y) - 1, Math.floor(z))
    )) {
      move(serv.world, item, { gravity: 0.04 })
      const slow = item.onGround ? 0.5 : 0.98
      for (const axis of /** @type {const} */ (['x', 'z'])) {
        item.velocity[axis] = Math.abs(item.velocity[axis]) < 0.003 ? 0 : item.velocity[axis] * slow
      }
    }
    if (item.age % 10 === 0) join(item)
    if (item.wait > 0) item.wait--
    else pickUp(item)
  }

  /** @param {Drop} item */
  function join (item) {
    for (const other of items()) {
      if (other === item || other.id < item.id || other.position.distanceTo(item.position) > JOIN_WITHIN) continue
      if (
        !serv.stacks.same(other.stack, item.stack) ||
        other.stack.count + item.stack.count > serv.stacks.stackSize(item.stack)
      ) {
        continue
      }
      item.stack.count += other.stack.count
      item.wait = Math.max(item.wait, other.wait)
      serv.removeEntity(other)
      showCount(item)
    }
  }

  /** @param {Drop} item */
  function pickUp (item) {
    for (const player of serv.players) {
      const dx = Math.abs(item.position.x - player.position.x)
      const dz = Math.abs(item.position.z - player.position.z)
      const dy = item.position.y - player.position.y
      if (player.health <= 0 || dx > 1.425 || dz > 1.425 || dy < -0.75 || dy > 2.3) continue
      const left = player.give(item.stack)
      const taken = item.stack.count - left
      if (taken === 0) continue
      serv.tellNear(item, 'collect', {
        collectedEntityId: item.id,
        collectorEntityId: player.id,
        pickupItemCount: taken
      })
      if (left === 0) return serv.removeEntity(item)
      item.stack.count = left
      showCount(item)
    }
  }

  /** @param {Drop} item */
  function showCount (item) {
    serv.tellNear(item, 'entity_metadata', {
      entityId: item.id,
      metadata: [{ key: 7, type: 6, value: serv.stacks.wire(item.stack) }]
    })
  }

  serv.on('newPlayer', (player) => {
    player._client.on('block_dig', ({ status }) => {
      const held = player.inHand()
      if ((status !== 3 && status !== 4) || !held || player.health <= 0) return
      const count = status === 4 ? 1 : held.count
      serv.throwItem(player, { ...held, count })
      player.spendHeld(count)
    })
  })
}
