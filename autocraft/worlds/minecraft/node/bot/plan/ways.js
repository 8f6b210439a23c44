'use strict'
/**
 * Find the ways to get an item or to do a deed: by a recipe, smelting, mining, killing, filling a bucket. A deed is a
 * verb with a thing, such as "kill pig". A kind of item, such as "#log", stands for any of its items.
 */
const { ALWAYS, LAST, NEVER, weapons } = require('../facts')
const { knows } = require('../mode')
const { find } = require('../names')
const { LOOK, targets } = require('../commands/near')
const { ingredients } = require('../commands/recipes')
const { doing } = require('./doing')
const { CROPS, growing } = require('./farm')
const { mould } = require('./mould')
const { once } = require('./once')
const { chestsNear } = require('./room')
const { dangerOf, isHere, searchFor, sourcesOf } = require('./sources')
const { ARMOR, isFit, untilNight } = require('./times')

/**
 * @typedef {{kind: 'craft'|'smelt'|'mine'|'kill'|'fill'|'pour'|'wait'|'farm'|'take'|'collect'|'ask'|'any'|'place'|
 *   'equip'|'eat'|'go'|'sleep'|'do', from: string, gives: number, takes: Record<string, number>,
 *   tools: string[], needs: string[], station: string, effort: number, search: number, at?: Vec3, most?: number,
 *   act?: import('./doing').Add, never?: string}} Way
 * `from` is what is crafted, smelted, mined, killed or looked for. One of the `tools` must be there; if none is, the
 * planner gets the cheapest. All `needs` must be there, and are not used up. `effort` is an estimate of the seconds
 * that one time takes, danger included; `search` is the seconds until the source is found. A chest `at` a place has at
 * `most` so many, and so has another bot that is asked. `never` says why a way cannot be used now.
 *
 * @typedef {{name: string, offers: Counts, unknown: string[]}} Other another bot of the run: what it can do without,
 *   and the items that it does not know how to make
 */

const EFFORT = {
  craft: 1, smelt: 12, mine: 3, kill: 15, fill: 5, pour: 20, wait: 300, farm: 400, take: 0.1, deed: 2, ask: 0.1,
  order: 20
}
const HANDOVER = 10 // seconds until another bot brings something
const HEALING = 600 // seconds until a weak bot is fit for a fight
const SWORD = 'stone_sword' // the least weapon to make for a fight
const ABSORBED = 0.6 // share of each blow that ARMOR takes (minecraft.wiki: Armor)

class Ways {
  /**
   * @param {Bot} bot @param {import('./near').Near} near @param {[string, string][]} smelted @param {RegExp} kinds
   * @param {Set<string>} [avoid] items to which there are no ways @param {Other[]} [others] who can be asked
   */
  constructor (bot, near, smelted, kinds, avoid = new Set(), others = []) {
    this.avoid = avoid
    this.others = others
    this.bot = bot
    this.near = near
    this.smelted = smelted
    this.kinds = kinds
    this.chests = chestsNear(bot)
    /** The items of each kind. @type {Map<string, string[]>} */
    this.known = new Map()
    /** The next place to fill to make obsidian, and the bucket for it, or null; searched once. */
    this.mould = once(() => mould(bot))
    /** @type {Omit<Way, 'kind' | 'effort'>} */
    this.plain = { from: '', gives: 1, takes: {}, tools: [], needs: [], station: '', search: 0 }
  }

  /** Return the items of a kind, such as "#log". @param {string} kind */
  members (kind) {
    const end = kind.slice(1)
    const known = this.known.get(kind) ?? Object.keys(this.bot.registry.itemsByName).filter(
      (name) => !this.avoid.has(name) && (name === end || (this.kinds.exec(name) || [])[1] === end)
    )
    this.known.set(kind, known)
    return known
  }

  /** @param {string} name of an item, a kind of item or a deed @returns {Way[]} */
  of (name) {
    const [does, ...thing] = name.split(' ')
    const [verb, who = ''] = does.split(':')
    if (thing.length) return this.ofDeed(verb, thing.join(' '), who)
    if (name.startsWith('#')) return this.ofKind(name)
    const item = this.bot.registry.itemsByName[name]
    if (!item || this.avoid.has(name)) return []
    const { blocks, mobs, filled, laid } = sourcesOf(this.bot, name)
    return [
      ...this.made(name, item),
      ...blocks.flatMap(([block, gives, tool]) => this.mined(block, gives, tool)),
      ...mobs.flatMap(([mob, gives]) => this.killed(mob, gives)),
      ...(filled ? this.filled(filled) : []),
      ...(laid && isHere(this.bot, laid) ? [{ ...this.plain, ...this.mob('wait', laid), effort: EFFORT.wait }] : []),
      ...this.taken(name),
      ...this.lying(name),
      ...this.asked(name),
      ...(name === 'obsidian' ? this.poured() : []),
      ...(Object.hasOwn(CROPS, name) ? this.grown(name) : [])
    ]
  }

  /** Return the ways by recipes and in a furnace. @param {string} name @param {ItemKind} item @returns {Way[]} */
  made (name, item) {
    const { bot, plain } = this
    if (!knows(bot, name)) return []
    return [
      ...bot.recipesAll(item.id, null, true).map((recipe) => ({
        ...plain,
        kind: /** @type {const} */ ('craft'),
        from: name,
        gives: recipe.result.count,
        takes: ingredients(bot, recipe),
        station: recipe.requiresTable ? 'crafting_table' : '',
        effort: EFFORT.craft
      })),
      ...this.smelted
        .filter(([, output]) => output === name)
        .map(([input]) => ({
          ...plain,
          kind: /** @type {const} */ ('smelt'),
          from: input,
          takes: { [input]: 1 },
          station: 'furnace',
          effort: EFFORT.smelt
        }))
    ]
  }

  /** @param {string} block @param {number} gives @param {string} [tool] the one that it takes @returns {Way[]} */
  mined (block, gives, tool) {
    const { bot, plain, near } = this
    const kind = find(bot.registry.blocksByName, block)
    if (!kind || !kind.diggable || !isHere(bot, kind.name)) return []
    const tools = Object.keys(kind.harvestTools || {}).map((id) => bot.registry.items[Number(id)].name)
    const isMade = kind.name === 'obsidian' // the place where it was made and mined is remembered, but none is there
    const unknown = searchFor(bot, kind.name)
    const search = isMade && !near.block(kind.name) ? unknown : near.search(kind.name, unknown)
    return [{
      ...plain,
      kind: 'mine',
      from: kind.name,
      gives,
      tools: tool ? [tool] : tools,
      effort: EFFORT.mine,
      search,
      ...(isMade && !search ? { most: targets(bot, [kind.id], LOOK, 64).length } : {})
    }]
  }

  /** @param {string} mob @param {number} gives @returns {Way[]} */
  killed (mob, gives) {
    if (!isHere(this.bot, mob)) return []
    const danger = dangerOf(mob)
    const { inventory, registry } = this.bot
    const held = weapons(registry).filter((name) => inventory.items().some((item) => item.name === name))
    const way = {
      ...this.plain,
      ...this.mob('kill', mob),
      gives,
      tools: danger ? held.length ? held : weapons(registry, SWORD) : [],
      effort: EFFORT.kill + danger + (danger && !isFit(this.bot) ? HEALING : 0)
    }
    const armored = { ...way, needs: ARMOR, effort: way.effort - danger * ABSORBED }
    return danger ? [way, armored] : [way]
  }

  /** @template {'kill' | 'wait'} K @param {K} kind @param {string} mob */
  mob (kind, mob) {
    const search = this.near.mob(mob) ? 0 : searchFor(this.bot, mob) + untilNight(this.bot, mob)
    return { kind, from: mob, search }
  }

  /** Return the way to fill a bucket. @param {string} source a liquid, or a mob that gives milk @returns {Way[]} */
  filled (source) {
    const { bot, plain, near } = this
    if (!isHere(bot, source)) return []
    const unknown = near.mob(source) ? 0 : searchFor(bot, source)
    const search = bot.registry.blocksByName[source] ? near.search(source, unknown) : unknown
    return [{ ...plain, kind: 'fill', from: source, takes: { bucket: 1 }, effort: EFFORT.fill, search }]
  }

  /** Return the ways to take an item out of a chest. @param {string} name @returns {Way[]} */
  taken (name) {
    const { plain, chests } = this
    return chests.filter(({ held }) => held[name]).map(({ at, held, search }) =>
      ({ ...plain, kind: 'take', from: name, at, most: held[name], effort: EFFORT.take, search }))
  }

  /** Return the way to pick up what lies in sight. @param {string} name @returns {Way[]} */
  lying (name) {
    const most = this.near.dropped(name)
    return most ? [{ ...this.plain, kind: 'collect', from: name, most, effort: EFFORT.take }] : []
  }

  /** Return the ways to be given what others can do without, or know how to make and this bot does not. */
  asked (/** @type {string} */ name) {
    const { bot, plain, others } = this
    const way = { ...plain, kind: /** @type {const} */ ('ask'), search: HANDOVER }
    return others.flatMap(({ name: from, offers, unknown }) => [
      ...(offers[name] > 0 ? [{ ...way, from, most: offers[name], effort: EFFORT.ask }] : []),
      ...(knows(bot, name) || unknown.includes(name) ? [] : [{ ...way, from, effort: EFFORT.order }])
    ])
  }

  /** Return the way to make obsidian: lava poured beside water. @returns {Way[]} */
  poured () {
    const { bot, plain, near } = this
    if (!isHere(bot, 'obsidian')) return []
    const search = near.search('lava', searchFor(bot, 'lava'))
    const { item = 'water_bucket' } = search ? {} : this.mould() ?? {}
    const needs = [item, 'diamond_pickaxe'].filter((name) => bot.registry.itemsByName[name])
    return [{ ...plain, kind: 'pour', from: 'lava', needs, effort: EFFORT.pour, search }]
  }

  /**
   * Return the way to grow a crop on a field. What grows already, here or on a field that the bot remembers, needs only
   * time.
   * @param {string} crop @returns {Way[]}
   */
  grown (crop) {
    const { bot, plain, near } = this
    const { seed, block } = CROPS[crop]
    const { all, ripe } = growing(bot, CROPS[crop])
    const seen = all.length || near.known(block)
    const tools = Object.keys(bot.registry.itemsByName).filter((name) => name.endsWith('_hoe'))
    const search = near.search(block, searchFor(bot, block))
    const grows = seen ? { effort: ripe.length ? 1 : EFFORT.farm / 2, search } : null
    const sown = { takes: { [seed]: 1 }, tools }
    return [{ ...plain, kind: 'farm', from: crop, effort: EFFORT.farm, ...(grows ?? sown) }]
  }

  /** @param {string} kind @returns {Way[]} */
  ofKind (kind) {
    const any = { ...this.plain, kind: /** @type {const} */ ('any'), effort: 0 }
    return this.members(kind).map((name) => ({ ...any, from: name, takes: { [name]: 1 } }))
  }

  /** @param {string} verb @param {string} thing @param {string} [who] a player @returns {Way[]} */
  ofDeed (verb, thing, who = '') {
    const { plain } = this
    const one = { ...plain, from: thing, effort: EFFORT.deed }
    const things = thing.startsWith('#') ? this.members(thing) : [thing]
    switch (verb) {
      case 'mine': return things.flatMap((name) => [...this.mined(name, 1), ...this.minedAs(name)])
      case 'kill': return this.killed(thing, 1)
      case 'place': return things.map((name) => ({ ...one, kind: 'place', from: name, takes: { [name]: 1 } }))
      case 'equip': return things.map((name) => ({ ...one, kind: 'equip', from: name, takes: { [name]: 1 } }))
      case 'go': return /^-?\d/.test(thing) ? [{ ...one, kind: 'go' }] : doing(this, verb, who, thing)
      case 'sleep': {
        const needs = this.beds().some((name) => this.near.block(name)) ? [] : ['#bed']
        return [{ ...one, kind: 'sleep', needs }]
      }
      case 'eat': return this.foods(thing).map((name) => ({ ...one, kind: 'eat', from: name, takes: { [name]: 1 } }))
      default: return doing(this, verb, who, thing)
    }
  }

  /** Return the ways to mine the blocks that drop an item: for cobblestone, stone. @param {string} item */
  minedAs (item) {
    return sourcesOf(this.bot, item).blocks.filter(([block]) => block !== item)
      .flatMap(([block, gives, tool]) => this.mined(block, gives, tool))
  }

  beds () { return Object.keys(this.bot.registry.blocksByName).filter((name) => /(^|_)bed$/.test(name)) }

  /** Tell whether the bot is full, and stays so because the server is peaceful. */
  isFull () { return this.bot.food >= 20 && this.bot.game.difficulty === 'peaceful' }

  /** @param {string} thing a food, or '' for any */
  foods (thing) {
    const foods = Object.keys(this.bot.registry.foodsByName || {})
    const all = thing ? [thing] : foods.filter((name) => !LAST.test(name) && !NEVER.test(name))
    return this.isFull() ? all.filter((name) => ALWAYS.test(name)) : all
  }
}

module.exports = { Ways }
