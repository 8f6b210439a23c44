'use strict'
/** Say which commands the game mode of the bot does not allow, and which things it does not know how to make. */

const MOVING = new Set([
  'goto', 'goto_block', 'follow', 'explore_until', 'walk_to_goal', 'walk_towards', 'steer', 'look_at', 'wait', 'chat',
  'remember_place'
])
const BUILDING = new Set(['mine_block', 'dig', 'place_item', 'till', 'sow', 'fill_bucket', 'put_back'])
const HELP = 'ask an operator for /gamemode survival'

/** Return why a command cannot be carried out in the game mode, or ''. @param {Bot} bot @param {string} command */
function refusal (bot, command) {
  switch (bot.game.gameMode) {
    case 'spectator': return MOVING.has(command) ? '' : `a spectator can only move and look: ${HELP}`
    case 'adventure': return BUILDING.has(command) ? `in adventure mode no block can be broken or placed: ${HELP}` : ''
    case 'creative': return command === 'mine_block' ? `in creative mode blocks drop nothing: dig them, or ${HELP}` : ''
    default: return ''
  }
}

/** Tell whether the bot knows how to craft or smelt an item. @param {Bot} bot @param {string} name */
const knows = (bot, name) => !bot.autocraft.options.unknown?.includes(name)

module.exports = { knows, refusal }
