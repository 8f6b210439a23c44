'use strict'
/**
 * The bot's process. Python starts it, says where to join and which command to carry out, one JSON value a line:
 *
 * {"id": 1, "method": "join", "params": {…}} -> {"id": 1, "result": …} or {"id": 1, "error": {"kind", "text"}}
 *   {"id": 2, "method": "dig", "params": {…}, "seconds": 60}
 *   {"cancel": 2}
 *
 * Events come without an id: hello, change, chat, death, refused, cheat, reflex, sign_in, kicked, lost. No port is
 * opened.
 */
const cut = require('./cut')
const { send, listen } = require('./lines')
const { Clock, real } = require('./clock')
const { Lockstep } = require('./lockstep')
const { Fault } = require('./fault')
const { Task } = require('./task')
const { watch } = require('./watchdog')

const PROTOCOL = 1
/** @type {Bot | null} */
let bot = null
/** @type {Lockstep | null} */
let lockstep = null
/** @type {any} */
let commands = null
/** @type {Map<number, Task>} */
const running = new Map()

/** @param {any} params of the request `join` */
async function join (params) {
  if (params.lockstep && !lockstep) {
    const clock = new Clock()
    clock.install(params.seed || 1)
    lockstep = new Lockstep(clock, params.hold !== false)
  }
  if (bot) { bot.left = bot.left || new Fault('it left', 'lost'); bot.end() }
  commands = require('./commands')
  const fresh = bot = await require('./join').join(params, send, lockstep)
  fresh.once('autocraft_left', (why) => {
    for (const task of running.values()) task.stop(why)
    send({ event: why.kind, why: why.message, replaced: why.replaced })
  })
  fresh.on('death', () => {
    for (const task of running.values()) task.stop(new Fault('the bot died', 'dead'))
  })
  return { username: bot.username, version: bot.version, protocol: bot._client.protocolVersion }
}

/** @param {{id: number, method: string, params?: any, seconds?: number}} request */
async function carryOut (request) {
  const { id, method, params = {}, seconds = 60 } = request
  if (method === 'ping') return 'pong'
  if (method === 'join') return join(params)
  const look = commands && commands.look[method]
  if (!bot || bot.left) throw bot && bot.left ? bot.left : new Fault('it has not joined', 'lost')
  if (look) return look(bot, params)
  const act = commands.act[method]
  if (!act) throw new Fault(`the bot knows no ${method}`, 'invalid')
  return perform(id, act, params, seconds)
}

/**
 * Run one command to its end, with time going on meanwhile.
 * @param {number} id @param {any} act @param {any} params @param {number} seconds
 */
async function perform (id, act, params, seconds) {
  const task = new Task(bot, seconds)
  running.set(id, task)
  try {
    const work = act(bot, params, task)
    if (lockstep) lockstep.begin()
    const text = await work
    return { text: [...task.said, ...(text ? [text] : [])].join('\n') }
  } catch (error) {
    const fault = task.stopped && task.stopped.kind !== 'cancelled' ? task.stopped : error
    fault.said = task.said
    throw fault
  } finally {
    task.close()
    tidy(bot)
    await respawned(bot)
    if (lockstep) await lockstep.end()
    running.delete(id)
  }
}

/** A bot that died is back in the world before the next command. @param {Bot} bot */
async function respawned (bot) {
  for (let ticks = 0; ticks < 200 && bot.isAlive === false && !bot.left; ticks += 2) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Leave nothing half done: no walking, no digging, no open window. @param {Bot} bot */
function tidy (bot) {
  try {
    bot.pathfinder.setGoal(null)
    bot.clearControlStates()
    bot.stopDigging()
    if (bot.currentWindow) void bot.closeWindow(bot.currentWindow)
  } catch {}
}

/** @param {any} error */
function problem (error) {
  const ours = error instanceof Fault
  if (!ours) console.error(error)
  const text = cut(String(error && error.message ? error.message : error).split('\n')[0], 1000)
  return { kind: ours ? error.kind : 'failed', text, said: (error && error.said) || [] }
}

/** @param {any} message */
function onMessage (message) {
  if (message.cancel !== undefined) {
    const task = running.get(message.cancel)
    if (task) task.stop(new Fault('it was cancelled', 'cancelled'))
    return
  }
  carryOut(message).then(
    (result) => send({ id: message.id, result: result === undefined ? null : result }),
    (error) => send({ id: message.id, error: problem(error) })
  )
}

function leave () {
  try { if (bot) bot.quit() } catch {}
  real.setTimeout(() => process.exit(0), 300)
}

process.on('uncaughtException', (error) => console.error('uncaught:', error))
process.on('unhandledRejection', (error) => console.error('unhandled:', error))
watch({ work: Number(process.argv[2]) || undefined })
send({ event: 'hello', protocol: PROTOCOL, node: process.version })
listen(onMessage, leave)
