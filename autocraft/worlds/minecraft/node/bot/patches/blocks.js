'use strict'
/**
 * Reports what `bot.dig` and `bot.placeBlock` of mineflayer 4.39.0 have changed. Its events tell of every block in the
 * world, not who changed it; and its pathfinder digs and places by these two functions too.
 */

/**
 * @param {Bot} bot
 * @param {(what: 'broke' | 'placed', at: Vec3, before: string, after: string) => void} report
 */
function reportBlocks (bot, report) {
  const { dig, placeBlock } = bot
  bot.dig = async (block, ...rest) => {
    const before = block?.name
    await dig(block, ...rest)
    report('broke', block.position, before, 'air')
  }
  bot.placeBlock = async (reference, face) => {
    const at = reference.position.plus(face)
    const before = bot.blockAt(at)
    await placeBlock(reference, face)
    const after = bot.blockAt(at)
    if (after && after.name !== before?.name) report('placed', at, before ? before.name : 'air', after.name)
  }
}

module.exports = { reportBlocks }
