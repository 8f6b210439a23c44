'use strict'
/** Keep what players carry, and carry out every click in a window: confirm it, then show the window as it really is. */
const { createStacks, less } = require('../stacks')
const { click } = require('../clicks')
const { ownWindow, boxWindow, place } = require('../windows')
const need = require('../../shared/need')

/** What the client is taken to show in the slot that it clicked, since it may have computed another result. */
const UNSURE = { name: '', count: 0 }
const REACH = 8 // blocks; a window closes when its player is farther from it

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const Item = need('prismarine-item')(serv.registry)
  const stacks = createStacks(serv.registry, Item)
  serv.stacks = stacks

  serv.on('newPlayer', (player) => {
    player.slots = new Array(46).fill(null) // 5 to 8 armor, 9 to 35 inventory, 36 to 44 quick bar, 45 off hand
    player.grid = new Array(4).fill(null)
    player.cursor = null
    player.held = 0
    player.ownWindow = ownWindow(player, serv.craftingResult(player.grid, 2))
    player.window = player.ownWindow
    player.lastWindowId = 0
    /** @type {(Stack | null)[]} */
    let shown = []

    player.inHand = () => player.slots[36 + player.held]

    /** Send every slot to the client. */
    player.sendInventory = () => {
      shown = player.window.places.map((p) => p.get())
      player._client.write('window_items', { windowId: player.window.id, items: shown.map(stacks.wire) })
      sendCursor()
      serv.emit('inventoryChanged', player)
    }

    /** Send the slots that have changed since they were shown. */
    player.showChanges = () => {
      player.window.places.forEach((p, slot) => {
        const stack = p.get() ?? null
        if (equal(stack, shown[slot] ?? null)) return
        shown[slot] = stack
        player._client.write('set_slot', { windowId: player.window.id, slot, item: stacks.wire(stack) })
      })
      serv.emit('inventoryChanged', player)
    }

    player.setSlot = (slot, stack) => {
      player.slots[slot] = stack
      player.showChanges()
    }

    /** @returns {number} how many found no room */
    player.give = (stack) => {
      const order = []
      for (let i = 36; i < 45; i++) order.push(place(player.slots, i))
      for (let i = 9; i < 36; i++) order.push(place(player.slots, i))
      const left = stacks.store(stack, order)
      player.showChanges()
      return left
    }

    /** Give a stack to the player, and throw to the ground what finds no room. */
    player.giveOrDrop = (stack) => {
      const left = player.give(stack)
      if (left) serv.throwItem(player, { ...stack, count: left })
    }

    /** Take n items from the stack in the hand. */
    player.spendHeld = (n = 1) => {
      const held = player.inHand()
      if (held) player.setSlot(36 + player.held, less(held, n))
    }

    player.openWindow = (parts) => {
      player.closeWindow(false)
      player.lastWindowId = player.lastWindowId % 100 + 1
      player.window = boxWindow(player, { id: player.lastWindowId, ...parts })
      player._client.write('open_window', {
        windowId: player.window.id,
        inventoryType: parts.type,
        windowTitle: JSON.stringify({ text: parts.title })
      })
      player.sendInventory()
      player.window.opened?.()
    }

    player.closeWindow = (tell = true) => {
      const { window } = player
      if (window !== player.ownWindow && tell) player._client.write('close_window', { windowId: window.id })
      window.closed?.()
      player.window = player.ownWindow
      shown = []
      for (const list of [window.gridList, player.grid]) {
        if (list) {
          list.forEach((stack, i) => {
            if (stack) {
              list[i] = null
              player.giveOrDrop(stack)
            }
          })
        }
      }
      if (player.cursor) serv.throwItem(player, player.cursor) // as in the game up to 1.16
      player.cursor = null
      if (tell) player.sendInventory()
    }

    function sendCursor () {
      player._client.write('set_slot', { windowId: -1, slot: -1, item: stacks.wire(player.cursor) })
    }

    player._client.on('window_click', ({ windowId, slot, mouseButton, action, mode }) => {
      const known = windowId === player.window.id && player.health > 0
      if (known) {
        for (const stack of click(player.window, player, stacks, { slot, button: mouseButton, mode })) {
          serv.throwItem(player, stack)
        }
      }
      player._client.write('transaction', { windowId, action, accepted: known })
      if (slot in shown) shown[slot] = UNSURE
      if (known) player.showChanges()
      else player.sendInventory()
      sendCursor()
      serv.emit('clicked', player)
    })

    player._client.on('close_window', () => {
      player.closeWindow(false)
      player.sendInventory()
    })

    player._client.on('held_item_slot', ({ slotId }) => {
      if (!Number.isInteger(slotId) || slotId < 0 || slotId > 8) return
      player.held = slotId
      player.emit('heldChanged')
      serv.emit('inventoryChanged', player)
    })
  })

  serv.onTick(() => {
    for (const player of serv.players) {
      const at = player.window.at
      if (at && (player.position.distanceTo(at) > REACH || serv.world.name(at.x, at.y, at.z) !== player.window.block)) {
        player.closeWindow()
      }
    }
  })

  serv.on('leaving', (player) => player.closeWindow(false))
  serv.on('keepPlayer', (player, kept) => Object.assign(kept, { slots: player.slots, held: player.held }))
  serv.on('restorePlayer', (player, kept) => {
    player.slots.splice(0, 46, ...kept.slots)
    player.held = kept.held
  })
}

/** @param {Stack | null} a @param {Stack | null} b */
function equal (a, b) {
  return (
    a === b || (a !== null && b !== null && a.name === b.name && a.count === b.count && (a.wear ?? 0) === (b.wear ?? 0))
  )
}
