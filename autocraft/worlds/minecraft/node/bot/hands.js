'use strict'
/**
 * Let only one user at a time control the bot's hands and legs: a command, or a reflex. A reflex that can wait begins
 * only while no command uses them. A reflex that saves the bot's life interrupts the command, which then continues.
 */

/** @param {Bot} bot */
module.exports = function hands (bot) {
  let users = 0
  let keeps = 0
  /** @type {Promise<void> | null} */
  let reflex = null
  let interruptions = 0

  bot.autocraft.hands = {
    /** How often a reflex has taken control. If this number has changed, a command was interrupted. */
    get interruptions () { return interruptions },

    /** How often the bot has fled. */
    flights: 0,

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
