'use strict'
/**
 * Serve the page that draws what the bot sees, with prismarine-viewer. It is a child of its own, since the bot opens
 * no port. It speaks the lines of `../shared/lines.js`: `start` with the game's version, then `show` with what the bot
 * saw. Its event is `watched`, when a browser comes, and when the last one has gone.
 *
 * The page is on loopback and its path is secret. Its scripts can talk to this server only.
 */
const { randomBytes } = require('node:crypto')
const { createServer } = require('node:http')
const path = require('node:path')
const need = require('../shared/need')
const { Fault } = require('../shared/fault')
const { limit } = require('../shared/limits')
const { send, serve } = require('../shared/lines')
const { watch } = require('../shared/watchdog')

const HEADERS = {
  'Content-Security-Policy': "default-src 'self'; img-src 'self' data: blob:; style-src 'unsafe-inline'; " +
    "script-src 'self' 'unsafe-eval'",
  'Cache-Control': 'private, max-age=86400',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff'
}
/** @type {any} the sockets of the browsers */
let browsers = null

/** @param {Request} request */
function carryOut ({ method, params }) {
  if (method === 'start') return start(params.version)
  if (method !== 'show' || !browsers) throw new Fault(`the view has no request ${method} now`, 'invalid')
  for (const [name, data] of params.sent) browsers.emit(name, data)
}

/** @param {string} version of the game @returns {Promise<{port: number, path: string}>} */
async function start (version) {
  const name = randomBytes(32).toString('base64url')
  const app = need('express')()
  const server = createServer(app)
  const admit = limit(server)
  /**
   * Tell whether a request has the host and origin of this server, as those of its own page have. One that knows the
   * path may stay.
   * @param {import('node:http').IncomingMessage} request
   */
  const isOurs = ({ headers, socket, url }) => {
    const address = server.address()
    const host = `localhost:${typeof address === 'object' && address?.port}`
    const ours = headers.host === host && [undefined, `http://${host}`].includes(headers.origin)
    if (ours && url?.startsWith(`/${name}/`)) admit(socket)
    return ours
  }
  server.on('upgrade', isOurs) // socket.io itself asks nothing about a connection that goes on with a session
  app.disable('x-powered-by')
  app.use((/** @type {any} */ request, /** @type {any} */ response, /** @type {() => void} */ next) => {
    if (!isOurs(request)) return response.status(403).end()
    response.set(HEADERS)
    next()
  })
  const folder = path.join(process.env.AUTOCRAFT_NODE_MODULES ?? '', 'prismarine-viewer', 'public')
  app.use(`/${name}`, need('express').static(folder))
  browsers = new (need('socket.io').Server)(server, {
    path: `/${name}/socket.io`,
    serveClient: false,
    allowRequest: (/** @type {any} */ request, /** @type {any} */ answer) => answer(null, isOurs(request))
  })
  browsers.on('connection', (/** @type {any} */ browser) => {
    browser.emit('version', version)
    send({ event: 'watched', on: true })
    browser.on('disconnect', () => { if (!browsers.sockets.sockets.size) send({ event: 'watched', on: false }) })
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Fault('it has no port')
  return { port: address.port, path: name }
}

process.on('uncaughtException', (error) => console.error('uncaught:', error))
watch()
serve({ carryOut, leave: () => process.exit(0) })
