'use strict'
/**
 * Every command of the bot. `look` answers at once, `(bot, args) => text or object`; `act` takes time of the game,
 * `async (bot, args, task) => text`, and throws a Fault with what a player would be told.
 */

/** @type {Record<string, Look>} */
const look = { ...require('./look'), ...require('../plan'), read: require('../program').read }
/** @type {Record<string, Act>} */
const act = {
  ...require('./walk'),
  ...require('./mine'),
  ...require('./craft'),
  ...require('./smelt'),
  ...require('./place'),
  ...require('./farm'),
  ...require('./hands'),
  ...require('./chest'),
  ...require('./fight'),
  ...require('./talk'),
  ...require('./undo'),
  ...require('./controls')
}

module.exports = { look, act }
