'use strict'
/**
 * Run the practice server as a child process. It speaks the lines of `../shared/lines.js`: `start` with the options,
 * then the requests of ACTIONS. See node/README.md.
 */
const { Fault } = require('../shared/fault')
const { lineOf, log, send, serve } = require('../shared/lines')
const cut = require('../shared/cut')
const { watch } = require('../shared/watchdog')
const { readOptions, checkOption } = require('./options')

const MOST_TICKS = 1000000
/** The server, from its start on. @type {Promise<Serv> | null} */
let starting = null
let leaving = false

/** @param {Request} request */
async function carryOut ({ method, params }) {
  if (method === 'start') return start(params)
  if (!starting) throw new Fault('it has not started: send start first', 'invalid')
  const serv = await starting
  if (!Object.hasOwn(ACTIONS, method)) {
    const known = Object.keys(ACTIONS).join(', ')
    throw new Fault(`no request is called ${cut(method, 40)}; there are: ${known}`, 'invalid')
  }
  return ACTIONS[method](serv, params)
}

/** @param {object} params the options */
async function start (params) {
  if (starting) throw new Fault('it has started already', 'invalid')
  const { startServer, VERSION } = require('./server')
  try {
    starting = startServer(readOptions(params), log)
    const serv = await starting
    serv.on('joined', (player) => send({ event: 'joined', username: player.username }))
    serv.on('left', (player) => send({ event: 'left', username: player.username }))
    serv.on('notSaved', (error) => send({ event: 'notSaved', error: lineOf(error) }))
    return { port: serv.listeningPort, version: VERSION }
  } catch (error) {
    starting = null
    setImmediate(() => process.exit(1)) // after the answer is sent
    throw error
  }
}

/** Save the world, stop the server, and end the process. */
async function leave () {
  if (leaving) return
  leaving = true
  try {
    if (starting) await require('./server').stopServer(await starting)
  } catch (error) {
    send({ event: 'notSaved', error: lineOf(error) })
    process.exit(1)
  }
  send({ event: 'stopped' })
  process.exit(0)
}

/** @type {Record<string, (serv: Serv, params: any) => unknown>} */
const ACTIONS = {
  /** @param {Serv} serv */
  freeze: (serv) => { serv.clock.freeze(); return state(serv) },
  /** @param {Serv} serv */
  thaw: (serv) => { serv.clock.thaw(); return state(serv) },
  /** @param {Serv} serv @param {{speed: number}} parts */
  speed: (serv, { speed }) => { checkOption('speed', speed); serv.clock.setSpeed(speed); return state(serv) },
  /** @param {Serv} serv */
  tick: async (serv, { n = 1 }) => {
    if (!Number.isInteger(n) || n < 1 || n > MOST_TICKS) {
      throw new Fault(`n must be a number of ticks from 1 to ${MOST_TICKS}`, 'invalid')
    }
    if (!serv.clock.frozen) throw new Fault('single ticks need a frozen world; freeze it first')
    if (serv.players.length === 0) throw new Fault('the world stands still while nobody is in it; join first')
    return { tick: await serv.clock.advance(n) }
  },
  /** @param {Serv} serv */
  save: async (serv) => { await serv.save(); send({ event: 'saved' }); return state(serv) },
  state,
  stop: () => {
    setImmediate(leave)
    return {}
  }
}

/** @param {Serv} serv */
function state (serv) {
  return {
    tick: serv.clock.tick,
    time: serv.time,
    frozen: serv.clock.frozen,
    speed: serv.clock.speed,
    players: serv.players.map((player) => player.username),
    entities: Object.values(serv.entities).filter((entity) => entity.kind).length,
    columns: serv.world.columns.size,
    spawn: serv.spawn.toArray()
  }
}

process.on('uncaughtException', (error) => log('uncaught:', error))
process.on('unhandledRejection', (error) => log('unhandled:', error))
watch({ grace: 60_000 }) // in which it saves the world, also on a busy machine or a slow disk
serve({ carryOut, leave })
