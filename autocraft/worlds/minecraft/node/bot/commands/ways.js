'use strict'
/** Read the names of directions and of equipment slots. */
const { Fault } = require('../../shared/fault')

const STEEPEST = 4 // blocks that one leg may go up or down: a search for more includes everything that lies around
/** @type {Record<string, number[]>} */
const WAYS = {
  north: [0, 0, -1], south: [0, 0, 1], east: [1, 0, 0], west: [-1, 0, 0], up: [0, 1, 0], down: [0, -1, 0],
  northeast: [1, 0, -1], northwest: [-1, 0, -1], southeast: [1, 0, 1], southwest: [-1, 0, 1]
}
/** @type {Record<string, string>} */
const SLOTS = {
  hand: 'hand', mainhand: 'hand', head: 'head', torso: 'torso', chest: 'torso', body: 'torso', legs: 'legs',
  feet: 'feet', offhand: 'off-hand'
}

/**
 * Read a direction: a name such as "north-east", or three signs such as "1,0,-1". Throws a Fault if it is neither.
 * @param {string} text
 */
function wayOf (text) {
  const named = WAYS[text.toLowerCase().replace(/[^a-z]/g, '')]
  const signs = named || (text.match(/-?\d+/g) || []).map(Number)
  if (signs.length !== 3 || signs.some((each) => Math.abs(each) > 1) || signs.every((each) => each === 0)) {
    throw new Fault(
      `no direction ${text}: give north, south, east, west, up, down, a mix such as northeast, or 1,0,-1`,
      'invalid'
    )
  }
  return signs
}

/** Return mineflayer's name of an equipment slot. Throws a Fault if there is no such slot. @param {string} text */
function slotNamed (text) {
  const slot = SLOTS[text.toLowerCase().replace(/[^a-z]/g, '')]
  if (!slot) throw new Fault(`no slot ${text}: give hand, head, torso, legs, feet or off-hand`, 'invalid')
  return slot
}

module.exports = { STEEPEST, slotNamed, wayOf }
