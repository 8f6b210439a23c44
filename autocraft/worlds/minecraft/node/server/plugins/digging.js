'use strict'
/** Break blocks: in the time that block and tool require, with the drops of the right tool, and with wear. */
const need = require('../../shared/need')
const { drops } = require('../tables/drops')

const { Vec3 } = need('vec3')

const REACH = 6 // blocks from the eyes to the middle of the block, as a Minecraft server allows
const ENOUGH = 0.7 // of the time, when the client says that it has finished, as a Minecraft server allows
const EYES = 1.62

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const Block = need('prismarine-block')(serv.registry)
  const random = serv.random('drops')
  const items = new Set(serv.registry.itemsArray.map((item) => item.name))

  /** @param {Player} player @param {number} state @returns {number} ticks, Infinity for what cannot be broken */
  function digTicks (player, state) {
    const block = Block.fromStateId(state, 0)
    if (!block.diggable) return Infinity
    const inWater = serv.blockAtEyes(player) === 'water'
    const ms = block.digTime(serv.stacks.id(player.inHand()), false, inWater, !player.onGround, [], {})
    return Math.ceil(ms / 50)
  }

  /** Break a block, without or with a player: put air in its place, and drop its items. */
  serv.breakBlock = (x, y, z, { tool = null, dropping = true } = {}) => {
    const state = serv.world.get(x, y, z)
    const block = serv.states.block(state)
    const right = !block.harvestTools || (tool && block.harvestTools[serv.stacks.idOf(tool.name)])
    const wet = block.name === 'seagrass' || block.name.startsWith('kelp')
    serv.world.set(x, y, z, wet ? serv.states.state('water') : 0)
    if (!dropping || !right) return
    for (const stack of drops(block, serv.states.properties(state), tool?.name ?? '', random, items)) {
      serv.dropItem({ x: x + 0.5, y: y + 0.25, z: z + 0.5 }, stack)
    }
  }

  /** Wear the tool in the hand. It breaks when it is used up. */
  serv.wearHeld = (player, points) => {
    const tool = player.inHand()
    if (!tool || !serv.stacks.durability(tool) || points === 0) return
    const wear = (tool.wear ?? 0) + points
    const broken = wear >= serv.stacks.durability(tool)
    player.setSlot(36 + player.held, broken ? null : { ...tool, wear })
    if (broken) serv.tellNear(player, 'entity_status', { entityId: player.id, entityStatus: 47 })
  }

  /** @param {string} name */
  const isTool = (name) => /_(pickaxe|axe|shovel|hoe)$/.test(name) || name === 'shears'

  serv.on('newPlayer', (player) => {
    /** @type {(Point & {state: number, since: number, asked: boolean}) | null} */
    let job = null // {x, y, z, state, since, asked}

    player._client.on('block_dig', ({ status, location }) => {
      if (status > 2) return
      const { x, y, z } = location
      if (status === 1) { job = null; return }
      const state = serv.world.get(x, y, z)
      if (!mayDig(x, y, z)) return putBack(location, state)
      if (status === 0) {
        job = { x, y, z, state, since: serv.clock.tick, asked: false }
        if (digTicks(player, state) === 0) finish()
      } else if (job && job.x === x && job.y === y && job.z === z) {
        job.asked = true
        tryFinish(ENOUGH)
      } else {
        putBack(location, state)
      }
    })

    /** @param {number} x @param {number} y @param {number} z */
    function mayDig (x, y, z) {
      return (
        player.health > 0 &&
        y >= 0 &&
        y < 256 &&
        player.position.offset(0, EYES, 0).distanceTo(new Vec3(x + 0.5, y + 0.5, z + 0.5)) <= REACH
      )
    }

    /** @param {Point} location @param {number} state */
    function putBack (location, state) {
      player._client.write('acknowledge_player_digging', { location, block: state, status: 2, successful: false })
      player._client.write('block_change', { location, type: state })
    }

    /** @param {number} share */
    function tryFinish (share) {
      if (!job) return
      if (serv.world.get(job.x, job.y, job.z) !== job.state) { job = null; return }
      if (serv.clock.tick - job.since + 1 >= digTicks(player, job.state) * share) finish()
    }

    function finish () {
      if (!job) return
      const { x, y, z, state } = job
      job = null
      const block = serv.states.block(state)
      serv.breakBlock(x, y, z, { tool: player.inHand() })
      serv.tire(player, 0.005)
      const name = player.inHand()?.name ?? ''
      if ((block.hardness ?? 0) > 0) serv.wearHeld(player, isTool(name) ? 1 : name.endsWith('_sword') ? 2 : 0)
      player._client.write('acknowledge_player_digging', {
        location: { x, y, z }, block: 0, status: 2, successful: true
      })
      player._client.write('block_change', { location: { x, y, z }, type: serv.world.get(x, y, z) })
    }

    player.continueDigging = () => { if (job?.asked) tryFinish(1) }
  })

  serv.onTick(() => serv.players.forEach((player) => player.continueDigging()))
}
