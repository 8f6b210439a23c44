'use strict'
/** Play scenarios about keeping a world, ending, and what other people's clients may send. */
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { Server, join, until, settle, id, count, give, arena, inventory, Vec3, need } = require('./lab')

const temporary = () => fs.mkdtempSync(path.join(os.tmpdir(), 'practice-'))
const alive = (pid) => { try { process.kill(pid, 0); return true } catch { return false } }

/** What was built, carried, kept in a chest and the time are there after a restart; the tick goes on. */
async function restart () {
  const folder = temporary()
  let server = await Server.start({ speed: 10, folder })
  let bot = await join(server)
  const at = await arena(bot)
  await give(bot, 'cobblestone', 12)
  await give(bot, 'chest', 1)
  await bot.equip(id(bot, 'chest'), 'hand')
  await bot.placeBlock(bot.blockAt(at.offset(1, -1, 2)), new Vec3(0, 1, 0))
  const box = await bot.openContainer(bot.blockAt(at.offset(1, 0, 2)))
  await box.deposit(id(bot, 'cobblestone'), null, 5)
  await box.close()
  const { tick } = await server.ask('state')
  bot.chat('/time set 9000')
  await settle(bot)
  bot.quit()
  const code = await server.stop()
  const files = fs.readdirSync(folder).sort()
  server = await Server.start({ speed: 10, folder })
  bot = await join(server)
  const state = await server.ask('state')
  const again = await bot.openContainer(bot.blockAt(at.offset(1, 0, 2)))
  const result = {
    code,
    files,
    carried: count(bot, 'cobblestone'),
    kept: again.containerItems().map((item) => [item.name, item.count]),
    there: bot.entity.position.distanceTo(at.offset(0.5, 0, 0.5)) < 1,
    floor: bot.blockAt(at.offset(2, -1, 2)).name,
    time: state.time >= 9000 && state.time - 9000 <= state.tick - tick,
    later: state.tick > tick
  }
  bot.quit()
  await server.stop()
  const otherSeed = await Server.start({ folder, seed: 99 }).then(
    () => 'started',
    (error) => error.message.replace(folder, 'FOLDER')
  )
  fs.writeFileSync(path.join(folder, 'world.json'), '{"half')
  const damaged = await Server.start({ folder }).then(
    () => 'started',
    (error) => error.message.replaceAll(folder, 'FOLDER')
  )
  fs.rmSync(folder, { recursive: true })
  return { ...result, otherSeed, damaged }
}

/** kill -9, then a start with the same folder. */
async function killed () {
  const folder = temporary()
  const server = await Server.start({ speed: 10, folder })
  const bot = await join(server)
  await give(bot, 'cobblestone', 3)
  await server.ask('save')
  const saved = server.events.some((event) => event.event === 'saved')
  server.child.kill('SIGKILL')
  await server.ended
  const again = await Server.start({ speed: 10, folder })
  const bot2 = await join(again)
  const carried = inventory(bot2)
  bot2.quit()
  const code = await again.stop()
  fs.rmSync(folder, { recursive: true })
  return { saved, carried, code }
}

/** Bad options, each answered by one line and an exit. */
async function options () {
  const errors = {}
  const folder = temporary()
  const file = path.join(folder, 'file')
  fs.writeFileSync(file, '')
  const taken = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const tries = {
    seed: { seed: 'x' }, speed: { speed: -1 }, port: { port: 70000 }, unknown: { colour: 1 },
    folder: { folder: path.join(file, 'in') }, taken: { port: taken.address().port }
  }
  for (const [name, wrong] of Object.entries(tries)) {
    errors[name] = await Server.start(wrong).then(
      () => 'started',
      (error) => error.message
    )
  }
  taken.close()
  fs.rmSync(folder, { recursive: true })
  return errors
}

/** Clients that send garbage, half a packet, another version, or nonsense values; the server goes on for the others. */
async function nonsense () {
  const server = await Server.start({ speed: 10 })
  const good = await join(server, 'Good')
  for (const bytes of [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(3000, 255), Buffer.from([5, 0]), Buffer.alloc(0)
  ]) {
    const socket = net.connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(bytes)
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
  }
  const bad = await join(server, 'Bad')
  const write = (name, data) => bad._client.write(name, data)
  let ended = false
  bad.on('end', () => { ended = true })
  write('window_click', { windowId: 0, slot: 30000, mouseButton: 9, action: 1, mode: 0, item: { present: false } })
  write('window_click', { windowId: 77, slot: 3, mouseButton: 0, action: 2, mode: 6, item: { present: false } })
  for (let mode = 0; mode < 8; mode++) {
    for (const slot of [-999, -1, 0, 5, 45, 46]) {
      write('window_click', { windowId: 0, slot, mouseButton: mode, action: 3, mode, item: { present: false } })
    }
  }
  write('held_item_slot', { slotId: 99 })
  write('block_dig', { status: 2, location: { x: 0, y: -5, z: 0 }, face: 1 })
  write('block_dig', { status: 0, location: { x: 30000000, y: 300, z: -30000000 }, face: 77 })
  write('block_place', {
    hand: 0, location: { x: 5, y: 5, z: 5 }, direction: 99, cursorX: 0, cursorY: 0, cursorZ: 0, insideBlock: false
  })
  write('use_entity', { target: -7, mouse: 1, sneaking: false })
  write('custom_payload', { channel: 'autocraft:tick', data: Buffer.from('999999999999999999999') })
  write('chat', { message: '/give @s nothing' })
  write('chat', { message: '/nonsense' })
  write('client_command', { actionId: 0 })
  await settle(bad)
  const stays = !ended
  write('position', { x: NaN, y: 70, z: 0, onGround: true })
  await until(() => ended, 'a position that is no number ends the connection')
  await settle(good)
  await give(good, 'stick', 1)
  const twice = await join(server, 'Twice')
  good.quit()
  twice.quit()
  const bound = (
    await Promise.all(
      Object.values(os.networkInterfaces())
        .flat()
        .filter((a) => !a.internal && a.family === 'IPv4')
        .map(
          (a) =>
            new Promise((resolve) => {
              const socket = net.connect(server.port, a.address)
              socket.on('connect', () => resolve('open')).on('error', () => resolve('closed'))
            })
        )
    )
  ).every((answer) => answer === 'closed')
  return {
    stays, given: count(good, 'stick'), bound, code: await server.stop(), uncaught: server.log.includes('uncaught')
  }
}

/** No cheats unless asked for; the world says what it is, in the list of servers and to who joins. */
async function honest () {
  const server = await Server.start({ cheats: false, speed: 10 })
  const bot = await join(server)
  for (const line of ['/give @s diamond 1', '/tp 0 100 0', '/kill', '/stop', '/op @s']) bot.chat(line)
  await until(
    () => bot.heard.filter((text) => /cheats|not found|permission/.test(text)).length >= 5,
    'each is answered'
  )
  const ping = await need('minecraft-protocol').ping({ host: '127.0.0.1', port: server.port, version: '1.16.5' })
  const result = {
    carried: inventory(bot), health: bot.health, said: bot.heard.slice(0, 8), motd: JSON.stringify(ping.description),
    pid: alive(server.child.pid)
  }
  bot.quit()
  await server.stop()
  return { ...result, left: alive(server.child.pid) }
}

module.exports = { restart, killed, options, nonsense, honest }
