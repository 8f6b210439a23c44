'use strict'
/** Show every player the entities around: how they appear, move and vanish, once per tick, after everything else. */
const { hash } = require('../random')

const FAR = 64 // blocks
const METADATA_ITEM = 7
const TYPE_SLOT = 6

/** @param {Serv} serv */
module.exports = function inject (serv) {
  /** Add an entity to the world. */
  serv.addEntity = (parts) => {
    const info = serv.registry.entitiesByName[parts.name]
    const id = ++serv.lastId
    const entity = {
      id,
      uuid: uuid(serv.world.seed, id),
      typeId: info.id,
      width: info.width,
      height: info.height,
      yaw: 0,
      pitch: 0,
      onGround: false,
      age: 0,
      world: 'overworld',
      ...parts
    }
    serv.entities[id] = entity
    return entity
  }

  serv.removeEntity = (entity) => { delete serv.entities[entity.id] }

  serv.tellNear = (entity, packet, fields) => {
    for (const player of serv.players) {
      if (player === entity || player.seen.has(entity.id)) player._client.write(packet, fields)
    }
  }

  serv.on('newPlayer', (player) => { player.seen = new Map() })

  serv.showEntities = () => {
    for (const player of serv.players) {
      for (const entity of Object.values(serv.entities)) {
        if (entity === player) continue
        const near =
          entity.position.distanceTo(player.position) < FAR && !(entity.type === 'player' && entity.health <= 0)
        const known = player.seen.get(entity.id)
        if (near && known) follow(player._client, entity, known)
        else if (near) appear(player, entity)
      }
      const gone = [...player.seen.keys()].filter((id) => {
        const entity = serv.entities[id]
        return (
          !entity ||
          entity.position.distanceTo(player.position) >= FAR ||
          (entity.type === 'player' && entity.health <= 0)
        )
      })
      if (gone.length === 0) continue
      gone.forEach((id) => player.seen.delete(id))
      player._client.write('entity_destroy', { entityIds: gone })
    }
  }

  /** @param {Player} player @param {Being} entity */
  function appear (player, entity) {
    const { x, y, z } = entity.position
    const common = { entityId: entity.id, x, y, z, yaw: angle(entity.yaw), pitch: angle(entity.pitch) }
    player.seen.set(entity.id, { x, y, z, yaw: entity.yaw })
    if (entity.type === 'player') {
      player._client.write('named_entity_spawn', { ...common, playerUUID: entity.uuid })
    } else if (entity.kind === 'mob') {
      player._client.write('spawn_entity_living', {
        ...common,
        entityUUID: entity.uuid,
        type: entity.typeId,
        headPitch: angle(entity.yaw),
        velocity: { x: 0, y: 0, z: 0 }
      })
    } else {
      player._client.write('spawn_entity', {
        ...common,
        objectUUID: entity.uuid,
        type: entity.typeId,
        objectData: entity.owner ?? 1,
        velocity: { x: 0, y: 0, z: 0 }
      })
      if (entity.stack) {
        player._client.write('entity_metadata', {
          entityId: entity.id,
          metadata: [{ key: METADATA_ITEM, type: TYPE_SLOT, value: serv.stacks.wire(entity.stack) }]
        })
      }
    }
  }

  /** @param {Client} client @param {Being} entity @param {Point & {yaw: number}} known */
  function follow (client, entity, known) {
    const { x, y, z } = entity.position
    if (x === known.x && y === known.y && z === known.z && entity.yaw === known.yaw) return
    client.write('entity_teleport', {
      entityId: entity.id, x, y, z, yaw: angle(entity.yaw), pitch: angle(entity.pitch),
      onGround: Boolean(entity.onGround)
    })
    if (entity.yaw !== known.yaw) {
      client.write('entity_head_rotation', { entityId: entity.id, headYaw: angle(entity.yaw) })
    }
    Object.assign(known, { x, y, z, yaw: entity.yaw })
  }
}

/** Return degrees as the protocol's signed byte. @param {number} degrees */
function angle (degrees) {
  return ((Math.floor(degrees * 256 / 360) & 255) << 24) >> 24
}

/** @param {number} seed @param {number} id */
function uuid (seed, id) {
  /** @param {number} i */
  const part = (i) => hash(seed, id, i).toString(16).padStart(8, '0')
  const digits = part(1) + part(2) + part(3) + part(4)
  const [first, second] = [digits.slice(0, 8), digits.slice(8, 12)]
  return `${first}-${second}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`
}
