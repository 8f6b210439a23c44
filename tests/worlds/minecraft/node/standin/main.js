'use strict'
/**
 * Run node standin/main.js VERSION [SETTINGS as JSON]: a small Minecraft server of our own for tests, made of
 * minecraft-protocol alone, that answers as vanilla does; prints {"port": …} once it listens. It takes the place of the
 * independent servers that cannot be had here. It prints "opened" and "clicked" for windows. Lines on stdin: "hurt 20",
 * "say NAME WORDS", "kick KEY", "show ITEM COUNT", "go on". It ends when its standard input does.
 */
const formsOf = require('./forms')
const { need } = formsOf
const sceneOf = require('./scene')
const playerOf = require('./player')

process.on('uncaughtException', (error) => console.error('uncaught', error))
const [version, given] = process.argv.slice(2)
const registry = need('prismarine-registry')(version)
const settings = {
  health: 20, // at the join; 0 joins dead
  food: 14,
  lag: 0,
  smelts: 40,
  eats: 32, // ticks
  guarded: 'hay_block',
  words: '', // what it says when somebody digs that
  keeps: false, // whether what is thrown away comes back at once
  keepsPack: false, // whether the dead keep what they carry
  deaf: 0, // the number of the click that it ignores
  halts: 0, // the number of the click from which on it tells nothing, until "go on"
  deadly: 0, // the number of the click after which the player dies
  echoes: false, // whether it answers the close of a window with a close
  mode: 0, // the game mode: survival, creative, adventure, spectator
  closes: [], // after how many clicks it closes the window that is opened first, second, …
  pack: [
    ['bread', 3],
    ['stone_pickaxe', 1],
    ['iron_axe', 1]
  ],
  ...JSON.parse(given || '{}')
}
const forms = formsOf(registry)
const scene = sceneOf(registry)
// 1.8 and 1.9 lack some there
const recipes = (registry.version['<']('1.10') ? need('minecraft-data')('1.10.2') : registry).recipes
const SMELTS = { iron_ore: 'iron_ingot', raw_iron: 'iron_ingot', cobblestone: 'stone' }

const players = new Set()
const entities = new Map()
const holders = new Map()
let ids = 100

const server = {
  registry, forms, scene, settings, recipes,
  nextId: () => ++ids,
  all: () => players,
  players: () => [...players],
  entities: () => [...entities.values()],
  /** The slots of the chest or furnace at a place. */
  holder (at, size) {
    if (!holders.has(`${at}`)) {
      holders.set(`${at}`, new Array(size).fill(null))
      if (size === 27) holders.get(`${at}`)[0] = new forms.Item(scene.named('itemsByName', 'apple').id, 3)
    }
    return holders.get(`${at}`)
  },
  drop (item, at, thrown = false) {
    const ground = at.clone() // it falls at once
    while (scene.get(ground.offset(0, -1, 0).floored()) === 0 && ground.y > 1) ground.y -= 1
    const entity = { id: ++ids, name: 'item', at: ground, item, free: Date.now() + (thrown ? 2000 : 300) }
    entities.set(entity.id, entity)
    for (const each of players) each.tell(...forms.spawn(entity))
  },
  /** What lies about the feet of a player goes into the pack. */
  collect (player) {
    if (player.health <= 0) return
    for (const entity of entities.values()) {
      if (
        !entity.item ||
        Date.now() < entity.free ||
        entity.at.distanceTo(player.at) > 1.5 ||
        !player.take(entity.item)
      ) {
        continue
      }
      for (const each of players) {
        each.send('collect', {
          collectedEntityId: entity.id,
          collectorEntityId: player.id,
          pickupItemCount: entity.item.count
        })
        each.tell(forms.kill(entity.id))
      }
      entities.delete(entity.id)
    }
  },
  strike (id, player) {
    const entity = entities.get(id)
    if (!entity || entity.item || entity.at.distanceTo(player.at) > 6) return
    entity.health -= 4
    for (const each of players) each.send('entity_status', { entityId: id, entityStatus: entity.health > 0 ? 2 : 3 })
    if (entity.health > 0) return
    entities.delete(id)
    for (const each of players) each.tell(forms.kill(id))
    server.drop(new forms.Item(scene.named('itemsByName', 'porkchop').id, 1), entity.at)
  }
}
const { Vec3 } = scene
entities.set(50, { id: 50, name: 'pig', at: new Vec3(6.5, 64, -4.5), health: 10 })

const listening = need('minecraft-protocol').createServer({
  host: '127.0.0.1', port: 0, version, 'online-mode': false, motd: 'a stand-in', maxPlayers: 20, hideErrors: true,
  enforceSecureProfile: false
})
listening.on('playerJoin', (client) => {
  for (const each of players) {
    if (each.name !== client.username) continue
    players.delete(each) // as vanilla: the newer login stays
    each.kick('multiplayer.disconnect.duplicate_login')
  }
  const player = playerOf(server, client)
  players.add(player)
  client.on('end', () => players.delete(player))
  for (const each of players) if (each !== player) each.tell(forms.listed(player.uuid, player.name))
  player.enter()
})
listening.on('listening', () =>
  process.stdout.write(JSON.stringify({ port: listening.socketServer.address().port }) + '\n')
)

let time = 1000
setInterval(() => {
  time += 20
  for (const each of players) each.tell(forms.time(time))
}, 1000)

// Furnaces: `smelts` ticks an item; coal smelts eight and every other fuel one, which is enough for a test.
setInterval(() => {
  for (const each of players) server.collect(each)
  for (const held of holders.values()) {
    if (held.length !== 3 || !held[0]) continue
    const output = SMELTS[registry.items[held[0].type].name]
    if (!held.burning && output && !held.left && held[1]) {
      held.left = registry.items[held[1].type].name === 'coal' ? 8 : 1
      held[1] = less(held[1])
      show(held)
    }
    if (!held.burning && output && held.left) {
      held.burning = settings.smelts
      held.left--
    }
    if (!held.burning || --held.burning) continue
    held[0] = less(held[0])
    held[2] = new forms.Item(scene.named('itemsByName', output).id, 1 + (held[2] ? held[2].count : 0))
    show(held)
  }
}, 50)
/** Tell a furnace's slots to the players who have it open. */
function show (held) {
  for (const each of players) {
    if (each.window.held !== held) continue
    held.forEach((item, at) => {
      each.window.slots[at] = item
      each.tell(forms.slot(each.window.id, ++each.state, at, item))
    })
  }
}
const less = (item) => item.count > 1 ? new forms.Item(item.type, item.count - 1) : null

const lines = require('node:readline').createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const [what, ...rest] = line.split(' ')
  for (const each of players) {
    if (what === 'hurt') each.hurt(Number(rest[0]))
    if (what === 'say') each.tell(forms.chat('0a0b0c0d-0000-3000-8000-000000000001', rest[0], rest.slice(1).join(' ')))
    if (what === 'kick') each.kick(rest[0])
    if (what === 'show') each.show(rest[0], Number(rest[1]))
    if (what === 'go') each.goOn()
  }
})
lines.on('close', () => process.exit(0))
