'use strict'
/**
 * Run flying-squid, or a fork of it, as it comes, without anything of ours, on loopback: node squid.js VERSION
 * [PACKAGE]. Prints {"port": …} once it listens. It lets everybody use its commands. It ends when its standard input does.
 */
const { createRequire } = require('node:module')
const path = require('node:path')
const need = createRequire(path.join(path.resolve(process.env.AUTOCRAFT_NODE_MODULES), 'x.js'))

const say = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr) // it draws a prompt
process.on('uncaughtException', (error) => console.error('uncaught', error))
process.on('unhandledRejection', (error) => console.error('unhandled', error))

const serv = need(process.argv[3] || 'flying-squid').createMCServer({
  host: '127.0.0.1',
  port: 0,
  version: process.argv[2],
  motd: 'stock flying-squid',
  'max-players': 5,
  'online-mode': false,
  'everybody-op': true,
  logging: false,
  gameMode: 0,
  difficulty: 1,
  worldFolder: undefined,
  generation: { name: 'superflat', options: { seed: 1, version: process.argv[2] } },
  kickTimeout: 60000,
  plugins: {},
  modpe: false,
  'view-distance': 3,
  'player-list-text': { header: '', footer: '' },
  hideErrors: true
})
const tell = () => say(JSON.stringify({ port: serv._server.socketServer.address().port }) + '\n')
if (serv._server.socketServer?.listening) tell()
else serv._server.once('listening', tell)
process.stdin.on('end', () => process.exit(0)).resume()
