'use strict'
/** Say the same thing in each version: the packets of the stand-in whose fields changed with the years. */
const { createRequire } = require('node:module')
const path = require('node:path')
const need = createRequire(path.join(path.resolve(process.env.AUTOCRAFT_NODE_MODULES), 'x.js'))
const nbt = need('prismarine-nbt')

/** @param {any} registry of the version that the server speaks */
module.exports = function forms (registry) {
  const has = (feature) => registry.supportFeature(feature)
  const since = (version) => registry.version['>='](version)
  const Item = need('prismarine-item')(registry)

  /** A text component, as JSON before 1.20.3 and as NBT since. */
  const text = (words) => since('1.20.3') ? nbt.comp({ text: nbt.string(words) }) : JSON.stringify({ text: words })
  const translate = (key) =>
    since('1.20.3') ? nbt.comp({ translate: nbt.string(key) }) : JSON.stringify({ translate: key })

  const login = (entityId) => ({
    ...registry.loginPacket,
    entityId,
    gameMode: 0,
    previousGameMode: since('1.17') ? -1 : 255,
    dimension: registry.loginPacket ? registry.loginPacket.dimension : 0,
    difficulty: 1,
    levelType: 'flat',
    maxPlayers: 20,
    viewDistance: 4,
    simulationDistance: 4,
    reducedDebugInfo: false,
    enforcesSecureChat: false
  })

  const respawn = () => {
    const from = registry.loginPacket || {}
    return {
      ...from,
      dimension: since('1.19') ? (from.worldType || from.dimension) : from.dimension ?? 0,
      worldState: from.worldState,
      difficulty: 1,
      gamemode: 0,
      previousGamemode: 255,
      levelType: 'flat',
      copyMetadata: has('segmentedRegistryCodecData') ? 0 : false,
      isFlat: true,
      isDebug: false,
      portalCooldown: 0
    }
  }

  /** A teleport, which the client has to confirm since 1.9. */
  const position = (at, teleportId) => ({
    ...at, dx: 0, dy: 0, dz: 0, yaw: 0, pitch: 0, flags: since('1.21.2') ? {} : 0, teleportId, dismountVehicle: false
  })

  const column = (x, z, chunk) => {
    const heightmaps = since('1.21.5') ? [] : nbt.comp({ MOTION_BLOCKING: nbt.longArray(new Array(36).fill([0, 0])) })
    const light = chunk.dumpLight ? chunk.dumpLight() : null
    const tall = has('tallWorld')
    return [
      [
        'map_chunk',
        {
          x,
          z,
          heightmaps,
          trustEdges: true,
          suppressLightUpdates: true,
          groundUp: true,
          ignoreOldData: true,
          blockEntities: [],
          bitMap: tall ? undefined : chunk.getMask(),
          biomes: !tall && chunk.dumpBiomes ? chunk.dumpBiomes() : undefined,
          chunkData: chunk.dump(),
          ...(tall ? light : {})
        }
      ],
      ...(tall || !light || !since('1.14')
        ? []
        : [
            [
              'update_light',
              {
                chunkX: x,
                chunkZ: z,
                trustEdges: true,
                ...(has('newLightingDataFormat')
                  ? light
                  : {
                      skyLightMask: chunk.skyLightMask,
                      blockLightMask: chunk.blockLightMask,
                      emptySkyLightMask: 0,
                      emptyBlockLightMask: 0,
                      data: light
                    })
              }
            ]
          ])
    ]
  }

  /** The time of day; since 26.1 it is that of the first of several clocks. */
  const time = (ticks) => ['update_time', {
    age: BigInt(ticks),
    time: BigInt(ticks % 24000),
    tickDayTime: true,
    clockUpdates: [{ id: 0, totalTicks: ticks % 24000, partialTick: 0, rate: 1 }]
  }]

  /** Somebody's words, as the game tells them; `uuid` is the speaker's. */
  const chat = (uuid, name, words) => {
    if (!since('1.19')) {
      return [
        'chat',
        {
          message: JSON.stringify({ translate: 'chat.type.text', with: [{ text: name }, words] }),
          position: 0,
          sender: uuid
        }
      ]
    }
    const type = since('1.21') ? { chatType: 0, registryIndex: 1 } : 0
    return [
      'player_chat',
      {
        globalIndex: 0, senderUuid: uuid, index: 0, signature: undefined, plainMessage: words,
        timestamp: BigInt(Date.now()), salt: 0n, previousMessages: [], unsignedChatContent: undefined, filterType: 0,
        filterTypeMask: undefined, type, networkName: text(name), networkTargetName: undefined
      }
    ]
  }

  /** A line of the server itself. */
  const told = (words) =>
    since('1.19')
      ? ['system_chat', { content: text(words), isActionBar: false }]
      : ['chat', { message: text(words), position: 1, sender: '0' }]

  const listed = (uuid, name) => ['player_info', since('1.19.3')
    ? {
        action: { add_player: true, update_game_mode: true, update_listed: true },
        data: [{ uuid, player: { name, properties: [] }, gamemode: 0, listed: 1 }]
      }
    : { action: 'add_player', data: [{ uuid, name, properties: [], gamemode: 0, ping: 0 }] }]

  /** An entity that appears. @param {{id: number, name: string, at: any, item?: any}} entity */
  const spawn = ({ id, name, at, item }) => {
    const fixed = registry.version['<']('1.9')
      ? { x: Math.floor(at.x * 32), y: Math.floor(at.y * 32), z: Math.floor(at.z * 32) }
      : { x: at.x, y: at.y, z: at.z }
    const known = registry.entitiesByName[name] || registry.entitiesByName[name[0].toUpperCase() + name.slice(1)]
    const uuid = `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`
    const velocity = { x: 0, y: 0, z: 0 }
    const packet = {
      entityId: id,
      entityUUID: uuid,
      objectUUID: uuid,
      type: known ? known.id : 2,
      ...fixed,
      yaw: 0,
      pitch: 0,
      headPitch: 0,
      objectData: item ? 1 : 0,
      velocity,
      metadata: []
    }
    if (item && registry.version['<']('1.14')) packet.type = 2
    const first = [[!item && !since('1.19') ? 'spawn_entity_living' : 'spawn_entity', packet]]
    if (!item) return first
    const type = since('1.19.4') ? 'item_stack' : registry.version['<']('1.13') ? 5 : 6
    return [
      ...first,
      [
        'entity_metadata',
        { entityId: id, metadata: [{ key: has('metadataIxOfItem'), type, value: Item.toNotch(item) }] }
      ]
    ]
  }

  const slot = (windowId, stateId, slot, item) => ['set_slot', { windowId, stateId, slot, item: Item.toNotch(item) }]
  const slots = (windowId, stateId, items, carried) => [
    'window_items',
    { windowId, stateId, items: items.map((item) => Item.toNotch(item)), carriedItem: Item.toNotch(carried) }
  ]

  /** A window that opens; `kind` is chest, crafting or furnace. */
  const open = (windowId, kind) => {
    const old = {
      chest: ['minecraft:chest', 27],
      crafting: ['minecraft:crafting_table', 0],
      furnace: ['minecraft:furnace', 3]
    }[kind]
    const later = since('1.20.3') ? 1 : 0 // a kind was put in before these
    const today = { chest: 2, crafting: 11 + later, furnace: 13 + later }[kind]
    return [
      'open_window',
      { windowId, inventoryType: since('1.14') ? today : old[0], slotCount: old[1], windowTitle: text(kind) }
    ]
  }

  const kill = (id) => ['entity_destroy', { entityIds: [id] }]
  const died = (id) =>
    since('1.17') ? [['death_combat_event', { playerId: id, entityId: -1, message: text('died') }]] : []

  return {
    Item, has, since, translate, login, respawn, position, column, time, chat, told, listed, spawn, slot, slots, open, kill,
    died
  }
}
module.exports.need = need
