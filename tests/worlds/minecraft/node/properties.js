'use strict'
/**
 * Check what must hold of the planner in any small world, and print {"checked", "wrong", "ms"}:
 * node properties.js BOT_FOLDER PROPERTY COUNT SEED KINDS. `wrong` names the first cases that fail, `ms` is the
 * processor time of one plan, in the middle and at most.
 */
const path = require('node:path')
const { botIn, folder } = require('./small_world')
const { burns, smelting } = require(path.join(folder, 'facts.js'))
const { holdings } = require(path.join(folder, 'words.js'))
const { plan } = require(path.join(folder, 'plan', 'index.js'))
const { Costs } = require(path.join(folder, 'plan', 'costs.js'))
const { Near } = require(path.join(folder, 'plan', 'near.js'))
const { Ways } = require(path.join(folder, 'plan', 'ways.js'))

const [property, count, seed, kinds] = process.argv.slice(3)
const pause = async () => {}

/** A generator of numbers from 0 to below 1 that repeats itself for one seed. */
function numbers (state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
const random = numbers(Number(seed))
const below = (n) => Math.floor(random() * n)
const pick = (all) => all[below(all.length)]
const shuffled = (all) => all.map((each) => [random(), each]).sort((a, b) => a[0] - b[0]).map(([, each]) => each)

const LAND = {
  oak_log: [[4, 64, 4], [4, 65, 4]], birch_log: [[6, 64, 4]], stone: [[9, 63, 0], [9, 63, 1], [9, 63, 2]],
  coal_ore: [[10, 63, 0]], iron_ore: [[11, 63, 0]], sand: [[12, 63, 0]], water: [[12, 63, 4]]
}
const LANDS = [{}, { blocks: LAND, mobs: ['cow', 'sheep'] }, { blocks: LAND, dimension: 'the_nether' }]
const grounds = new Map()

/** A bot in one of the lands, of which each is built once. */
function botWith (land, more) {
  const bot = botIn({ ...land, ...more }, grounds.get(land))
  grounds.set(land, bot)
  return bot
}

async function costsOf (bot, names) {
  const near = await Near.of(bot, pause)
  const ways = new Ways(bot, near, Object.entries(smelting(bot)), new RegExp(`^${kinds}$`))
  const costs = new Costs(ways, near, holdings(bot), bot.autocraft.failures)
  await costs.find(names, pause)
  return costs
}

/** The names that some chain of ways reaches, found without prices. */
function reached (costs) {
  const found = new Set()
  const there = (name) => found.has(name) || costs.has(name) > 0
  const open = ({ takes, tools, needs, station, kind }) =>
    Object.entries(takes).every(([name, many]) => found.has(name) || costs.has(name) >= many) && needs.every(there) &&
    (!tools.length || tools.some(there)) && (!station || costs.stands[station] < Infinity || there(station)) &&
    (kind !== 'smelt' || costs.fuels.some(there))
  for (let more = true; more;) {
    more = false
    for (const [name, ways] of costs.ways) {
      if (!found.has(name) && ways.some(open)) { found.add(name); more = true }
    }
  }
  return found
}

const stackOf = (bot, name) => bot.registry.itemsByName[name].stackSize

/** Some stacks of random items. */
function stacks (bot, names, most) {
  return Array.from({ length: most }, () => {
    const name = pick(names)
    return [name, 1 + below(stackOf(bot, name))]
  })
}

/** What has a price is what can be reached, whatever the order of the names; and so are the prices themselves. */
async function order (wrong) {
  const land = pick(LANDS)
  const names = Object.keys(botWith(land).registry.itemsByName)
  const bot = botWith(land, { slots: stacks(botWith(land), names, below(6)) })
  const [one, two] = [await costsOf(bot, names), await costsOf(bot, shuffled(names))]
  const all = reached(one)
  for (const name of one.ways.keys()) {
    if (all.has(name) !== (one.of(name) < Infinity)) wrong.push(`${name} costs ${one.of(name)}`)
    if (one.of(name) !== two.of(name)) wrong.push(`${name} costs ${one.of(name)} or ${two.of(name)}`)
  }
}

/** Each step of a plan has what it takes, from the inventory or from the steps before it, and the goals are met. */
async function executable (wrong) {
  const land = pick(LANDS)
  const names = Object.keys(botWith(land).registry.itemsByName)
  const bot = botWith(land, { slots: stacks(botWith(land), names, below(12)) })
  const goals = [0, 1].slice(below(2)).map(() => ({ items: [[pick(names), 1 + below(9)]], deeds: [] }))
  const answer = await plan(bot, { goals, kinds, avoid: [] })
  const before = holdings(bot)
  const costs = await costsOf(bot, goals.flatMap(({ items }) => items.map(([name]) => name)))
  const open = goals.filter(({ items: [[name, many]] }) => costs.again(name) < Infinity || costs.has(name) >= many)
  const why = broken(bot, land, answer.steps, open, before)
  if (why) wrong.push(JSON.stringify({ why, before, goals, steps: answer.steps.map(({ name, args, takes }) => [name, args, takes]) }))
}

/** Why some steps cannot be done from an inventory; '' if they can. */
function broken (bot, land, steps, goals, before) {
  const have = { ...before }
  const stands = new Set(Object.keys(land.blocks ?? {}))
  const take = (name, many) => { have[name] = (have[name] || 0) - many; return have[name] >= 0 }
  for (const { name, args, item, gains, takes = {}, station } of steps) {
    if (station && !stands.has(station) && !(have[station] > 0)) return `no ${station} is there for ${item}`
    if (name === 'place_item' && take(args.name, 1)) stands.add(args.name)
    for (const [each, many] of Object.entries(takes)) {
      if (!each.startsWith('#') && !take(each, many)) return `${name} ${item}: no ${many} ${each}`
    }
    if (name === 'smelt_item' && !(takes[args.fuel] >= Math.ceil(args.count / burns(args.fuel)))) return `no fuel for ${item}`
    if (name === 'mine_block') {
      const { harvestTools } = bot.registry.blocksByName[args.name]
      const tools = Object.keys(harvestTools ?? {}).map((id) => bot.registry.items[id].name)
      if (tools.length && !tools.some((tool) => have[tool] > 0)) return `no tool for ${args.name}`
    }
    if (item) have[item] = (have[item] || 0) + (name === 'craft_item' ? args.count : gains)
  }
  const [lacking] = goals.flatMap(({ items }) => items).filter(([name, many]) => !((have[name] || 0) >= many))
  return lacking ? `only ${have[lacking[0]] || 0} of ${lacking}` : ''
}

/** A full inventory of different things is no hindrance: the bot makes room, and each goal is reached. */
async function packs (wrong) {
  const land = { ...LANDS[1] }
  const names = Object.keys(botWith(land).registry.itemsByName)
  const { registry } = botWith(land)
  const stack = (name) => registry.itemsByName[name].stackSize
  const goal = await goalAtHand(land, names)
  const scene = {
    slots: shuffled(names.filter((name) => name !== goal[0])).slice(0, 36).map((name) => [name, 1 + below(stack(name))]),
    failed: [], chests: {}
  }
  if (random() < 0.3) scene.slots[0] = ['chest', 1]
  if (random() < 0.3) scene.chests['(3, 64, 3)'] = { dirt: 64 }
  const pack = new Pack(scene.slots, stack)
  const begun = JSON.stringify(scene.slots)
  const done = []
  while (pack.count(goal[0]) < goal[1]) {
    const { steps: [step], why } = await plan(botWith(land, scene), { goals: [{ items: [goal], deeds: [] }], kinds, avoid: [] })
    if (!step || done.length > 60) return wrong.push(JSON.stringify({ goal, why, begun, done: done.slice(-12) }))
    const fault = pack.do(step, land)
    done.push([step.name, step.args, fault])
    const { name, x, y, z } = step.args
    if (step.name === 'place_item' && /^(chest|barrel)$/.test(name) && !fault) scene.chests[`(${x}, ${y}, ${z})`] = {}
    if (fault) scene.failed.push({ name: step.name, args: step.args })
  }
}

/** An item that can be had without a search. */
async function goalAtHand (land, names) {
  for (;;) {
    const goal = [pick(names), 1 + below(3)]
    const { steps } = await plan(botWith(land), { goals: [{ items: [goal], deeds: [] }], kinds, avoid: [] })
    if (steps.length && steps.every(({ name }) => /^(mine_block|craft_item|smelt_item|place_item|kill_mob)$/.test(name))) return goal
  }
}

/** The places of an inventory, which commands change as the game would. */
class Pack {
  constructor (slots, stack) { Object.assign(this, { slots, stack }) }

  count (name) { return this.slots.reduce((sum, [each, many]) => sum + (each === name ? many : 0), 0) }

  take (name, many) {
    for (let at = this.slots.length - 1; at >= 0 && many > 0; at--) {
      const slot = this.slots[at]
      if (slot[0] !== name) continue
      const by = Math.min(many, slot[1])
      slot[1] -= by
      many -= by
      if (!slot[1]) this.slots.splice(at, 1)
    }
    return !many
  }

  /** Returns how many had no room. */
  add (name, many) {
    for (const slot of this.slots) {
      const by = slot[0] === name ? Math.min(many, this.stack(name) - slot[1]) : 0
      slot[1] += by
      many -= by
    }
    while (many && this.slots.length < 36) {
      this.slots.push([name, Math.min(many, this.stack(name))])
      many -= this.slots.at(-1)[1]
    }
    return many
  }

  /** Carries a step out. Returns why it failed, or ''. */
  do ({ name, args, item, gains, takes = {} }, land) {
    switch (name) {
      case 'toss': case 'deposit':
        return args.name.split(',').every((each) => this.take(each, Math.min(args.count, this.count(each)))) ? '' : 'not there'
      case 'place_item':
        if (!this.take(args.name, 1)) return 'not there'
        grounds.get(land).columns.put(args.name, args.x, args.y, args.z)
        return ''
      case 'withdraw': return this.add(args.name, args.count) ? 'full' : ''
      case 'craft_item': case 'smelt_item': {
        const uses = Object.entries(takes)
        const room = this.slots.length < 36 || this.slots.some(([each, many]) => each === item && many < this.stack(each))
        if (!room && !uses.some(([each, many]) => many >= this.count(each))) return 'full'
        if (!uses.every(([each, many]) => this.take(each, many))) return 'not there'
        return this.add(item, name === 'craft_item' ? args.count : gains) ? 'full' : ''
      }
      default: return item && this.add(item, gains) === gains ? 'full' : ''
    }
  }
}

async function main () {
  const wrong = []
  const times = []
  for (let i = 0; i < Number(count); i++) {
    const begun = process.cpuUsage()
    await { order, executable, packs }[property](wrong)
    const { user, system } = process.cpuUsage(begun)
    times.push((user + system) / 1000)
  }
  times.sort((a, b) => a - b)
  console.log(JSON.stringify({ checked: times.length, wrong: wrong.slice(0, 3), count: wrong.length, ms: [times[times.length >> 1], times.at(-1)] }))
}

main()
