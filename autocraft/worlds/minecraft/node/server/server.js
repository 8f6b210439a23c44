'use strict'
/**
 * Assemble the practice server: frame.js has connections, chat and commands, and the plug-ins in plugins/ do everything
 * that concerns the world.
 */
const { EventEmitter } = require('node:events')
const { Clock } = require('./clock')
const { createFrame } = require('./frame')

const VERSION = '1.16.5'
const MOTD = 'autocraft practice world (not vanilla)'
/** The plug-ins, in the order in which they are loaded and in which each tick runs through them. */
const OURS = [
  'world', 'storage', 'lockstep', 'daytime', 'join', 'movement', 'tracker', 'items', 'using', 'crafting', 'inventory',
  'chests', 'furnace', 'support', 'digging', 'health', 'handling', 'fishing', 'fighting', 'animals', 'mobs', 'growth',
  'beds', 'cheats', 'columns'
]

/**
 * @param {ServerOptions} options @param {(text: string) => void} log
 * @returns {Promise<Serv>} the server, listening, its clock running
 * @throws {Error} one line when the folder cannot be used or the port is taken
 */
async function startServer (options, log) {
  const serv = createFrame({
    port: options.port,
    version: VERSION,
    motd: MOTD,
    'online-mode': false,
    'max-players': 20,
    kickTimeout: 60000,
    checkTimeoutInterval: 5000,
    hideErrors: true,
    errorHandler: (/** @type {Client} */ client, /** @type {Error} */ error) => {
      log(`client: ${error.message}`)
      client.end('You sent something this practice server does not understand.')
    }
  })
  prepare(serv, options, log)
  await new Promise((resolve, reject) => {
    serv.once('listening', resolve)
    serv.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${options.port} is in use; name another, or 0 for any free one`)
          : error
      )
    )
  })
  serv.on('error', (error) => log(`server: ${error.message}`))
  void serv.clock.run()
  return serv
}

/** @param {Serv} serv @param {ServerOptions} options @param {(text: string) => void} log */
function prepare (serv, options, log) {
  /** @type {((tick: number) => void)[]} */
  const ticks = []
  serv.log = log
  /** @param {any} action */
  serv.onTick = (action) => ticks.push(action)
  serv.clock = new Clock({
    speed: options.speed,
    frozen: options.freeze,
    ready: () => serv.playersReady(),
    step: (tick) => {
      for (const player of serv.players) gather(player._client.socket)
      for (const player of [...serv.players]) player.inbox.handle((error) => refuse(player, error))
      for (const action of ticks) attempt(() => action(tick))
      serv.showEntities()
      serv.sendTick(tick)
    },
    failed: (error) => log(`tick: ${error.stack}`)
  })
  /** @param {any} action */
  const attempt = (action) => {
    try {
      action()
    } catch (error) {
      log(`tick: ${error.stack}`)
    }
  }
  /** @param {Player} player @param {Error & { code?: string }} error */
  const refuse = (player, error) => {
    log(`${player.username}: ${error.stack}`)
    player._client.end('You sent something this practice server cannot handle.')
  }
  for (const name of OURS) require(`./plugins/${name}`)(serv, options)
  serv.restore?.()
}

/**
 * Send what a tick writes to a connection in one piece: with one system call instead of one per packet.
 * @param {import('node:net').Socket} socket
 */
function gather (socket) {
  socket.cork()
  setImmediate(() => socket.uncork())
}

/** Save and close everything. @param {Serv} serv */
async function stopServer (serv) {
  serv.clock.stop()
  await serv.save()
  for (const player of [...serv.players]) player._client.end('The practice server stops.')
  const closed = EventEmitter.once(serv.protocol, 'close').catch(() => {})
  serv.protocol.close()
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500))])
}

module.exports = { startServer, stopServer, VERSION }
