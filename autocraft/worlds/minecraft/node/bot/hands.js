'use strict'
/**
 * Let only one user at a time control the bot's hands and legs: a command, or a reflex. A reflex that can wait begins
 * only while no command uses them. A reflex that saves the bot's life interrupts the command, which then continues.
 */
const { real } = require('./clock')
const { Fault } = require('../shared/fault')
const { MISSED, endClicks } = require('./patches/windows')

const ENDS = 3000 // milliseconds in which mineflayer ends what is broken off

/** @param {Bot} bot */
module.exports = function hands (bot) {
  let users = 0
  let keeps = 0
  /** @type {Promise<void> | null} */
  let reflex = null
  let interruptions = 0
  /** When the inventory was right again after the server has closed a window. @type {Promise<void> | null} */
  let told = null
  endClicks(bot, (now) => { told = now })

  bot.autocraft.hands = {
    /** How often a reflex has taken control. If this number has changed, a command was interrupted. */
    get interruptions () { return interruptions },

    /** How often the bot has fled. */
    flights: 0,

    /** How many crafts in a row the server has not answered; one more is forgiven after one that it did answer. */
    unanswered: 0,

    get reflex () { return reflex },

    /** Whether a reflex that can wait may begin. */
    get free () {
      const { pathfinder } = bot
      return !users && !keeps && !reflex && !bot.currentWindow && !bot.targetDigBlock &&
        !pathfinder.isMining() && !pathfinder.isBuilding()
    },

    /** Whether an urgent reflex may begin: digging may be interrupted, but no action that takes only a moment. */
    get ready () {
      return !reflex && !keeps && (!users || Boolean(bot.targetDigBlock)) && !bot.pathfinder.isBuilding()
    },

    /** Wait until no reflex has control. @param {Task} task */
    async rest (task) { while (reflex && !task.reflex) await task.wait(reflex) },

    /** Take control for a command. Until `act` ends, no reflex that can wait begins. @param {Task} task */
    async use (task, act) {
      await bot.autocraft.hands.rest(task)
      users++
      try { return await act() } finally { users-- }
    },

    /** Take control for an action that saves the bot itself. No reflex begins meanwhile. @param {Task} task */
    async keep (task, act) {
      await bot.autocraft.hands.rest(task)
      keeps++
      try { return await act() } finally { keeps-- }
    },

    get told () { return told },

    /**
     * Wait for what mineflayer does. If that is broken off, let mineflayer end: it would go on in what comes next.
     * @template T @param {Task} task @param {Promise<T>} work @param {number} seconds @param {string} [what]
     */
    async ended (task, work, seconds, what) {
      try {
        return await task.wait(work, seconds, what)
      } catch (error) {
        if (!bot.autocraft.ending) await ends(work)
        throw error
      }
    },

    /**
     * Wait for what mineflayer clicks in a window, and until the server has told what it carried out. If that is broken
     * off, put away what is on the cursor. Throws a Fault if the server closes the window.
     * @template T @param {Task} task @param {Promise<T>} work @param {number} seconds @param {string} [what]
     */
    async clicks (task, work, seconds, what) {
      const before = told
      try {
        const done = await this.ended(task, work, seconds, what)
        // since 1.17 a server does not say which clicks it has not carried out
        await task.wait(bot._syncWindow(bot.currentWindow ?? bot.inventory), 5).catch(() => task.check())
        const window = bot.currentWindow ?? bot.inventory
        if (told === before && window.selectedItem) throw new Fault(MISSED)
        if (told === before) return done
      } catch (error) {
        if (task.stopped?.kind === 'dead' || bot.autocraft.ending) throw error
        if (told === before) {
          await ends(putAway(bot))
          throw error
        }
      }
      await task.wait(told ?? Promise.resolve(), 5).catch(() => task.check())
      await task.ticks(2)
      throw new Fault('the server closed the window')
    },

    /** Take control for a reflex, and interrupt what the command does. */
    async interrupt (act) {
      interruptions++
      const work = (async () => {
        bot.pathfinder.setGoal(null)
        bot.stopDigging()
        bot.clearControlStates()
        return act()
      })()
      reflex = work.then(() => {}, () => {}).finally(() => { reflex = null })
      const done = await work
      await reflex
      return done
    }
  }
}

/** Wait until something has ended, at most for a moment. @param {Promise<unknown>} work */
const ends = (work) =>
  Promise.race([work.catch(() => {}), new Promise((resolve) => real.setTimeout(resolve, ENDS))])

/**
 * Put what is on the cursor into the inventory, and what is in the player's own crafting grid. When a window is closed,
 * a server up to 1.16 throws what is on the cursor to the ground.
 * @param {Bot} bot
 */
async function putAway (bot) {
  const window = bot.currentWindow ?? bot.inventory
  if (window.selectedItem) await bot.putSelectedItemRange(window.inventoryStart, window.inventoryEnd, window, null)
  if (window === bot.inventory) await bot.closeWindow(window)
  await bot._syncWindow(window)
}
