'use strict'
/** Tell how hard and how often one strikes with an item in hand. minecraft-data does not have it. */
const { blows } = require('./weapons.json')

/** @type {Record<string, Record<string, number[]>>} */
const BLOWS = blows
const HAND = [1, 4]

/**
 * Return the half hearts of a blow, and the blows a second.
 * @param {string} name of an item, or '' @returns {{damage: number, speed: number}}
 */
function blowOf (name) {
  const [, material, kind] = /^(?:(.*)_)?(.+)$/.exec(name) ?? []
  const [damage, speed] = BLOWS[kind]?.[material ?? ''] ?? HAND
  return { damage, speed }
}

module.exports = { blowOf }
