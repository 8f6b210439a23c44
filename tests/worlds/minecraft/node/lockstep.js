'use strict'
/**
 * Play scenarios about the clock: the same script at different speeds, freezing, and a plain client beside it. The
 * client here speaks minecraft-protocol only: each tick's number makes it do the next line of a script.
 */
const { Server, join, until, need } = require('./lab')
const { createHash } = require('node:crypto')

/** A client that takes part in the lockstep and does what `script` says at each tick, counted from its first. */
async function player (server, script, lastTick) {
  const client = need('minecraft-protocol').createClient({
    host: '127.0.0.1', port: server.port, username: 'Stepper', version: '1.16.5', auth: 'offline'
  })
  const say = (text) => client.write('custom_payload', { channel: 'autocraft:tick', data: Buffer.from(text) })
  const seen = createHash('sha256')
  const slots = {}
  let here = null
  let first = null
  let position = null
  const ready = new Promise((resolve) => client.on('position', (packet) => { position ??= packet; resolve() }))
  client.on('packet', (data, { name, state }) => {
    if (state !== 'play' || name === 'keep_alive' || name === 'player_info') return
    seen.update(name + JSON.stringify(data, (_, v) => typeof v === 'bigint' ? String(v) : v))
    if (name === 'set_slot' && data.windowId === 0) {
      slots[data.slot] = data.item.present ? `${data.item.itemId} x ${data.item.itemCount}` : null
    }
  })
  await ready
  const done = new Promise((resolve, reject) => {
    client.on('end', (reason) => reject(new Error(`the connection ended: ${reason}`)))
    client.on('custom_payload', ({ channel, data }) => {
      if (channel !== 'autocraft:tick') return
      const tick = Number(data.toString())
      first ??= tick
      here = tick - first
      script(client, here, position)
      if (here >= lastTick) resolve()
      else if (here > 0 || tick === first) say(String(tick))
    })
  })
  say('join')
  return { client, done, result: () => ({ ticks: here, hash: seen.digest('hex'), slots }) }
}

/** Walks, strikes at what is near, digs down through grass and dirt, drops a stack, for 400 ticks, with mobs about. */
function script (client, tick, { x, y, z }) {
  const feet = { x: Math.floor(x), y: Math.floor(y) - 1, z: Math.floor(z) }
  if (tick === 1) client.write('chat', { message: '/give @s iron_sword 1' })
  if (tick === 2) client.write('chat', { message: '/summon zombie ~2 ~ ~' })
  if (tick === 3) client.write('chat', { message: '/summon cow ~-2 ~ ~' })
  if (tick === 30) client.write('block_dig', { status: 0, location: feet, face: 1 })
  if (tick === 60) client.write('block_dig', { status: 2, location: feet, face: 1 })
  if (tick > 60 && tick < 66) {
    client.write('position', { x, y: y - Math.min(1, (tick - 60) * 0.25), z, onGround: tick === 65 })
  }
  if (tick >= 80 && tick % 13 === 0) {
    for (let id = 2; id < 14; id++) client.write('use_entity', { target: id, mouse: 1, sneaking: false })
  }
  if (tick === 300) client.write('block_dig', { status: 4, location: { x: 0, y: 0, z: 0 }, face: 0 })
}

async function play (speed, ticks = 400) {
  const server = await Server.start({ seed: 5, speed, freeze: true, mobs: true })
  const one = await player(server, script, ticks)
  const begin = Date.now()
  await server.ask('thaw')
  await one.done
  const ms = Date.now() - begin
  const state = await server.ask('state')
  one.client.end()
  await server.stop()
  return {
    ...one.result(),
    tick: state.tick,
    time: state.time,
    entities: state.entities,
    ms,
    log: server.log.split('\n').filter((line) => line && !line.includes('issued command'))
  }
}

const sameAtAnySpeed = async () => ({ one: await play(1, 120), ten: await play(10, 120), fast: await play(0, 120) })
const longer = async () => ({ ten: await play(10, 1000), fast: await play(0, 1000) })

/** An idle lockstep client holds the world; single ticks pass only while frozen; keep-alive goes on all the time. */
async function holding () {
  const server = await Server.start({ speed: 10, freeze: true })
  const one = await player(server, () => {}, 5)
  let alive = 0
  one.client.on('keep_alive', () => alive++)
  const frozen = (await server.ask('state')).tick
  await server.ask('thaw')
  await one.done
  const held = (await server.ask('state')).tick
  await until(() => alive >= 2, 'keep-alive came twice')
  const heldStill = (await server.ask('state')).tick
  await server.ask('freeze')
  const refused = await server.ask('tick', { n: 0 }).catch((error) => error.message)
  one.client.end()
  await until(() => server.events.some((event) => event.event === 'left'), 'the client left')
  const alone = await server.ask('tick', { n: 3 }).catch((error) => error.message)
  const code = await server.stop()
  return { frozen, held, heldStill, refused, alone, code }
}

/** A plain client in a frozen world: n ticks pass when asked for, none otherwise. */
async function frozen () {
  const server = await Server.start({ speed: 10 })
  const bot = await join(server)
  const { tick: begin } = await server.ask('freeze')
  const reached = []
  for (const n of [1, 7, 40]) reached.push((await server.ask('tick', { n })).tick - begin)
  const { tick: end } = await server.ask('state')
  const { speed } = await server.ask('speed', { speed: 3 })
  const errors = []
  for (const [what, more] of [
    ['speed', { speed: -1 }], ['speed', {}], ['nonsense', {}], ['constructor', {}], ['tick', { n: 'x' }]
  ]) {
    errors.push(await server.ask(what, more).catch((error) => error.message))
  }
  bot.quit()
  return { reached, end: end - begin, speed, errors, code: await server.stop() }
}

module.exports = { sameAtAnySpeed, longer, holding, frozen }
