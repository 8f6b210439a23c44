'use strict'
/** Keep one player on the stand-in: what the client sends, and what vanilla answers to it. */
const { click, like, result } = require('./clicks')

const SHOWN = 4 // columns in each direction
const WINDOWS = { crafting_table: 'crafting', chest: 'chest', furnace: 'furnace', lit_furnace: 'furnace' }
const FACES = [[0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]]
const TICK = 50

/** @param {any} server of `main.js` @param {any} client of minecraft-protocol */
module.exports = function player (server, client) {
  const { registry, forms, scene, settings } = server
  const { Item, has, since } = forms
  const { Vec3 } = scene
  const DROPS = {
    stone: 'cobblestone', grass: 'dirt', grass_block: 'dirt', iron_ore: since('1.17') ? 'raw_iron' : 'iron_ore'
  }
  const me = {
    id: server.nextId(), client, name: client.username, uuid: client.uuid, at: scene.spawn.clone(),
    health: settings.health, food: settings.food, clicked: 0, clicks: 0, hand: 0, teleport: 0, confirmed: true, windowId: 0, state: 0,
    sneaks: false, gone: false
  }
  const give = (name, count, metadata = 0) => {
    const kind = typeof name === 'number' ? { id: name } : scene.named('itemsByName', name)
    return kind ? new Item(kind.id, count, metadata) : null
  }
  me.pack = new Array(registry.supportFeature('shieldSlot') ? 46 : 45).fill(null)
  settings.pack.forEach(([name, count, kind], at) => { me.pack[36 + at] = give(name, count, kind) })
  const own = me.inventory = { id: 0, slots: me.pack, output: 0, cursor: null, grid: [1, 4, 2] }
  me.window = own

  /** What is not told yet, while the server halts. */
  let kept = null
  const send = (name, packet) => {
    if (kept) kept.push([name, packet])
    else if (!me.gone) setTimeout(() => client.write(name, packet), settings.lag)
  }
  const tell = (...packets) => packets.forEach((packet) => send(...packet))
  me.tell = tell

  // ---------------------------------------------------------------- into the world

  function enter () {
    send('login', { ...forms.login(me.id), gameMode: settings.mode })
    world()
    tell(...server.players().map((each) => forms.listed(each.uuid, each.name)))
    for (const entity of server.entities()) tell(...forms.spawn(entity))
  }

  function world () {
    send('spawn_position', {
      location: scene.spawn,
      angle: 0,
      globalPos: { dimensionName: 'minecraft:overworld', location: scene.spawn },
      yaw: 0,
      pitch: 0
    })
    send('abilities', { flags: 0, flyingSpeed: 0.05, walkingSpeed: 0.1 })
    send('held_item_slot', { slot: me.hand })
    if (since('1.20.3')) send('game_state_change', { reason: 'level_chunks_load_start', gameMode: 0 })
    if (since('1.14')) send('update_view_position', { chunkX: 0, chunkZ: 0 })
    if (since('1.20.2')) send('chunk_batch_start', {})
    for (let x = -SHOWN; x < SHOWN; x++) {
      for (let z = -SHOWN; z < SHOWN; z++) tell(...forms.column(x, z, scene.columnAt(x, z)))
    }
    if (since('1.20.2')) send('chunk_batch_finished', { batchSize: 4 * SHOWN * SHOWN })
    teleport(scene.spawn)
    resync()
    feel()
  }

  function teleport (at) {
    me.at = at.clone()
    me.confirmed = !since('1.9')
    send('position', forms.position({ x: at.x, y: at.y, z: at.z }, ++me.teleport))
  }

  const feel = () => send('update_health', { health: me.health, food: me.food, foodSaturation: 0 })

  function hurt (by) {
    if (me.health <= 0) return
    me.health = Math.max(0, me.health - by)
    feel()
    if (me.health > 0) return
    tell(...forms.died(me.id))
    me.window = own
    if (settings.keepsPack) return
    for (const [slot, item] of me.pack.entries()) if (item) { server.drop(item, me.at); me.pack[slot] = null }
    resync()
  }

  client.on('client_command', (packet) => {
    if ((packet.actionId ?? packet.payload) !== 'perform_respawn' && packet.actionId !== 0) return
    if (me.health > 0) return
    Object.assign(me, { health: 20, food: 20 })
    send('respawn', forms.respawn())
    world()
  })
  client.on('teleport_confirm', ({ teleportId }) => { if (teleportId === me.teleport) me.confirmed = true })

  function moved (packet) {
    if (!me.confirmed || me.health <= 0) return
    const to = new Vec3(packet.x, packet.y, packet.z)
    const solid = scene.kind(to.floored())
    // moved too quickly, or wrongly
    if (to.distanceTo(me.at) > 10 || (solid && solid.boundingBox === 'block' && to.y % 1 < 0.4)) return teleport(me.at)
    me.at = to
    server.collect(me)
  }
  client.on('position', moved)
  client.on('position_look', moved)

  // ---------------------------------------------------------------- blocks

  const block = (at) => send('block_change', { location: at, type: scene.get(at) })
  const reach = (at) => me.at.offset(0, 1.6, 0).distanceTo(at.offset(0.5, 0.5, 0.5)) < 6.5

  client.on('block_dig', digs)
  function digs ({ status, location, sequence }) {
    if (me.gone) return
    const at = new Vec3(location.x, location.y, location.z)
    if (status === 3 || status === 4) return thrown(status === 3)
    if (status === 5) { me.eating = null; return }
    if (status > 2) return
    const kind = scene.kind(at)
    const allowed = kind.name !== settings.guarded && reach(at)
    if (status === 0) me.digging = Date.now()
    if (settings.words && kind.name === settings.guarded) tell(forms.told(settings.words))
    const soonest = kind.hardness * 1500 / 8 // nothing here digs faster than a diamond tool
    const early = me.digging + soonest * 0.7 - Date.now()
    // as in vanilla, the block breaks when its time has come: on a busy machine we may have read late that it began
    if (status === 2 && allowed && early > 0) return setTimeout(digs, early + 1, { status, location, sequence })
    const done = status === 2 && allowed && me.digging
    if (done) {
      scene.set(at, 0)
      for (const other of server.all()) other.block(at)
      const held = me.pack[36 + me.hand]
      if (!kind.harvestTools || (held && kind.harvestTools[held.type])) {
        server.drop(new Item(scene.named('itemsByName', DROPS[kind.name] || kind.name).id, 1), at.offset(0.5, 0.2, 0.5))
      }
    } else if (status === 2 || (status === 0 && !allowed)) block(at)
    if (since('1.19')) send('acknowledge_player_digging', { sequenceId: sequence || 0 })
    else if (since('1.14.4')) {
      send('acknowledge_player_digging', {
        location: at, block: scene.get(at), status, successful: status !== 2 ? allowed : Boolean(done)
      })
    }
  }
  me.block = block

  client.on('block_place', (packet) => {
    if (packet.location.x === -1 && packet.direction === -1) return uses() // 1.8 eats like this
    const at = new Vec3(packet.location.x, packet.location.y, packet.location.z)
    if (since('1.19')) send('acknowledge_player_digging', { sequenceId: packet.sequence || 0 })
    const kind = scene.kind(at)
    if (WINDOWS[kind.name] && !me.sneaks) return open(WINDOWS[kind.name], at)
    const to = at.plus(new Vec3(...FACES[packet.direction]))
    const item = me.pack[36 + me.hand]
    const becomes = item && registry.blocksByName[registry.items[item.type].name]
    const inMe =
      Math.abs(to.x + 0.5 - me.at.x) < 0.8 &&
      Math.abs(to.z + 0.5 - me.at.z) < 0.8 &&
      to.y + 1 > me.at.y &&
      to.y < me.at.y + 1.8
    if (becomes && scene.get(to) === 0 && !inMe && reach(to)) {
      scene.set(to, scene.stateOf(becomes.name) + (since('1.13') ? 0 : item.metadata || 0))
      spend(36 + me.hand)
    }
    for (const other of server.all()) { other.block(at); other.block(to) }
  })

  // ---------------------------------------------------------------- hands

  client.on('held_item_slot', ({ slotId }) => { me.hand = slotId; me.eating = null })
  client.on('entity_action', ({ actionId }) => {
    if (actionId === 0 || actionId === 'start_sneaking') me.sneaks = true
    if (actionId === 1 || actionId === 'stop_sneaking') me.sneaks = false
  })
  client.on('player_input', ({ inputs }) => { me.sneaks = Boolean(inputs && inputs.shift) })
  client.on('use_item', (packet) => {
    if (since('1.19')) send('acknowledge_player_digging', { sequenceId: packet.sequence || 0 })
    uses()
  })

  function uses () {
    const slot = 36 + me.hand
    const food = me.pack[slot] && registry.foodsByName[registry.items[me.pack[slot].type].name]
    if (!food || me.food >= 20) return
    const bite = me.eating = {}
    setTimeout(() => {
      if (me.eating !== bite || me.gone) return
      me.food = Math.min(20, me.food + food.foodPoints)
      send('entity_status', { entityId: me.id, entityStatus: 9 })
      spend(slot)
      feel()
    }, settings.eats * TICK)
  }

  function spend (slot) {
    const item = me.pack[slot]
    me.pack[slot] = item.count > 1 ? new Item(item.type, item.count - 1, item.metadata) : null
    tell(forms.slot(0, ++me.state, slot, me.pack[slot]))
  }

  function thrown (all) {
    const slot = 36 + me.hand
    const item = me.pack[slot]
    if (!item) return
    toss(new Item(item.type, all ? item.count : 1, item.metadata))
    me.pack[slot] = all || item.count === 1 ? null : new Item(item.type, item.count - 1, item.metadata)
    tell(forms.slot(0, ++me.state, slot, me.pack[slot]))
  }

  const toss = (item) => settings.keeps ? me.take(item) : server.drop(item, me.at.offset(0, 0, 3), true)

  client.on('use_entity', ({ target, mouse }) => { if (mouse === 1) server.strike(target, me) })
  client.on('attack', ({ entityId }) => server.strike(entityId, me)) // since 26.1

  /** Into the pack: what there is already, then the first free place; false where there is no room. */
  me.take = (item) => {
    const order = [...Array(9).keys()].map((at) => at + 36).concat([...Array(27).keys()].map((at) => at + 9))
    const slot =
      order.find((at) => like(me.pack[at], item) && me.pack[at].count + item.count <= 64) ??
      order.find((at) => !me.pack[at])
    if (slot === undefined) return false
    me.pack[slot] = new Item(item.type, item.count + (me.pack[slot] ? me.pack[slot].count : 0), item.metadata)
    tell(forms.slot(0, ++me.state, slot, me.pack[slot]))
    return true
  }

  // ---------------------------------------------------------------- windows

  const resync = (window = own) => tell(forms.slots(window.id, ++me.state, window.slots, window.cursor))

  function open (kind, at) {
    me.windowId = me.windowId % 100 + 1
    const first = { crafting: 10, chest: 27, furnace: 3 }[kind]
    const held = kind === 'crafting' ? new Array(10).fill(null) : server.holder(at, first)
    me.window = {
      id: me.windowId,
      kind,
      slots: [...held, ...me.pack.slice(9, 45)],
      first,
      held,
      output: kind === 'crafting' ? 0 : kind === 'furnace' ? 2 : -1,
      cursor: null,
      grid: kind === 'crafting' ? [1, 9, 3] : null,
      clicks: settings.closes.shift()
    }
    tell(forms.open(me.windowId, kind))
    process.stdout.write('opened\n')
    resync(me.window)
  }

  /** What was moved in the window is moved in the pack, and in the chest. */
  function settle (window) {
    if (window === own) return
    window.slots.slice(window.first).forEach((item, at) => { me.pack[9 + at] = item })
    window.slots.slice(0, window.first).forEach((item, at) => { window.held[at] = item })
  }

  /** What the furnace has done since the window was last looked at. */
  const refresh = (window) => { if (window.kind === 'furnace') window.slots.splice(0, 3, ...window.held) }

  const cells = ({ slots, grid }) => grid ? slots.slice(grid[0], grid[0] + grid[1]) : []

  /** What the grid makes is told when a click has changed it, and only then, as in vanilla. */
  function outcome (window, old) {
    const now = cells(window)
    if (now.every((item, at) => item === old[at])) return
    window.slots[0] = result(server.recipes, Item, now, window.grid[2])
    tell(forms.slot(window.id, ++me.state, 0, window.slots[0]))
  }

  client.on('window_click', (packet) => {
    const window = me.window
    process.stdout.write('clicked\n')
    if (++me.clicked === settings.halts) kept = []
    if (packet.windowId !== window.id || (packet.mode !== 5 && ++me.clicks === settings.deaf)) return
    refresh(window)
    const before = window.slots[packet.slot] || null
    const old = cells(window)
    window.toss = toss
    window.take = () => {
      if (!window.grid) return
      const [first, count] = window.grid
      for (let slot = first; slot < first + count; slot++) {
        const item = window.slots[slot]
        if (item) window.slots[slot] = item.count > 1 ? new Item(item.type, item.count - 1, item.metadata) : null
      }
    }
    const known = click(window, packet, Item)
    settle(window)
    if (has('transactionPacketExists')) {
      const seen = Item.fromNotch(packet.item)
      const empty = !before || (packet.mode === 1 && has('quickMoveClickSendsEmptyItem'))
      const agrees =
        known &&
        (packet.slot === -999 || (empty ? !seen || !packet.item : like(before, seen) && before.count === seen.count))
      send('transaction', { windowId: window.id, action: packet.action, accepted: Boolean(agrees) })
      outcome(window, old)
      if (!agrees) resync(window)
      return
    }
    outcome(window, old)
    if (!known || !agree(window, packet)) resync(window)
  })

  /** Whether the client foresaw what the click did; slots are told by hash since 1.21.5. */
  function agree (window, packet) {
    const same = (told, item) => {
      const [type, count] = told ? [told.itemId, told.itemCount] : []
      return count ? Boolean(item) && item.type === type && item.count === count : !item
    }
    return (
      (packet.changedSlots || []).every(
        ({ location, item }) => location === window.output || same(item, window.slots[location])
      ) && same(packet.cursorItem, window.cursor)
    )
  }

  function close () {
    const window = me.window
    const left = window.grid
      ? window.slots.splice(window.grid[0], window.grid[1], ...new Array(window.grid[1]).fill(null))
      : []
    if (window.grid) window.slots[0] = null
    refresh(window)
    settle(window)
    me.window = own
    for (const item of [...left, window.cursor]) if (item && !me.take(item)) toss(item)
    own.cursor = window.cursor = null
  }
  client.on('close_window', ({ windowId }) => {
    close()
    if (settings.echoes) send('close_window', { windowId })
  })
  /** Close a window between two clicks, as vanilla does if its block is broken or its player is pushed away. */
  client.on('window_click', ({ windowId }) => {
    if (windowId !== me.window.id || !me.window.clicks || --me.window.clicks) return
    send('close_window', { windowId })
    close()
  })
  client.on('window_click', () => { if (me.clicked === settings.deadly) hurt(20) })

  // ---------------------------------------------------------------- words

  const said = ({ message }) => { for (const other of server.all()) other.tell(forms.chat(me.uuid, me.name, message)) }
  client.on('chat', said)
  client.on('chat_message', said)
  client.on('chat_command', ({ command }) => tell(forms.told(`Unknown or incomplete command: ${command}`)))
  client.on('end', () => { me.gone = true })
  client.on('error', (error) => { me.gone = true; console.error('cannot tell or hear', error) })
  /** Sent away with a text of the game, by its key. */
  me.kick = (key) => { me.gone = true; client.end(key, forms.translate(key)) }
  /** Tells what was kept, and keeps nothing more. */
  me.goOn = () => { const all = kept || []; kept = null; tell(...all) }
  /** Shows something as what the player's own grid would make. */
  me.show = (name, count) => tell(forms.slot(0, ++me.state, 0, give(name, count)))
  Object.assign(me, { enter, hurt, send })
  return me
}
