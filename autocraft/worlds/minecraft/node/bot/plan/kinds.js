'use strict'
/** Choose which kinds of item to come by next, of those that were never held. */
const { wholePrices } = require('./costs')

const AHEAD = 160 // kinds that are gathered for at once
const COMMAND = 30 // seconds that one more command is worth
const BY_HAND = new Set(['craft', 'smelt', 'any'])

/** @typedef {import('./index').Target} Target */

/**
 * All that can be made of what is carried; else the cheapest, so that enough is gathered for all of them at once.
 * @param {import('./costs').Costs} costs that know all items @param {string[]} items @param {Set<string>} held
 * @param {(targets: Target[]) => string | import('./steps').Use[]} demanded what some targets need
 * @param {() => Promise<void>} pause
 * @returns {Promise<{next: Target[], needed: string[]}>} what to come by `next`, and the items that are `needed` for
 *   that and for what comes after it
 */
async function newKinds (costs, items, held, demanded, pause) {
  const price = wholePrices(costs, COMMAND)
  const open = items.filter((name) => !held.has(name) && price(name) < Infinity)
  const cheapest = open.sort((a, b) => price(a) - price(b)).slice(0, AHEAD)
  /** @type {Target[]} */
  const ready = []
  const needed = new Set()
  for (const name of cheapest) {
    const alone = demanded([[name, 1]])
    if (typeof alone === 'string') continue
    for (const { way } of alone) for (const each of Object.keys(way.takes)) needed.add(each)
    const made = demanded([...ready, [name, 1]])
    if (typeof made !== 'string' && made.every(({ way }) => BY_HAND.has(way.kind))) ready.push([name, 1])
    await pause()
  }
  const next = ready.length ? ready : cheapest.map((name) => /** @type {Target} */ ([name, 1]))
  return { next: next.length ? next : [['a new kind of item', 1]], needed: [...needed] }
}

module.exports = { newKinds }
