'use strict'
/** Draw a plan as lines, from the targets down to what the bot has. */

/** The words for each kind of way. @type {Record<string, string>} */
const HOW = {
  craft: 'craft', smelt: 'smelt', mine: 'mine', kill: 'kill', fill: 'fill a bucket with', pour: 'pour water on',
  wait: 'wait beside', take: 'take out of a chest:', ask: 'be given by',
  farm: 'grow', any: 'any of its kind:', place: 'place', equip: 'put on', eat: 'eat',
  go: 'go to', sleep: 'sleep', do: 'do it:'
}

/**
 * Return one line for each item. The needs of an item are drawn once.
 * @param {import('./costs').Costs} costs @param {[string, number][]} targets @param {import('./steps').Use[]} made
 * @returns {string[]}
 */
function drawn (costs, targets, made) {
  const uses = new Map(made.map((use) => [use.name, use]))
  /** @type {string[]} */
  const lines = []
  const unfolded = new Set()
  /** @param {string} name @param {number} count @param {string} before */
  const draw = (name, count, before) => {
    const use = uses.get(name)
    const what = `${before}${count} ${name.replace('#', 'any ').trim()}`
    if (!use) return lines.push(`${what}: ${costs.has(name) >= count ? 'there' : 'no way is known'}`)
    if (unfolded.has(name)) return lines.push(`${what}: as above`)
    unfolded.add(name)
    const { way, times, fuel, tools } = use
    const source = way.kind === 'craft' ? '' : ` ${way.from}`
    const at = way.station ? ` at a ${way.station}` : ''
    lines.push(`${what}: ${HOW[way.kind]}${source}${at}${way.search ? ', which is not in sight' : ''}`)
    for (const [each, many] of Object.entries(way.takes)) draw(each, many * times, `${before}  `)
    for (const each of [...tools, fuel].filter(Boolean)) draw(each, 1, `${before}  with `)
    if (way.station && uses.has(way.station)) draw(way.station, 1, `${before}  at `)
  }
  for (const [name, count] of targets) draw(name, count, '')
  return lines
}

module.exports = { drawn }
