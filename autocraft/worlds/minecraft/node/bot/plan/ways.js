'use strict'
/** Find the ways to come by an item, by a recipe, smelting, mining or killing, and which of them costs least. */
const { burns, smelting } = require('../facts')
const { find } = require('../names')
const { ingredients } = require('../commands/recipes')
const { neededTool } = require('../commands/gather')
const { WALK } = require('./near')
const { sourcesOf } = require('./sources')

/**
 * @typedef {{kind: 'craft'|'smelt'|'mine'|'kill', from: string, gives: number, takes: Record<string, number>,
 *   tools: string[], station: string, effort: number, search: number}} Way
 * `from` is what is smelted, mined or killed; of the `tools` one must be there, the first is the weakest; `effort` is
 * in
 * about the seconds that it takes once, `search` the seconds until it is found.
 */

const EFFORT = { craft: 1, smelt: 12, mine: 3, kill: 15 }
const SEARCH = 60 // for what is not in sight
const FUELS = ['coal', 'charcoal']

/**
 * @param {Bot} bot @param {import('./near').Near} near @param {string} name of an item
 * @param {[string, string][]} smelted inputs and outputs @returns {Way[]}
 */
function waysOf (bot, near, name, smelted) {
  const item = bot.registry.itemsByName[name]
  if (!item) return []
  /** @type {Omit<Way, 'kind' | 'effort'>} */
  const plain = { from: '', gives: 1, takes: {}, tools: [], station: '', search: 0 }
  const { blocks, mobs } = sourcesOf(bot, name)
  return [
    ...bot.recipesAll(item.id, null, true).map((recipe) => ({
      ...plain,
      kind: /** @type {const} */ ('craft'),
      gives: recipe.result.count,
      takes: ingredients(bot, recipe),
      station: recipe.requiresTable ? 'crafting_table' : '',
      effort: EFFORT.craft
    })),
    ...smelted
      .filter(([, output]) => output === name)
      .map(([input]) => ({
        ...plain,
        kind: /** @type {const} */ ('smelt'),
        from: input,
        takes: { [input]: 1 },
        station: 'furnace',
        effort: EFFORT.smelt
      })),
    ...blocks.map(([block, gives]) => mined(bot, near, plain, block, gives)).filter((each) => each !== null),
    ...mobs.map(([mob, gives]) => ({
      ...plain,
      kind: /** @type {const} */ ('kill'),
      from: mob,
      gives,
      effort: EFFORT.kill,
      search: near.mob(mob) ? 0 : SEARCH
    }))
  ]
}

/**
 * @param {Bot} bot @param {import('./near').Near} near @param {Omit<Way, 'kind' | 'effort'>} plain
 * @param {string} block
 * @param {number} gives @returns {Way | null}
 */
function mined (bot, near, plain, block, gives) {
  const kind = find(bot.registry.blocksByName, block)
  if (!kind || !kind.diggable) return null
  const tools = kind.harvestTools ? Object.keys(kind.harvestTools).map((id) => bot.registry.items[Number(id)].name) : []
  const weakest = neededTool(bot, kind)
  return {
    ...plain,
    kind: 'mine',
    from: kind.name,
    gives,
    tools: weakest ? [weakest, ...tools.filter((each) => each !== weakest)] : [],
    effort: EFFORT.mine,
    search: near.block(kind.name) ? 0 : SEARCH
  }
}

/** What one item costs by the cheapest way, for every item that the wanted ones may need. */
class Costs {
  /** @param {Bot} bot @param {import('./near').Near} near @param {Record<string, number>} stock */
  constructor (bot, near, stock) {
    this.bot = bot
    this.near = near
    this.stock = stock
    /** @type {Map<string, Way[]>} */
    this.ways = new Map()
    /** @type {Map<string, number>} */
    this.least = new Map()
    /** Whether a table or a furnace can be walked to. @type {Record<string, boolean>} */
    this.stands = Object.fromEntries(['crafting_table', 'furnace'].map((name) => [name, near.block(name, WALK)]))
  }

  /**
   * Find the costs of these items and of all that they may need.
   * @param {string[]} wanted @param {() => Promise<void>} pause
   */
  async find (wanted, pause) {
    await this.gather(wanted, pause)
    await this.settle(pause)
  }

  /** @param {string} name */
  of (name) { return this.least.get(name) ?? Infinity }

  /** The tool that serves, of those that are there, else the weakest; '' for bare hands. @param {Way} way */
  tool (way) { return way.tools.find((each) => this.stock[each]) || way.tools[0] || '' }

  /** What a way costs when it is done so many times, with what is there already costing nothing. @param {Way} way */
  price (way, times = 1, stock = this.stock) {
    let sum = way.effort * times + way.search
    for (const [name, count] of Object.entries(way.takes)) {
      const less = Math.max(0, count * times - (stock[name] || 0))
      if (less) sum += less * this.of(name)
    }
    const tool = this.tool(way)
    if (tool && !this.stock[tool]) sum += this.of(tool)
    if (way.station && !this.stands[way.station] && !this.stock[way.station]) sum += this.of(way.station)
    return sum
  }

  /** @param {string[]} wanted @param {() => Promise<void>} pause */
  async gather (wanted, pause) {
    const smelted = Object.entries(smelting(this.bot))
    const open = [...wanted, ...FUELS]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (this.ways.has(name)) continue
      const ways = waysOf(this.bot, this.near, name, smelted)
      this.ways.set(name, ways)
      for (const way of ways) open.push(...Object.keys(way.takes), ...[this.tool(way), way.station].filter(Boolean))
      await pause()
    }
  }

  /** Costs fall until none falls any more. @param {() => Promise<void>} pause */
  async settle (pause) {
    for (let falls = true; falls;) {
      falls = false
      for (const [name, ways] of this.ways) {
        const best = Math.min(Infinity, ...ways.map((way) => this.price(way, 1, {}) / way.gives))
        if (best < this.of(name)) { this.least.set(name, best); falls = true }
      }
      await pause()
    }
  }

  /**
   * What to burn for so many items, without what is being made: coal where it is there, else what costs least; ''.
   * @param {number} count @param {Set<string>} without
   */
  fuel (count, without) {
    /** @param {string} name */
    const price = (name) => Math.max(0, Math.ceil(count / burns(name)) - (this.stock[name] || 0)) * this.of(name)
    const known = [...new Set([...this.ways.keys(), ...Object.keys(this.stock)])]
      .filter((name) => burns(name) >= 1 && /^(coal|charcoal)$|planks$|_log$|^log2?$/.test(name) && !without.has(name))
    return known.filter((name) => price(name) < Infinity).sort((a, b) => price(a) - price(b))[0] || ''
  }
}

module.exports = { Costs }
