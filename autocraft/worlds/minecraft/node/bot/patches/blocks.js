'use strict'
/**
 * Report what `bot.dig` and `bot.placeBlock` of mineflayer 4.39.0 have changed. mineflayer's events report every block
 * that changes, but not who changed it. Its pathfinder digs and places by these two functions too.
 */

/** @typedef {{half?: 'top' | 'bottom', turned?: boolean}} Aim the half of a side, and whether the bot keeps its look */

const SOON = 2000 // milliseconds in which a server says that a block was not broken, or was placed after all

/**
 * @param {Bot} bot
 * @param {(what: 'broke' | 'placed' | 'refused', at: Vec3, before: string, after: string,
 *   how?: {harvests?: boolean, walks: boolean, was?: Purpose}) => Purpose | undefined} report `harvests` tells whether
 *   the tool in hand harvests what is broken, `walks` whether the pathfinder does it, and `was` what it has returned
 *   for the block that the server did not let the bot break
 */
function reportBlocks (bot, report) {
  const { dig, placeBlock } = bot
  bot.dig = async (block, ...rest) => {
    const before = block?.name
    const harvests = block?.canHarvest(bot.heldItem?.type ?? null) // the tool may break
    const walks = bot.pathfinder.isMining()
    await dig(block, ...rest)
    const was = report('broke', block.position, before, 'air', { harvests, walks })
    hearSoon(bot, block.position, (now) => {
      if (now?.name === before) report('refused', block.position, before, before, { walks, was })
      return true
    })
  }
  bot.placeBlock = async (reference, face, aim) => {
    const at = reference.position.plus(face)
    const before = bot.blockAt(at)
    const walks = !aim // only the pathfinder gives none; it may have ended its way by now, so it is not asked
    /** @param {Block | null} now */
    const isPlaced = (now) => {
      if (!now || now.name === before?.name) return false
      report('placed', at, before ? before.name : 'air', now.name, { walks })
      return true
    }
    try {
      if (aim) {
        const options = { swingArm: 'right', half: aim.half, forceLook: aim.turned ? 'ignore' : undefined }
        await bot._placeBlockWithOptions(reference, face, options)
      } else await placeBlock(reference, face)
    } catch (error) {
      if (!isPlaced(bot.blockAt(at))) hearSoon(bot, at, isPlaced)
      throw error
    }
    isPlaced(bot.blockAt(at))
  }
}

/**
 * Let `ends` hear for a while what the server says of a place, until it returns true.
 * @param {Bot} bot @param {Vec3} at @param {(now: Block | null) => boolean} ends
 */
function hearSoon (bot, at, ends) {
  const event = `blockUpdate:${at}`
  /** @param {Block | null} _ @param {Block | null} now */
  const hear = (_, now) => { if (ends(now)) bot.removeListener(event, hear) }
  bot.on(event, hear)
  setTimeout(() => bot.removeListener(event, hear), SOON)
}

module.exports = { reportBlocks }
