'use strict'
/** Keep track of where players are. The client moves itself, as in Minecraft; an impossible move is undone. */
const { Vec3 } = require('../../shared/need')('vec3')

const FARTHEST = 10 // blocks in one packet
/** Names of the protocol's numbers. minecraft-protocol gives a name instead of a number if it knows it. */
const ACTIONS = ['start_sneaking', 'stop_sneaking', 'stop_sleeping', 'start_sprinting', 'stop_sprinting']

/** @param {Serv} serv */
module.exports = function inject (serv) {
  serv.on('newPlayer', (player) => {
    player.sprinting = false
    player.crouching = false

    /**
     * The number of the last teleport of this client, and whether the client has confirmed it. Positions that it sends
     * before belong to its old place.
     */
    let teleportId = 0
    let arrived = false

    player.sendOwnPosition = () => {
      const { x, y, z } = player.position
      teleportId++
      arrived = false
      player._client.write('position', { x, y, z, yaw: player.yaw, pitch: player.pitch, flags: 0, teleportId })
    }
    player._client.on('teleport_confirm', (packet) => { if (packet.teleportId === teleportId) arrived = true })

    player.teleport = (position) => {
      player.position = position.clone()
      player.fallen = 0
      player.sendOwnPosition()
    }

    /** @param {{x: number, y: number, z: number, onGround: boolean}} parts */
    function move ({ x, y, z, onGround }) {
      if (player.health <= 0 || !arrived) return
      const to = new Vec3(x, y, z)
      if (![x, y, z].every((v) => Number.isFinite(v) && Math.abs(v) < 3e7)) {
        return player._client.end('You sent a position that is not a number.')
      }
      if (to.distanceTo(player.position) > FARTHEST) return player.sendOwnPosition()
      const from = player.position
      const wasOnGround = player.onGround
      player.position = to
      player.onGround = Boolean(onGround)
      player.emit('moved', from, wasOnGround)
    }

    /** @param {{yaw: number, pitch: number, onGround: boolean}} parts */
    function look ({ yaw, pitch, onGround }) {
      if (!Number.isFinite(yaw) || !Number.isFinite(pitch)) return
      player.yaw = yaw
      player.pitch = pitch
      player.onGround = Boolean(onGround)
    }

    player._client.on('position', move)
    player._client.on('look', look)
    player._client.on('position_look', (packet) => {
      look({ ...packet, onGround: player.onGround })
      move(packet)
    })
    player._client.on('flying', ({ onGround }) => move({ ...player.position, onGround }))
    player._client.on('arm_animation', () => player.writeOthers('animation', { entityId: player.id, animation: 0 }))
    player._client.on('entity_action', ({ actionId }) => {
      const action = ACTIONS[actionId] ?? actionId
      if (/_sneaking$/.test(action)) player.crouching = action === 'start_sneaking'
      if (/_sprinting$/.test(action)) player.sprinting = action === 'start_sprinting'
      if (action === 'stop_sleeping') player.emit('wake')
    })
  })
}
