'use strict'
/**
 * Run the bot's process. Python starts it, and says by the lines of `../shared/lines.js` where to join and which
 * command to carry out: `join`, `ping`, and every name of `commands/`. The process opens no port. Its events are
 * progress, change, did, chat, death, refused, cheat, reflex, view, sign_in, kicked, lost and hung.
 */
const { Fault, reasonOf } = require('../shared/fault')
const { send, serve, stampWith } = require('../shared/lines')
const { watch } = require('../shared/watchdog')
const { Clock, real } = require('./clock')
const { Lockstep } = require('./lockstep')
const { refusal } = require('./mode')
const { nameMeant } = require('./names')
const { Failures, stateOf } = require('./plan/failures')
const { Task } = require('./task')
const { plainName } = require('./words')

const FAILED = ['failed', 'limit', 'bounds', 'dead', 'danger']
/** @type {Bot | null} */
let bot = null
/** @type {Lockstep | null} */
let lockstep = null
/** @type {import('./commands') | null} */
let commands = null
const failures = new Failures()
/** @type {Map<number, Task>} */
const running = new Map()

/** @param {JoinOptions} options */
async function join (options) {
  if (options.lockstep && !lockstep) {
    const clock = new Clock()
    clock.install(options.seed || 1)
    lockstep = new Lockstep(clock, options.hold !== false)
  }
  if (lockstep) lockstep.shared = Boolean(options.team?.length)
  if (bot) {
    bot.autocraft.ending ??= new Fault('it left', 'lost')
    bot.end()
  }
  commands = require('./commands')
  const fresh = bot = await require('./join').join(options, send, lockstep)
  bot.autocraft.failures = failures
  if (options.view) commands.look.view(bot, { on: true })
  if (options.spared) commands.look.spare(bot, { names: options.spared })
  fresh.once('autocraft_left', (why) => {
    for (const task of running.values()) task.stop(why)
    send({ event: why.kind, why: why.message, replaced: why.replaced })
  })
  fresh.on('death', () => {
    for (const task of running.values()) task.stop(new Fault('the bot died', 'dead'))
  })
  fresh.on('autocraft_danger', (why) => {
    for (const task of running.values()) task.stop(why)
  })
  fresh.on('windowOpen', () => { if (!running.size) tidy(fresh) }) // too late for its command
  return { username: fresh.username, version: fresh.version, protocol: fresh._client.protocolVersion }
}

/** @param {Request} request */
async function carryOut ({ id, method, params, seconds = 60 }) {
  if (method === 'ping') return 'pong'
  if (method === 'join') return join(params)
  if (!bot || !commands) throw new Fault('it has not joined', 'lost')
  if (bot.autocraft.ending) throw bot.autocraft.ending
  if (Object.hasOwn(commands.look, method)) return commands.look[method](bot, params)
  if (!Object.hasOwn(commands.act, method)) throw new Fault(`the bot has no command ${method}`, 'invalid')
  const from = bot.entity.position.clone()
  const why = refusal(bot, method)
  if (why) throw new Fault(why, 'invalid')
  const before = stateOf(bot)
  try {
    const done = await perform(bot, id, commands.act[method], params, seconds)
    failures.succeed(bot, { name: method, args: params }, before)
    return { ...done, name: nameMeant(plainName(String(params.name ?? ''))) }
  } catch (error) {
    const at = error.kind === 'dead' ? from : bot.entity.position // a bot that died is at its spawn point by now
    if (FAILED.includes(error.kind)) {
      failures.add(bot, { name: method, args: params }, reasonOf(error), at, from, error.kind === 'danger')
    }
    if (error.kind === 'dead') {
      const now = bot.isAlive === false ? 'not respawned yet' : 'respawned'
      error.message = `${bot.autocraft.sightings.loss}, and it has ${now}`
    }
    throw error
  }
}

/**
 * Run one command to its end. Time passes meanwhile.
 * @param {Bot} bot @param {number} id @param {Act} act @param {any} params @param {number} seconds
 */
async function perform (bot, id, act, params, seconds) {
  const task = new Task(bot, seconds)
  bot.autocraft.journal.begin()
  running.set(id, task)
  try {
    const work = act(bot, params, task)
    if (lockstep) lockstep.begin()
    const text = await work
    await bot.autocraft.traces.end(task)
    return { text: [...task.said, text, bot.autocraft.traces.text()].filter(Boolean).join('\n') }
  } catch (error) {
    await bot.autocraft.traces.end(task)
    const fault = task.stopped && task.stopped.kind !== 'cancelled' ? task.stopped : error
    fault.said = [...task.said, bot.autocraft.traces.text()].filter(Boolean)
    throw fault
  } finally {
    const { reflex } = bot.autocraft.hands
    if (reflex && task.stopped?.kind !== 'cancelled') await reflex
    task.close()
    if (!bot.autocraft.hands.reflex) tidy(bot)
    await waitForRespawn(bot)
    bot.autocraft.reportMined()
    if (lockstep) await lockstep.end()
    running.delete(id)
  }
}

/** Wait until a bot that died is back in the world. @param {Bot} bot */
async function waitForRespawn (bot) {
  for (let ticks = 0; ticks < 200 && bot.isAlive === false && !bot.autocraft.ending; ticks += 2) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Stop everything that a command has left unfinished: walking, digging, sleeping, an open window. @param {Bot} bot */
function tidy (bot) {
  try {
    bot.pathfinder.setGoal(null)
    bot.clearControlStates()
    bot.stopDigging()
    if (bot.isSleeping) bot.wake().catch(() => {})
    if (bot.currentWindow) void bot.closeWindow(bot.currentWindow)
  } catch {}
}

/** @param {number} id of a request */
function cancel (id) {
  running.get(id)?.stop(new Fault('it was cancelled', 'cancelled'))
}

function leave () {
  try { if (bot) bot.quit() } catch {}
  real.setTimeout(() => process.exit(0), 300)
}

process.on('uncaughtException', (error) => console.error('uncaught:', error))
process.on('unhandledRejection', (error) => console.error('unhandled:', error))
watch()
stampWith(() => ({ age: bot?.time?.age }))
serve({ carryOut, cancel, leave })
