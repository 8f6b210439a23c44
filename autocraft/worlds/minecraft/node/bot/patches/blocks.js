'use strict'
/**
 * Report what `bot.dig` and `bot.placeBlock` of mineflayer 4.39.0 have changed. mineflayer's events report every block
 * that changes, but not who changed it. Its pathfinder digs and places by these two functions too.
 */

/** @typedef {{half?: 'top' | 'bottom', turned?: boolean}} Aim the half of a side, and whether the bot keeps its look */

const SOON = 2000 // milliseconds in which a server says that a block was not broken

/**
 * @param {Bot} bot
 * @param {(what: 'broke' | 'placed' | 'refused', at: Vec3, before: string, after: string,
 *   how?: {harvests?: boolean, walks: boolean}) => void} report `harvests` tells whether the tool in hand harvests what
 *   is broken, `walks` whether the pathfinder does it
 */
function reportBlocks (bot, report) {
  const { dig, placeBlock } = bot
  bot.dig = async (block, ...rest) => {
    const before = block?.name
    const harvests = block?.canHarvest(bot.heldItem?.type ?? null) // the tool may break
    const walks = bot.pathfinder.isMining()
    await dig(block, ...rest)
    report('broke', block.position, before, 'air', { harvests, walks })
    putBack(bot, block.position, before, () => report('refused', block.position, before, before))
  }
  bot.placeBlock = async (reference, face, aim) => {
    const at = reference.position.plus(face)
    const before = bot.blockAt(at)
    const walks = !aim // only the pathfinder gives none; it may have ended its way by now, so it is not asked
    if (aim) {
      const options = { swingArm: 'right', half: aim.half, forceLook: aim.turned ? 'ignore' : undefined }
      await bot._placeBlockWithOptions(reference, face, options)
    } else await placeBlock(reference, face)
    const after = bot.blockAt(at)
    if (after && after.name !== before?.name) report('placed', at, before ? before.name : 'air', after.name, { walks })
  }
}

/**
 * Call `tell` if the server puts a block back that the bot has dug, because it did not let the bot break it.
 * @param {Bot} bot @param {Vec3} at @param {string} name @param {() => void} tell
 */
function putBack (bot, at, name, tell) {
  const event = `blockUpdate:${at}`
  /** @param {Block | null} _ @param {Block | null} now */
  const hear = (_, now) => {
    if (now?.name === name) tell()
    bot.removeListener(event, hear)
  }
  bot.on(event, hear)
  setTimeout(() => bot.removeListener(event, hear), SOON)
}

module.exports = { reportBlocks }
