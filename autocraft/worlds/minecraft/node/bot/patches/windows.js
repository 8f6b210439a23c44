'use strict'
/**
 * End what mineflayer 4.39.0 does in a window when the server closes it, for example because the block was broken.
 * mineflayer forgets what was moved in it, waits up to 20 seconds for an answer, and then goes on clicking in the
 * player's own inventory, sometimes without end.
 */
const { Fault } = require('../../shared/fault')
const { judgePackets } = require('./packets')

/** @param {Bot} bot */
function endClicks (bot) {
  const client = bot._client
  /** @type {any} */
  let open = null
  /** @type {any} */
  let closed = null // it stays the current window until the command closes it, and every click in it is refused
  /** @type {any} */
  let last = null // click
  const refuse = () => { throw new Fault('the server closed the window') }
  bot.on('windowOpen', (window) => { open = window })
  client.on('close_window', ({ windowId }) => {
    if (open?.id !== windowId) return
    const [window, click] = [open, last]
    open = null
    void bot.closeWindow(window) // it copies what was moved
    bot._syncWindow(bot.inventory).catch(() => {}) // and the server tells what it had not carried out
    closed = bot.currentWindow = window
    const inventoryStart = window.inventoryEnd // so that nothing is copied again
    Object.assign(window, { inventoryStart, findItemRange: refuse, findInventoryItem: refuse })
    // What mineflayer may wait for. It goes on to its next click, which is refused.
    if (click?.windowId === windowId && click.action) client.emit('transaction', { ...click, accepted: true })
    window.emit('updateSlot:0')
    bot.emit(`setWindowItems:${windowId}`)
  })
  judgePackets(bot, {
    window_click (packet) {
      if (closed && bot.currentWindow === closed && packet.windowId === closed.id) refuse()
      last = packet
    }
  })
}

module.exports = { endClicks }
