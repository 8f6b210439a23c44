'use strict'
/**
 * End what mineflayer 4.39.0 does in a window when the server closes it, for example because the block was broken or
 * the bot died. mineflayer forgets what was moved in it, waits up to 20 seconds for an answer, and then goes on
 * clicking in the player's own inventory, sometimes without end.
 */
const { Fault } = require('../../shared/fault')
const { judgePackets } = require('./packets')

const MISSED = 'the server did not carry out every click'

/** @param {Bot} bot @param {(told: Promise<void>) => void} tell called then; `told` is when the inventory is right */
function endClicks (bot, tell) {
  const client = bot._client
  /** @type {any} */
  let open = null
  /** @type {any} */
  let closed = null // it stays the current window until the command closes it, and every click in it is refused
  let click = 0 // the number of the last one in the open window, up to 1.16
  bot.on('windowOpen', (window) => { open = window })
  client.on('close_window', ({ windowId }) => {
    if (open?.id !== windowId) return
    const window = open
    const empty = bot.closeWindow(window) // it copies what was moved
    // the server tells what it had not carried out
    end(window, empty.then(() => bot._syncWindow(bot.inventory)).catch(() => {}))
  })
  client.on('respawn', () => { if (open && open === bot.currentWindow) end(open, Promise.resolve()) })

  /** @param {any} window @param {Promise<void>} told */
  function end (window, told) {
    closed = bot.currentWindow = window
    open = null
    window.inventoryEnd = window.inventoryStart // so that nothing is copied again
    tell(told)
    // What mineflayer may wait for: its click, or the answer to it. Its next click is refused.
    bot.emit(`confirmTransaction${click}`, false)
    window.emit('updateSlot:0')
    bot.emit(`setWindowItems:${window.id}`)
  }

  judgePackets(bot, {
    close_window (packet) { if (packet.windowId === open?.id) open = null }, // some servers answer it with the same
    window_click (packet) {
      if (closed && bot.currentWindow === closed && packet.windowId === closed.id) {
        throw new Fault('the server closed the window')
      }
      if (packet.windowId === open?.id) click = packet.action
    }
  })
}

module.exports = { MISSED, endClicks }
