'use strict'
/** Let players join and leave, and tell them what this world is. */
const { EventEmitter } = require('node:events')
const { Vec3 } = require('../../shared/need')('vec3')
const { Inbox } = require('../inbox')

const NOTICE =
  'This is the practice world of autocraft, not vanilla Minecraft: ' +
  'what it does and does not do stands in docs/practice_server.md.'

/** @param {Serv} serv @param {ServerOptions} options */
module.exports = function inject (serv, options) {
  serv.players = []
  serv.uuidToPlayer = {}
  serv.entities = {}
  serv.lastId = 0
  serv.kept = {} // players who left, by uuid
  const spawn = new Vec3(...serv.world.generator.spawn())
  serv.spawn = spawn.offset(0.5, 0, 0.5)
  serv.getPlayer = (name) => serv.players.find((player) => player.username === name) ?? null

  // minecraft-protocol ends the connection of such a client without a message, but lets it join.
  serv.protocol.on('connection', (/** @type {Client} */ client) => {
    client.prependOnceListener('set_protocol', ({ protocolVersion, nextState }) => {
      if (nextState !== 2 || protocolVersion === serv.protocol.mcversion.version) return
      const spoken = serv.protocol.mcversion.minecraftVersion
      client.removeAllListeners('login_start')
      client.state = 'login'
      client.end(`This practice server speaks Minecraft ${spoken}: join it with that version.`)
    })
  })

  serv.protocol.on('playerJoin', (/** @type {Client} */ client) => {
    const older = serv.uuidToPlayer[client.uuid]
    if (older) { // as in Minecraft, the newer login stays
      older._client.end('logged in again', JSON.stringify({ translate: 'multiplayer.disconnect.duplicate_login' }))
      leave(older)
    }
    const player = /** @type {any} */ (new EventEmitter())
    Object.assign(player, {
      _client: client, type: 'player', id: ++serv.lastId, username: client.username, uuid: client.uuid,
      world: 'overworld', gameMode: 0, position: serv.spawn.clone(), yaw: 0, pitch: 0, onGround: true, width: 0.6,
      height: 1.8
    })
    player.setMaxListeners(0)
    client.setMaxListeners(0)
    player.inbox = new Inbox(client, () => serv.clock.frozen)
    serv.equip(player)
    serv.emit('newPlayer', player)
    restore(player)
    serv.players.push(player)
    serv.uuidToPlayer[player.uuid] = player
    serv.entities[player.id] = player
    client.on('end', () => leave(player))
    enter(player)
    serv.emit('joined', player)
    serv.clock.poke()
  })

  /** @param {Player} player */
  function restore (player) {
    const kept = serv.kept[player.uuid]
    if (!kept) return
    const [x, y, z] = kept.position
    player.position = new Vec3(x, y, z)
    serv.emit('restorePlayer', player, kept)
  }

  /** @param {Player} player */
  function enter (player) {
    const client = player._client
    client.write('login', {
      ...serv.registry.loginPacket,
      entityId: player.id,
      isHardcore: false,
      gameMode: 0,
      previousGameMode: 255,
      worldNames: ['minecraft:overworld'],
      worldName: 'minecraft:overworld',
      hashedSeed: [0, serv.world.seed | 0], // by which a client tells one world from another
      maxPlayers: 20,
      viewDistance: options.distance,
      reducedDebugInfo: false,
      enableRespawnScreen: true,
      isDebug: false,
      isFlat: false
    })
    client.write('difficulty', { difficulty: 2, difficultyLocked: false })
    client.write('custom_payload', { channel: 'minecraft:brand', data: Buffer.from('\x12autocraft practice') })
    client.write('abilities', { flags: 0, flyingSpeed: 0.05, walkingSpeed: 0.1 })
    client.write('spawn_position', { location: player.bed ?? spawn })
    client.write('held_item_slot', { slot: player.held })
    listPlayers(player)
    serv.sendTime(player)
    player.sendFirstColumns()
    player.sendInventory()
    player.sendHealth()
    player.sendOwnPosition()
    player.system(NOTICE)
    serv.broadcast(`${player.username} joined the practice world.`)
  }

  /** @param {Player} player */
  function listPlayers (player) {
    /** @param {Player} p */
    const entry = (p) => ({
      uuid: p.uuid,
      name: p.username,
      properties: /** @type {object[]} */ ([]),
      gamemode: 0,
      ping: 0
    })
    player._client.write('player_info', { action: 'add_player', data: serv.players.map(entry) })
    player.writeOthers('player_info', { action: 'add_player', data: [entry(player)] })
  }

  /** @param {Player} player */
  function leave (player) {
    const at = serv.players.indexOf(player)
    if (at < 0) return
    serv.emit('leaving', player)
    serv.keepPlayer(player)
    serv.players.splice(at, 1)
    delete serv.uuidToPlayer[player.uuid]
    delete serv.entities[player.id]
    serv.writeAll('player_info', { action: 'remove_player', data: [{ uuid: player.uuid }] })
    serv.emit('left', player)
    serv.clock.poke()
  }

  /** Remember a player for the next time. Plug-ins add their part on the event `keepPlayer`. */
  serv.keepPlayer = (player) => {
    const kept = { position: player.position.toArray() }
    serv.emit('keepPlayer', player, kept)
    serv.kept[player.uuid] = kept
  }
}
