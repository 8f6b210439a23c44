'use strict'
/**
 * Keep the connections of a server within limits, as autocraft/web/loopback.py does in Python. A connection is a
 * stranger's until it is admitted. Strangers stay a few seconds, and give way to others.
 */
const { lineOf, log } = require('./lines')

const MOST_OPEN = 64 // connections that a server holds at once
const SECONDS = 5

/**
 * @param {import('node:net').Server} server that shall have limits
 * @param {number} [seconds] how long a stranger may stay; seconds in which this process was busy do not count
 * @returns {(socket: import('node:net').Socket) => void} lets a connection stay: it has shown whose it is
 */
function limit (server, seconds = SECONDS) {
  /** All open connections, the oldest first, with the seconds for which a stranger has been here. */
  const open = new Map()
  /** @param {import('node:net').Socket} socket */
  const end = (socket) => { open.delete(socket); socket.destroy() }
  const strangers = () => [...open].filter(([, stays]) => stays !== null)

  server.on('connection', (socket) => {
    if (open.size >= MOST_OPEN) {
      const [oldest] = strangers()
      if (!oldest) return socket.destroy()
      end(oldest[0])
    }
    open.set(socket, 0)
    socket.on('close', () => open.delete(socket))
  })
  server.on('error', (error) => log('listening:', lineOf(error)))
  setInterval(() => {
    for (const [socket, stays] of strangers()) {
      if (stays >= seconds) end(socket)
      else open.set(socket, stays + 1)
    }
  }, 1000).unref()

  return (socket) => { if (open.has(socket)) open.set(socket, null) }
}

module.exports = { limit }
