'use strict'
/**
 * Make the server object that the plug-ins share: who is connected, what is sent to several players, chat and commands.
 * minecraft-protocol speaks to the clients; the plug-ins do everything that concerns the world.
 */
const { EventEmitter } = require('node:events')
const { limit } = require('../shared/limits')
const need = require('../shared/need')

const LOGIN = 30 // seconds in which a client must log in, as in Minecraft

/**
 * Listen on loopback. The event `listening` or `error` tells the result.
 * @param {{version: string, [option: string]: unknown}} options for minecraft-protocol; `version` names the protocol
 * and
 *   the data of the game
 * @returns {Serv} the server; the plug-ins add what is theirs
 */
function createFrame (options) {
  const serv = /** @type {Serv} */ (/** @type {any} */ (new EventEmitter()))
  serv.setMaxListeners(0) // each plug-in listens for new players
  serv.registry = need('prismarine-registry')(options.version)
  serv.protocol = need('minecraft-protocol').createServer({ ...options, host: '127.0.0.1' })
  const admit = limit(serv.protocol.socketServer, LOGIN)
  serv.protocol.on('login', (/** @type {Client} */ client) => admit(client.socket))
  serv.protocol.on('error', (/** @type {Error} */ error) => serv.emit('error', error))
  serv.protocol.on('listening', () => {
    serv.listeningPort = serv.protocol.socketServer.address().port
    serv.emit('listening')
  })

  serv.writeAll = (name, fields) => serv.players.forEach((player) => player._client.write(name, fields))

  /** Send everybody a message of the server itself. @param {string} text */
  serv.broadcast = (text) => serv.players.forEach((player) => player.system(text))

  serv.commands = createCommands()
  serv.commands.add({ base: 'help', usage: '/help', action: () => serv.commands.usages().join(', ') })
  serv.commands.add({
    base: 'me',
    usage: '/me <text>',
    action: (text, { player }) => {
      for (const each of serv.players) each.say([`* ${player.username} ${text}`])
    }
  })

  /** Give a player who joins the functions for chat and commands. @param {Player} player */
  serv.equip = (player) => equip(serv, player)
  return serv
}

/** Return the commands that players can enter as a line that begins with a slash. @returns {Commands} */
function createCommands () {
  /** @type {Map<string, Command>} */
  const known = new Map()
  return {
    add (command) { known.set(command.base, command) },
    usages: () => [...known.values()].map((command) => command.usage).sort(),

    /**
     * @param {string} line without its slash @param {{player: Player}} context @returns {string | void} what the player
     * is told
     */
    use (line, context) {
      const [base, ...words] = line.split(' ')
      const command = known.get(base)
      return command ? command.action(words.join(' '), context) : 'Command not found'
    }
  }
}

/** @param {Serv} serv @param {Player} player */
function equip (serv, player) {
  /** @param {(string | object)[]} parts @param {number} position */
  const write = (parts, position) => player._client.write('chat', {
    message: JSON.stringify({ text: '', extra: parts.map((part) => typeof part === 'string' ? { text: part } : part) }),
    position,
    sender: '0'
  })

  /** Show the player a line of chat. @param {(string | object)[]} parts texts, or parts with a colour */
  player.say = (parts) => write(parts, 0)

  /** Show the player a message of the server itself. @param {string} text */
  player.system = (text) => write([text], 2)

  player.writeOthers = (name, fields) => {
    for (const each of serv.players) if (each !== player) each._client.write(name, fields)
  }

  player._client.on('chat', ({ message }) => {
    if (!message.startsWith('/')) {
      for (const each of serv.players) each.say([`<${player.username}> `, message])
      return
    }
    serv.log(`${player.username} issued command: ${message.split(' ')[0]}`)
    const answer = serv.commands.use(message.slice(1), { player })
    // show it after everything else of this tick
    if (answer) queueMicrotask(() => player.say([{ text: answer, color: 'red' }]))
  })
}

module.exports = { createFrame }
