'use strict'
/** Tell the times of the day, in ticks, which mobs are met only by night, and who is fit to hunt them. */

const { DAY } = require('../danger')
const { dimensionOf } = require('../nature')
const { dangerOf } = require('./sources')

const DUSK = 12600 // from when one can sleep, and monsters come out
const DAWN = 23400
const FIT = 16 // health above which the bot hunts monsters at night

/** Seconds until a mob comes out that is met only by night; 0 for others. @param {Bot} bot @param {string} mob */
function untilNight (bot, mob) {
  const { timeOfDay } = bot.time
  if (!dangerOf(mob) || dimensionOf(mob) !== 'overworld' || (timeOfDay >= DUSK && timeOfDay <= DAWN)) return 0
  return secondsUntil(bot, DUSK)
}

/** Return the seconds until the next such time of the day. @param {Bot} bot @param {number} time in ticks */
const secondsUntil = (bot, time) => Math.ceil(((time - bot.time.timeOfDay + DAY) % DAY) / 20)

module.exports = { DAWN, DUSK, FIT, secondsUntil, untilNight }
