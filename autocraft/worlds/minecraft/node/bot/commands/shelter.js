'use strict'
/** Wait in safety, in a bed or closed in, until it is day and wounds are healed. */
const { Fault, reasonOf } = require('../../shared/fault')
const { dayOf, isNight, monsters } = require('../danger')
const { HEALS } = require('../facts')
const { shelter: shelterBefore } = require('../plan/living')
const { closeIn, closedIn } = require('../shelter')
const { place } = require('../words')
const { sleep } = require('./farm')
const { nearestBed } = require('./near')

const WELL = 16 // health with which the bot comes out
const NEAR = 8 // blocks within which a monster makes the bot wait; twice as far if the bot is hurt
const BESIDE = 4 // blocks within which a monster strikes before the bot is closed in
const FIGHT = 200 // ticks that a fight may last before the bot closes itself in all the same
const AGAIN = 60 // seconds of work in danger after a shelter that could not be made
const PATIENCE = 30 // seconds that the bot waits for monsters by day, and for wounds

/**
 * Wait in safety. Throws a Fault if it is day and the bot is no better off than before, so that the planner continues
 * with something else.
 * @param {Bot} bot @param {object} args @param {Task} task
 */
async function shelter (bot, args, task) {
  const bed = isNight(bot) && !monsters(bot, 12).length && nearestBed(bot, 24)
  if (bed) {
    try {
      const slept = await sleep(bot, args, task)
      bot.autocraft.tell({ event: 'did', what: 'sleep', count: 1 })
      return slept
    } catch (error) {
      task.goOnAfter(error)
      task.say(`It did not sleep: ${reasonOf(error)}.`)
    }
  }
  await fightFirst(bot, task)
  await bot.autocraft.hands.keep(task, () => closeIn(bot, task))
  const at = place(bot.entity.position)
  task.say(`Closed in at ${at}.`)
  const { health } = bot
  await untilSafe(bot, task)
  const how = `health ${Math.round(bot.health)}, food ${bot.food}`
  const hurt = bot.health < WELL && bot.health <= health
  const watched = monsters(bot, NEAR).length > 0
  if (hurt && !isNight(bot) && (bot.food >= HEALS || watched)) {
    const why = watched ? 'a monster still waits outside' : 'no wound heals'
    throw new Fault(`Sheltered for ${PATIENCE} seconds, but ${why}: ${how}`)
  }
  return `Sheltered at ${at}; it is ${isNight(bot) ? 'still night' : `day ${dayOf(bot)}`}, ${how}.`
}

/**
 * Wait while the bot fights or flees from monsters beside it: no hole can be closed under their blows.
 * @param {Bot} bot @param {Task} task
 */
async function fightFirst (bot, task) {
  if (bot.autocraft.options.reflexes?.fight === 'off') return
  for (let left = FIGHT; left > 0 && !closedIn(bot) && monsters(bot, BESIDE).length; left -= 5) await task.ticks(5)
}

/**
 * Wait for the day, and a while longer for wounds to heal and for monsters to go. What opens meanwhile is closed again.
 * @param {Bot} bot @param {Task} task
 */
async function untilSafe (bot, task) {
  let { health } = bot
  let since = Date.now()
  for (;;) {
    await bot.autocraft.hands.keep(task, () => closeIn(bot, task))
    if (bot.health > health) since = Date.now()
    health = bot.health
    const late = Date.now() - since > PATIENCE * 1000
    const well = bot.health >= WELL || bot.food < HEALS
    const near = bot.health < WELL ? 2 * NEAR : NEAR
    if (!isNight(bot) && (late || (well && !monsters(bot, near).length))) return
    if (isNight(bot)) since = Date.now()
    await task.ticks(20)
  }
}

/**
 * Return a function that brings the bot to safety where the planner would, for a command of many steps in the open.
 * Work goes on in danger for a while where no shelter can be made.
 * @param {Bot} bot @param {string} name of the command @param {Task} task
 */
function keepSafe (bot, name, task) {
  let after = 0
  return async () => {
    const step = Date.now() < after ? null : shelterBefore(bot, [{ name, args: {}, why: '' }])
    if (!step) return
    task.progress = `waits in safety, since ${step.why}`
    try {
      await shelter(bot, {}, task)
    } catch (error) {
      task.goOnAfter(error)
      after = Date.now() + AGAIN * 1000
      task.say(`No shelter: ${reasonOf(error)}.`)
    }
  }
}

module.exports = { keepSafe, shelter }
