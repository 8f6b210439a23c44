'use strict'
/**
 * Let one at a time use the bot's hands and legs: a command, or a reflex. A reflex that can wait begins only while no
 * command uses them. One that saves the bot's life interrupts the command, which goes on afterwards.
 */

/** @param {Bot} bot */
module.exports = function hands (bot) {
  let users = 0
  let kept = 0
  /** @type {Promise<void> | null} */
  let reflex = null
  let seizures = 0

  bot.autocraft.hands = {
    /** How often a reflex has taken them: a command that sees another number was interrupted. */
    get seizures () { return seizures },

    get reflex () { return reflex },

    /** Whether a reflex that can wait may begin. */
    get free () {
      const { pathfinder } = bot
      return !users && !kept && !reflex && !bot.currentWindow && !bot.targetDigBlock &&
        !pathfinder.isMining() && !pathfinder.isBuilding()
    },

    /** Whether a reflex that cannot wait may begin: digging is broken off, but nothing that takes a moment is. */
    get ready () { return !reflex && !kept && (!users || Boolean(bot.targetDigBlock)) && !bot.pathfinder.isBuilding() },

    /** Wait until no reflex has them. @param {Task} task */
    async rest (task) { while (reflex && !task.reflex) await task.wait(reflex) },

    /** Use them for a command: no reflex takes what is held meanwhile. @param {Task} task */
    async use (task, act) {
      await bot.autocraft.hands.rest(task)
      users++
      try { return await act() } finally { users-- }
    },

    /** The same for what saves the bot itself: no reflex begins at all. @param {Task} task */
    async keep (task, act) {
      await bot.autocraft.hands.rest(task)
      kept++
      try { return await act() } finally { kept-- }
    },

    /** Use them for a reflex; what the command does with them is broken off. */
    async seize (act) {
      seizures++
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
