'use strict'
/**
 * Walk with a plain mineflayer bot: node walker.js PORT PLUGIN. Each line of stdin is a way {commands, to, seconds}: the
 * bot says the commands, then walks to the place with the plug-in as it comes. It answers with a line {position, health,
 * lost, seconds, broken, placed, why}. PLUGIN is "mineflayer-pathfinder" or "mineflayer-baritone".
 */
const { createRequire } = require('node:module')
const path = require('node:path')
/** @param {string | undefined} folder */
const from = (folder) => createRequire(path.join(path.resolve(folder ?? ''), 'x.js'))
const need = from(process.env.AUTOCRAFT_NODE_MODULES)

const [port, plugin] = process.argv.slice(2)
const bot = need('mineflayer').createBot({
  host: '127.0.0.1', port: Number(port), username: 'walker', version: '1.16.5', auth: 'offline'
})
const { Vec3 } = need('vec3')
const RADIUS = 24
const later = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** How each plug-in is told to walk, and to stop. */
const PLUGINS = {
  'mineflayer-pathfinder': () => {
    const { pathfinder, goals } = need('mineflayer-pathfinder')
    bot.loadPlugin(pathfinder)
    return { walk: (to) => bot.pathfinder.goto(new goals.GoalNear(to.x, to.y, to.z, 1)), stop: () => bot.pathfinder.stop() }
  },
  'mineflayer-baritone': () => {
    const { loader, goals } = from(process.env.AUTOCRAFT_PATH_FINDER_MODULES)('@miner-org/mineflayer-baritone')
    bot.loadPlugin(loader)
    return { walk: (to) => bot.ashfinder.goto(new goals.GoalNear(to, 1)), stop: () => bot.ashfinder.stop() }
  }
}

/** Return the blocks around a place, by place. @param {any} at */
function blocks (at) {
  const seen = new Map()
  for (let x = -RADIUS; x <= RADIUS; x++) {
    for (let y = -RADIUS; y <= RADIUS; y++) {
      for (let z = -RADIUS; z <= RADIUS; z++) {
        const block = bot.blockAt(at.offset(x, y, z), false)
        if (block?.type) seen.set(`${block.position}`, block.name)
      }
    }
  }
  return seen
}

async function walked ({ commands, to, seconds }, plug) {
  bot.clearControlStates()
  for (const command of commands) bot.chat(command)
  await later(2)
  const at = new Vec3(...to)
  const before = blocks(at)
  const [begun, healthy] = [Date.now(), bot.health]
  let why = ''
  let limit
  const tooLong = new Promise((resolve) => {
    limit = setTimeout(() => { plug.stop(); resolve({ status: 'too long' }) }, seconds * 1000)
  })
  try {
    const ended = await Promise.race([plug.walk(at), tooLong])
    why = ended?.error?.message ?? ended?.status ?? ''
  } catch (error) {
    why = error.message
  }
  clearTimeout(limit)
  const took = (Date.now() - begun) / 1000
  const { position, health } = { position: bot.entity.position.clone(), health: bot.health }
  await later(1)
  const after = blocks(at)
  return {
    position: [position.x, position.y, position.z],
    health,
    lost: healthy - health,
    seconds: took,
    broken: [...before.keys()].filter((place) => !after.has(place)).length,
    placed: [...after.keys()].filter((place) => !before.has(place)).length,
    why
  }
}

const plug = PLUGINS[plugin]()
bot.once('spawn', async () => {
  const lines = require('node:readline').createInterface({ input: process.stdin })
  console.log(JSON.stringify({ joined: plugin }))
  for await (const line of lines) console.log(JSON.stringify(await walked(JSON.parse(line), plug)))
  process.exit(0)
})
