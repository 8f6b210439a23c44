'use strict'
/** Tell the times of the day, in ticks, which mobs are met only by night, and who is fit to hunt them. */

const { DAY } = require('../danger')
const { dimensionOf, protection, slotFor } = require('../nature')
const { dangerOf } = require('./sources')

const DUSK = 12600 // from when one can sleep, and monsters come out
const DAWN = 23400
const FIT = 16 // health above which the bot hunts monsters at night
const ARMORED = 10 // and with this armor or better, which it puts on by itself: it takes more than half of each blow
const ARMOR = ['iron_helmet', 'iron_chestplate', 'iron_leggings', 'iron_boots']

/** Tell whether the bot is healthy enough to hunt monsters at night. @param {Bot} bot */
function isFit ({ health, inventory: { slots } }) {
  const isArmored = ARMOR.every((piece) => slots.some((item) =>
    item && slotFor(item.name) === slotFor(piece) && protection(item.name) >= protection(piece)))
  return health > (isArmored ? ARMORED : FIT)
}

/** Seconds until a mob comes out that is met only by night; 0 for others. @param {Bot} bot @param {string} mob */
function untilNight (bot, mob) {
  const { timeOfDay } = bot.time
  if (!dangerOf(mob) || dimensionOf(mob) !== 'overworld' || (timeOfDay >= DUSK && timeOfDay <= DAWN)) return 0
  return secondsUntil(bot, DUSK)
}

/** Return the seconds until the next such time of the day. @param {Bot} bot @param {number} time in ticks */
const secondsUntil = (bot, time) => Math.ceil(((time - bot.time.timeOfDay + DAY) % DAY) / 20)

module.exports = { ARMOR, DAWN, DUSK, isFit, secondsUntil, untilNight }
