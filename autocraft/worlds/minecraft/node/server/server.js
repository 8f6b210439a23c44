'use strict'
// Puts the practice server together: flying-squid gives the frame (the server object, chat, commands), the plug-ins
// in plugins/ do everything that concerns the world. flying-squid's own world plug-ins are left out: they read the
// wall clock, wait in the middle of a tick, and leave survival out.
const { EventEmitter } = require('events')
const need = require('./packages')
const { Clock } = require('./clock')

const VERSION = '1.16.5'
const MOTD = 'autocraft practice world (not vanilla)'
const FRAME = ['behavior', 'communication', 'commands', 'chat']
/** In this order they are loaded, and each tick runs through them. */
const OURS = [
  'world', 'storage', 'lockstep', 'daytime', 'join', 'movement', 'tracker', 'items', 'using', 'crafting', 'inventory', 'chests',
  'furnace', 'support', 'digging', 'health', 'handling', 'fishing', 'fighting', 'mobs', 'growth', 'beds', 'cheats', 'columns'
]

/**
 * @param {object} options of options.js @param {(text: string) => void} log
 * @returns {Promise<object>} the server, listening, its clock running
 * @throws {Error} one line when the folder cannot be used or the port is taken
 */
async function startServer (options, log) {
  const frame = need('flying-squid/src/lib/plugins')
  const framePlugins = FRAME.map(name => need(`flying-squid/src/lib/plugins/${name}`))
  const inject = (serv) => prepare(serv, options, framePlugins, log)
  frame.initPlugins = () => { frame.builtinPlugins = [{ server: inject }] }
  const { createMCServer } = need('flying-squid')
  const serv = createMCServer({
    host: '127.0.0.1', port: options.port, version: VERSION, motd: MOTD, 'online-mode': false, 'max-players': 20, kickTimeout: 60000,
    checkTimeoutInterval: 5000, hideErrors: true, errorHandler: (client, error) => { log(`client: ${error.message}`); client.end('You sent something this practice server does not understand.') }
  })
  if (serv.broken) throw serv.broken
  await new Promise((resolve, reject) => {
    serv.once('listening', resolve)
    serv.once('error', error => reject(error.code === 'EADDRINUSE' ? new Error(`port ${options.port} is in use; name another, or 0 for any free one`) : error))
  })
  serv.on('error', error => log(`server: ${error.message}`))
  serv.clock.run()
  return serv
}

function prepare (serv, options, framePlugins, log) {
  const ticks = []
  serv.setMaxListeners(0) // each plug-in listens for new players
  serv.framePlugins = framePlugins
  serv.info = serv.warn = serv.err = serv.log = log
  serv.onTick = (action) => ticks.push(action)
  serv.clock = new Clock({
    speed: options.speed,
    frozen: options.freeze,
    ready: () => serv.playersReady(),
    step: (tick) => {
      for (const player of serv.players) gather(player._client.socket)
      for (const player of [...serv.players]) player.inbox.handle(error => refuse(player, error))
      for (const action of ticks) attempt(() => action(tick))
      serv.showEntities()
      serv.sendTick(tick)
    },
    failed: (error) => log(`tick: ${error.stack}`)
  })
  const attempt = (action) => {
    try {
      action()
    } catch (error) {
      log(`tick: ${error.stack}`)
    }
  }
  const refuse = (player, error) => {
    log(`${player.username}: ${error.stack}`)
    player._client.end('You sent something this practice server cannot handle.')
  }
  try {
    for (const plugin of framePlugins) plugin.server?.(serv, options)
    for (const name of OURS) require(`./plugins/${name}`)(serv, options)
    serv.restore?.()
  } catch (error) {
    serv.broken = error
  }
}

/** Lets what a tick writes to a connection leave in one piece: one system call instead of one per packet. */
function gather (socket) {
  socket.cork()
  setImmediate(() => socket.uncork())
}

/** Saves and closes everything. */
async function stopServer (serv) {
  serv.clock.stop()
  serv.save()
  serv.unlock()
  for (const player of [...serv.players]) player._client.end('The practice server stops.')
  const closed = EventEmitter.once(serv._server, 'close').catch(() => {})
  serv._server.close()
  await Promise.race([closed, new Promise(resolve => setTimeout(resolve, 500))])
}

module.exports = { startServer, stopServer, VERSION }
