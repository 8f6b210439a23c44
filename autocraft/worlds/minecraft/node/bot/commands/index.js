'use strict'
/**
 * List every command of the bot. A function of `look` answers at once. A function of `act` takes time of the game,
 * returns what was done, and throws a Fault with a message for the player. Their names are those of the protocol, so
 * they are in snake_case.
 */

/** @type {Record<string, Look>} */
const look = {
  ...require('./look'), ...require('../plan'), ...require('../plan/prices'), read: require('../program').read,
  map: require('../map').map, view: require('../view').view, ...require('./build').look
}
/** @type {Record<string, Act>} */
const act = {
  ...require('./walk'),
  ...require('./mine'),
  ...require('./craft'),
  ...require('./smelt'),
  ...require('./place'),
  ...require('./farm'),
  ...require('./buckets'),
  ...require('./hands'),
  ...require('./toss'),
  ...require('./people'),
  ...require('./chest'),
  ...require('./fight'),
  ...require('./talk'),
  shelter: require('./shelter').shelter,
  ...require('./undo'),
  ...require('./build').act,
  ...require('./controls')
}

module.exports = { look, act }
