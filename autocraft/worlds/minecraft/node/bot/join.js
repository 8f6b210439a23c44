'use strict'
/** Join a server with mineflayer, and tell apart why a connection failed or ended. */
const need = require('../shared/need')
const cut = require('../shared/cut')
const { real } = require('./clock')
const { spawnWithoutHealth } = require('./patches/health')
const { mendRecipes } = require('./patches/recipes')
const { onDeclined } = require('./patches/sign_in')
const { Fault, reasonOf } = require('../shared/fault')
const { wordsOf } = require('./words')
const { names } = require('./names')

/** Milliseconds to wait for the bot's health, after which the server counts as one that never reports it. */
const WITHOUT_HEALTH = 5000
/** Milliseconds to wait for a server of another version, which may let the bot in nevertheless. */
const PATIENCE = 6000
/** The version whose English texts are used. Older versions name texts that they do not have. */
const LANGUAGE = '1.21.4'
const PLUGINS = [
  './hands', './bounds', './eyes', './sightings', './places', './movement', './reflexes', './journal', './deeds'
]

/**
 * @param {JoinOptions} options
 * @param {Autocraft['tell']} tell
 * @param {import('./lockstep').Lockstep|null} lockstep
 * @returns {Promise<Bot>} the bot, spawned
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
  bot.autocraft = /** @type {Autocraft} */ ({ options, tell, ending: null, freePlace: null })
  /** @param {string} kind @param {string} why */
  const leave = (kind, why, more = {}) => {
    if (bot.autocraft.ending) return
    bot.autocraft.ending = Object.assign(new Fault(why, kind), more)
    if (lockstep) lockstep.leave()
    bot.emit('autocraft_left', bot.autocraft.ending)
  }
  bot._client.on('error', (error) => leave('lost', reasonOfError(error)))
  bot.on('error', (error) => leave('lost', reasonOfError(error)))
  bot.on('kicked', (reason) => leave('kicked', ...reasonOfKick(reason)))
  bot.on('resourcePack', () => { // some servers kick a player who refuses their resource pack
    // before that mineflayer accepts it, and the server does not expect a second answer
    if (bot._client.state === 'play') bot.acceptResourcePack()
  })
  bot.on('end', (reason) => leave('lost', reason === 'socketClosed' ? 'the server closed it' : String(reason)))
  bot.once('inject_allowed', () => {
    bot.loadPlugin(need('mineflayer-pathfinder').pathfinder)
    mendRecipes(bot.registry)
    bot.loadPlugin(names)
    for (const each of PLUGINS) bot.loadPlugin(require(each))
  })
  // The clock must stop when the bot has its place. Otherwise the bot would begin to fall at a moment that is not
  // repeatable.
  let stand = lockstep ? lockstep.clock.run() : () => {}
  let spawned = false
  bot._client.once('position', () => {
    stand()
    if (lockstep) real.setTimeout(() => { if (!spawned) stand = lockstep.clock.run() }, 500)
    else real.setTimeout(() => { if (!spawned && !bot.autocraft.ending) spawnWithoutHealth(bot) }, WITHOUT_HEALTH)
  })
  if (options.auth === 'microsoft') {
    onDeclined(() => leave('failed', 'the sign-in was declined at Microsoft; run it again and accept it there'))
  }
  if (options.version && !lockstep) otherVersion(options, (why) => { if (!spawned) leave('lost', why) })
  await /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
    bot.once('spawn', () => { spawned = true; stand(); resolve() })
    bot.once('autocraft_left', reject)
    bot._client.once('disconnect', (packet) => leave('kicked', ...reasonOfKick(packet.reason)))
  }))
  if (lockstep) await lockstep.join(bot._client)
  else await ground(bot)
  return bot
}

/**
 * Wait until the ground under the feet is loaded, so that the first look and the first step see it.
 * @param {Bot} bot
 */
async function ground (bot) {
  for (let turn = 0; turn < 50 && !bot.autocraft.ending && !bot.blockAt(bot.entity.position); turn++) {
    await new Promise((resolve) => real.setTimeout(resolve, 100))
  }
}

/**
 * Call `tell` after a while if the server says that it speaks another version than the configured one. Some servers do
 * not refuse such a client, but never let it in.
 * @param {JoinOptions} options @param {(why: string) => void} tell
 */
function otherVersion (options, tell) {
  const wanted = need('minecraft-data')(options.version ?? '')
  if (!wanted) return // mineflayer says so itself
  need('minecraft-protocol')
    .ping({ host: options.host, port: options.port, version: options.version, closeTimeout: PATIENCE })
    .then(
      ({ version }) => {
        if (!version || version.protocol === wanted.version.version) return
        real.setTimeout(
          () => tell(`the server speaks ${wordsOf(version.name)}, not ${options.version}: give that version, or none`),
          PATIENCE
        )
      },
      () => {}
    )
}

/**
 * Return in English why a server kicks the bot, and whether the reason is a second login of the account. A server
 * mostly sends the key of a text that the client has.
 * @param {any} reason @returns {[string, {replaced: boolean}]}
 */
function reasonOfKick (reason) {
  const { language } = need('minecraft-data')(LANGUAGE)
  const words = wordsOf(reason, language)
  const replaced = words.startsWith(language['multiplayer.disconnect.duplicate_login'])
  return [replaced ? `${words}: each client needs a --username of its own` : words, { replaced }]
}

/** @param {any} error */
function reasonOfError (error) {
  if (error.code === 'ECONNREFUSED') return 'nothing listens there'
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'there is no such host'
  if (error.code === 'ECONNRESET') return 'the connection was reset'
  if (error.message === 'Authentication failed, timed out') {
    return 'nobody entered the code in time; start again to get a new code'
  }
  return cut(reasonOf(error).split('\n')[0] || String(error.code), 300)
}

module.exports = { join }
