'use strict'
/**
 * The practice server as a child process: options and requests come as JSON lines on stdin, answers and events go to
 * stdout, the log to stderr. See node/README.md.
 */
const readline = require('readline')
const { stripVTControlCharacters } = require('node:util')
const { readOptions, checkOption } = require('./options')
const cut = require('../bot/cut')
const { watch } = require('../bot/watchdog')

const MOST_TICKS = 1000000

/** @param {object} message */
const tell = (message) => process.stdout.write(JSON.stringify(message) + '\n')
/** @param {string} text */
const log = (text) => { process.stderr.write(`${stripVTControlCharacters(String(text))}\n`) }
console.log = console.info = console.debug = console.warn = log // a package that prints must not disturb the lines

process.stderr.on('error', () => {}) // with Python dead, an error about it would be logged, fail again, and never end
process.on('uncaughtException', (error) => log(`uncaught: ${error.stack}`))
process.on('unhandledRejection', (/** @type {any} */ error) => log(`unhandled: ${error?.stack ?? error}`))

async function main () {
  const lines = readline.createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done) return
  const { startServer, stopServer, VERSION } = require('./server')
  let serv
  try {
    serv = await startServer(readOptions(first.value), log)
  } catch (error) {
    tell({ event: 'failed', error: oneLine(error) })
    process.exitCode = 1
    return process.exit()
  }
  serv.on('joined', (player) => tell({ event: 'joined', username: player.username }))
  serv.on('left', (player) => tell({ event: 'left', username: player.username }))
  serv.on('notSaved', (error) => tell({ event: 'notSaved', error: oneLine(error) }))
  tell({ event: 'ready', port: serv.listeningPort, version: VERSION })
  for await (const line of lines) {
    const stopping = answer(serv, line)
    if (stopping) break
  }
  try {
    await stopServer(serv)
  } catch (error) {
    tell({ event: 'notSaved', error: oneLine(error) })
    process.exit(1)
  }
  tell({ event: 'stopped' })
  process.exit(0)
}

/** Answers one request. @param {Serv} serv @param {string} line @returns {boolean} whether it was `stop` */
function answer (serv, line) {
  let request
  try {
    request = JSON.parse(line)
  } catch {
    tell({ id: null, error: 'the request is not JSON; send one object on one line' })
    return false
  }
  const id = request?.id ?? null
  const action = Object.hasOwn(ACTIONS, request?.do) ? ACTIONS[request.do] : unknown
  Promise.resolve()
    .then(() => action(serv, request))
    .then(
      (result) => tell({ id, result }),
      (error) => tell({ id, error: oneLine(error) })
    )
  return request?.do === 'stop'
}

/** @type {Record<string, (serv: Serv, request: any) => unknown>} */
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
      throw new Error(`n must be a number of ticks from 1 to ${MOST_TICKS}`)
    }
    if (!serv.clock.frozen) throw new Error('single ticks need a frozen world; freeze it first')
    if (serv.players.length === 0) throw new Error('the world stands still while nobody is in it; join first')
    return { tick: await serv.clock.advance(n) }
  },
  /** @param {Serv} serv */
  save: (serv) => { serv.save(); tell({ event: 'saved' }); return state(serv) },
  state,
  stop: () => ({})
}

/** @param {Serv} serv @param {any} request */
function unknown (serv, request) {
  throw new Error(`no request is called ${cut(request?.do, 40)}; there are: ${Object.keys(ACTIONS).join(', ')}`)
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

/** @param {Error & { code?: string }} error */
const oneLine = (error) => cut(String(error?.message ?? error).split('\n')[0], 300)

watch({ grace: 5000 })
main().catch((error) => {
  log(error.stack)
  process.exit(1)
})
