'use strict'
/**
 * Start the practice server as autocraft does, over stdio, and join plain mineflayer bots, without our bridge. `node
 * run.js FILE NAME…` runs scenarios of a file and prints what each returned as one line of JSON.
 */
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const readline = require('node:readline')

const SERVER = path.resolve(__dirname, '../../../../autocraft/worlds/minecraft/node/server')
const need = require(path.join(SERVER, '../shared/need.js'))
const { Vec3 } = need('vec3')
const NEVER_MS = 300000 // a scenario that waits longer than this has failed

class Server {
  /** @param {object} options of the server */
  static async start (options = {}) {
    const server = new Server()
    server.child = spawn(
      process.execPath,
      [...(process.env.LAB_NODE ?? '').split(' ').filter(Boolean), path.join(SERVER, 'main.js')],
      { stdio: ['pipe', 'pipe', 'pipe'] }
    )
    server.events = []
    server.log = ''
    server.waiting = new Map()
    server.asked = 0
    server.child.stderr.on('data', (data) => { server.log += data })
    server.ended = once(server.child, 'exit')
    readline.createInterface({ input: server.child.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      if ('id' in message) server.waiting.get(message.id)?.(message)
      else server.events.push(message)
    })
    server.port = (await server.ask('start', { seed: 1, mobs: false, cheats: true, ...options })).port
    return server
  }

  async ask (method, params = {}) {
    const id = ++this.asked
    const answer = new Promise((resolve) => this.waiting.set(id, resolve))
    this.child.stdin.write(JSON.stringify({ id, method, params }) + '\n')
    const { result, error } = await answer
    if (error) throw new Error(error.text)
    return result
  }

  async stop () {
    this.child.stdin.end()
    const [code] = await this.ended
    return code
  }
}

/** Joins a plain mineflayer bot and waits until it stands in the world. */
async function join (server, username = 'Tester') {
  const bot = need('mineflayer').createBot({
    host: '127.0.0.1', port: server.port, username, version: '1.16.5', auth: 'offline'
  })
  bot.heard = []
  bot.on('message', (message) => bot.heard.push(message.toString()))
  bot.on('error', () => {})
  await until(() => bot.entity && bot.health !== undefined && bot.inventory, 'a bot joins')
  await until(() => bot.blockAt(bot.entity.position), 'the ground is known')
  await until(() => bot.entity.onGround, 'the bot stands')
  return bot
}

async function until (condition, what = 'a condition') {
  const since = Date.now()
  while (!condition()) {
    if (Date.now() - since > NEVER_MS) throw new Error(`waited too long until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Waits until the server has done all that was asked before, and has shown it: the answer to a line of chat comes last.
 */
async function settle (bot) {
  const answers = () => bot.heard.filter((text) => text.includes('Command not found')).length
  const before = answers()
  bot.chat('/settle')
  await until(() => answers() > before, 'the server has settled')
}

/** Waits for n ticks of the server. */
async function ticks (server, n) {
  const { tick: begin } = await server.ask('state')
  while ((await server.ask('state')).tick < begin + n) await new Promise((resolve) => setTimeout(resolve, 10))
}

const id = (bot, name) => bot.registry.itemsByName[name].id
const count = (bot, name) => bot.inventory.count(id(bot, name), null)
const inventory = (bot) =>
  Object.fromEntries(
    bot.inventory
      .items()
      .map((item) => [item.name, count(bot, item.name)])
      .sort()
  )

async function give (bot, name, n = 1) {
  const before = count(bot, name)
  bot.chat(`/give @s ${name} ${n}`)
  await until(() => count(bot, name) >= before + n, `${n} ${name} arrive`)
}

async function setBlock (bot, at, name) {
  bot.chat(`/setblock ${at.x} ${at.y} ${at.z} ${name}`)
  await until(() => bot.blockAt(at)?.name === name, `${name} stands at ${at}`)
}

/**
 * Makes a flat stone floor with nothing on it around the bot, and puts it in the middle.
 * @returns {Vec3} the bot's block
 */
async function arena (bot, half = 3) {
  const middle = bot.entity.position.floored().offset(0, 40, 0)
  for (let x = -half; x <= half; x++) {
    for (let z = -half; z <= half; z++) bot.chat(`/setblock ${middle.x + x} ${middle.y - 1} ${middle.z + z} stone`)
  }
  await until(() => bot.blockAt(middle.offset(half, -1, half))?.name === 'stone', 'the floor is laid')
  await goTo(bot, middle)
  return middle
}

async function goTo (bot, at) {
  bot.chat(`/tp ${at.x + 0.5} ${at.y} ${at.z + 0.5}`)
  await until(
    () => bot.entity.position.distanceTo(at.offset(0.5, 0, 0.5)) < 0.1 && bot.entity.onGround,
    `the bot is at ${at}`
  )
}

async function craft (bot, name, times = 1, table = null) {
  const recipe = bot.recipesFor(id(bot, name), null, 1, table)[0]
  if (!recipe) throw new Error(`no recipe for ${name} with ${JSON.stringify(inventory(bot))}`)
  await bot.craft(recipe, times, table)
}

/** Digs a block with a tool, or with the hand, and picks nothing up: returns what fell, by name. */
async function digDrops (bot, at, tool) {
  if (tool) await bot.equip(id(bot, tool), 'hand')
  else await bot.unequip('hand')
  const before = inventory(bot)
  const items = []
  const seen = (entity) => items.push(entity)
  bot.on('itemDrop', seen)
  await bot.dig(bot.blockAt(at), true)
  await settle(bot)
  bot.removeListener('itemDrop', seen)
  const found = {}
  for (const entity of items) {
    const item = entity.getDroppedItem()
    if (item) found[item.name] = (found[item.name] ?? 0) + item.count
  }
  return { found, before }
}

module.exports = {
  Server, join, until, settle, ticks, id, count, inventory, give, setBlock, arena, goTo, craft, digDrops, need, Vec3,
  SERVER
}
