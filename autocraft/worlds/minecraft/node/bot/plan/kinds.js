'use strict'
/** Choose which kinds of item to get next, of those that the bot never held. */

const AHEAD = 160 // kinds to gather for at once
const COMMAND = 30 // seconds that each command costs beside its own time
const BY_HAND = new Set(['craft', 'smelt', 'any'])

/** @typedef {import('./demand').Target} Target */

/**
 * Return all kinds that can be made of what the bot carries. If there are none, return the cheapest kinds, so that
 * enough is gathered for all of them at once.
 * @param {import('./costs').Costs} costs that know all items @param {string[]} items @param {Set<string>} held
 * @param {(targets: Target[]) => string | import('./steps').Use[]} demand returns what some targets need
 * @param {() => Promise<void>} pause
 * @returns {Promise<{next: Target[], soon: string[]}>} the kinds to get next, and the items that these and the kinds
 *   after them need
 */
async function newKinds (costs, items, held, demand, pause) {
  const open = items.filter((name) => !held.has(name) && costs.of(name) < Infinity)
  const cheapest = open.sort((a, b) => costs.of(a) - costs.of(b)).slice(0, AHEAD)
  /** @type {Target[]} */
  const ready = []
  const soon = new Set()
  for (const name of cheapest) {
    const alone = demand([[name, 1]])
    if (typeof alone === 'string') continue
    for (const { way, tools } of alone) for (const each of [...Object.keys(way.takes), ...tools]) soon.add(each)
    if (byHand(alone) && byHand(demand([...ready, [name, 1]]))) ready.push([name, 1])
    await pause()
  }
  const next = ready.length ? ready : cheapest.map((name) => /** @type {Target} */ ([name, 1]))
  return { next: next.length ? next : [['a new kind of item', 1]], soon: [...soon] }
}

/** Tell whether all is made of what the bot carries. @param {string | import('./steps').Use[]} uses */
const byHand = (uses) => typeof uses !== 'string' && uses.every(({ way }) => BY_HAND.has(way.kind))

module.exports = { COMMAND, newKinds }
