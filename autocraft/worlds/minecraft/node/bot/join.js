'use strict'
/** Joining a server with mineflayer, and telling apart why a connection did not come about or ended. */
const need = require('./need')
const { real } = require('./clock')
const { Fault } = require('./fault')
const { wordsOf } = require('./words')

const PLUGINS = ['./bounds', './seen', './movement', './reflexes', './journal']

/**
 * @param {any} options host, port, version ('' asks the server), username, auth, profiles (folder of tokens), bounds,
 *   reflexes, chests
 * @param {(event: object) => void} tell
 * @param {import('./lockstep').Lockstep|null} lockstep
 * @returns {Promise<any>} the bot, spawned
 */
async function join (options, tell, lockstep) {
  const mineflayer = need('mineflayer')
  const bot = mineflayer.createBot({
    host: options.host,
    port: options.port,
    username: options.username,
    auth: options.auth || 'offline',
    version: options.version || false,
    profilesFolder: options.profiles || undefined,
    onMsaCode: (code) => tell({ event: 'sign_in', url: code.verification_uri, code: code.user_code }),
    hideErrors: true,
    checkTimeoutInterval: lockstep ? 2 ** 30 : 60_000,
    respawn: true,
    viewDistance: 'short'
  })
  bot.options_ = options
  bot.tell = tell
  bot.left = null
  const leave = (kind, why) => {
    if (bot.left) return
    bot.left = new Fault(why, kind)
    if (lockstep) lockstep.leave()
    bot.emit('autocraft_left', bot.left)
  }
  bot._client.on('error', (error) => leave('lost', said(error)))
  bot.on('error', (error) => leave('lost', said(error)))
  bot.on('kicked', (reason) => leave('kicked', wordsOf(reason)))
  bot.on('end', (reason) => leave('lost', reason === 'socketClosed' ? 'the server closed it' : String(reason)))
  bot.once('inject_allowed', () => {
    bot.loadPlugin(need('mineflayer-pathfinder').pathfinder)
    for (const each of PLUGINS) bot.loadPlugin(require(each))
  })
  // The clock must not go on once the bot has its place, or it would begin to fall at a moment that is not repeatable.
  let stand = lockstep ? lockstep.clock.run() : () => {}
  let spawned = false
  bot._client.once('position', () => {
    stand()
    if (lockstep) real.setTimeout(() => { if (!spawned) stand = lockstep.clock.run() }, 500)
  })
  await new Promise((resolve, reject) => {
    bot.once('spawn', () => { spawned = true; stand(); resolve() })
    bot.once('autocraft_left', reject)
    bot._client.once('disconnect', (packet) => leave('kicked', wordsOf(packet.reason)))
  })
  if (lockstep) await lockstep.join(bot._client)
  return bot
}

/** @param {any} error */
function said (error) {
  if (error.code === 'ECONNREFUSED') return 'nothing listens there'
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'there is no such host'
  if (error.code === 'ECONNRESET') return 'the connection was reset'
  return String(error.message || error.code || error).split('\n')[0].slice(0, 300)
}

module.exports = { join }
