'use strict'
/**
 * Find the ways to do what is done and not had: follow, give, guard, explore, farm, use a chest and others. A way has
 * the function `act`, which adds its steps.
 */
const { LOOK, targets } = require('../commands/near')
const { wayOf } = require('../commands/ways')
const { placeOf } = require('../words')
const { planting, tilling } = require('./farm')
const { chestsNear } = require('./room')
const { DUSK, secondsUntil } = require('./times')

/** @typedef {import('./ways').Way} Way */
/** @typedef {import('./steps').Steps} Steps */
/** @typedef {(steps: Steps, times: number, why: string) => void} Add */

const SEARCH = 60 // seconds until what is not in sight is found
const LONGEST = 300 // seconds of one command
const WAIT = 600 // seconds of one wait
const CAST = 30 // seconds until a fish bites
const CHUNK = 16
const WALK = 48 // blocks of one walk into new land
const LIFE = 4 // blocks within which a mob is reached

/**
 * Return the ways to do something.
 * @param {import('./ways').Ways} ways @param {string} verb @param {string} who a player, or ''
 * @param {string} thing an item, a kind of item, a block, a mob or a text, or '' @returns {Way[]}
 */
function doing (ways, verb, who, thing) {
  const { bot, near, plain } = ways
  /** @param {string} why */
  const never = (why) => ({ ...plain, kind: /** @type {const} */ ('do'), effort: 0, never: why })
  if (who === 'me') {
    return [never('nobody knows who you are: name yourself with --listen-to PLAYER, or join as the only player')]
  }
  if (who && !bot.players?.[who]) return [never(`there is no player ${who} in this world`)]
  const things = thing.startsWith('#') ? ways.members(thing) : [thing]
  const nothing = thing || bot.inventory.items().length ? null : [never('the bot holds nothing')]
  const player = who ? bot.players[who].entity?.position : null
  /** @param {Add} act @param {Partial<Way>} [more] @returns {Way} */
  const way = (act, more) => ({ ...plain, kind: 'do', from: who || thing, effort: 2, act, ...more })
  const away = (who ? player : near.mob(thing)) ? 0 : SEARCH
  /** @param {Steps} steps */
  const meet = (steps) => { if (away) steps.search('entity', who || thing) }
  switch (verb) {
    case 'follow': return [way((steps, times, why) => {
      meet(steps)
      steps.push('follow', { name: who || thing, seconds: Math.min(times, LONGEST) }, why)
    }, { effort: 1, search: away })]
    case 'come': return [way((steps, _, why) => {
      if (player) steps.push('goto', at(player), why)
      else meet(steps)
    }, { search: away })]
    case 'give': return things.map((name) => way((steps, times, why) => {
      meet(steps)
      steps.push('give', { player: who, name, count: times }, why)
    }, { from: name, takes: { [name]: 1 }, search: away }))
    case 'guard': return [way((steps, times, why) => {
      if (who) meet(steps)
      steps.push('guard', { seconds: Math.min(times, LONGEST), ...who ? { player: who } : {} }, why)
    }, { effort: 1, search: who ? away : 0 })]
    case 'explore': return [way((steps, _, why) => explore(steps, why), { effort: 1 })]
    case 'find': return things.map((name) => way((steps) => {
      steps.search(bot.registry.blocksByName[name] ? 'block' : 'entity', name)
    }, { from: name, search: bot.registry.blocksByName[name] ? near.search(name, SEARCH) : away }))
    case 'go': return things.map((name) => isKnown(bot, name)
      ? way((steps, _, why) => go(steps, name, why), { from: name })
      : never(`no place is remembered as ${name} in this dimension`))
    case 'fish': {
      const water = near.search('water', SEARCH)
      return [way((steps, _, why) => {
        if (water) steps.search('block', 'water')
        steps.push('fish', {}, why)
      }, { from: '', needs: ['fishing_rod'], gives: thing === 'seconds' ? CAST : 1, effort: CAST, search: water })]
    }
    case 'farm': return ways.of(thing).filter(({ kind }) => kind === 'farm' || kind === 'mine')
    case 'sow': return [way((steps, times, why) => field(steps, planting(bot, thing, times), why), {
      takes: { [thing]: 1 }, ...hoes(bot)
    })]
    case 'till': return [way((steps, times, why) => field(steps, tilling(bot, times), why), {
      from: 'grass_block', ...hoes(bot)
    })]
    case 'use': return things.map((name) => way((steps, _, why) => {
      const kind = bot.registry.blocksByName[name]
      const [block] = kind ? targets(bot, [kind.id], LOOK) : []
      if (block) steps.push('activate', at(block), why)
      else steps.search('block', name)
    }, { from: name, search: near.search(name, SEARCH) }))
    case 'toss': return nothing ?? some(bot, things).map((name) => way((steps, times, why) => {
      steps.push('toss', { name, count: thing ? times : held(bot, name) }, why)
    }, { from: name, takes: { [name]: 1 }, ...rest(thing) }))
    case 'deposit': return nothing ?? some(bot, things).map((name) => {
      const chest = chestOf(bot)
      return way((steps, times, why) => {
        if (chest) steps.push('deposit', { name, count: thing ? times : held(bot, name), ...at(chest) }, why)
        else steps.put('chest', 'to put things in')
      }, { from: name, takes: { [name]: 1 }, needs: chest ? [] : ['chest'], ...rest(thing) })
    })
    case 'withdraw': return [
      ...things.flatMap((name) => ways.taken(name)),
      ...unknownChests(bot).slice(0, 1).map((chest) => way((steps, _, why) => {
        steps.push('check_chest', at(chest), why)
      }, { effort: SEARCH }))
    ]
    case 'check': return [way((steps, _, why) => {
      const chest = chestOf(bot)
      if (chest) steps.push('check_chest', at(chest), why)
      else steps.search('block', 'chest')
    }, { from: 'chest', search: chestOf(bot) ? 0 : near.search('chest', SEARCH) })]
    case 'shoot': return [way((steps, _, why) => {
      if (away) steps.hunt(thing)
      steps.push('shoot', { weapon: 'bow', target: thing }, why)
    }, { takes: { arrow: 4 }, needs: ['bow'], search: away })]
    case 'carry': return ways.foods('').flatMap((name) => {
      const points = Math.floor(bot.registry.foodsByName[name].foodPoints)
      const food = { ...plain, kind: /** @type {const} */ ('any'), from: name, takes: { [name]: 1 }, effort: 0 }
      return points ? [{ ...food, gives: points }] : []
    })
    default: return simple(bot, verb, thing).map(([name, args]) => way((steps, times, why) => {
      steps.push(name, args(times), why)
    }, { from: '' }))
  }
}

/**
 * Return the command of what needs nothing, and its arguments for so many times.
 * @param {Bot} bot @param {string} verb @param {string} thing
 * @returns {[string, (times: number) => Record<string, any>][]}
 */
function simple (bot, verb, thing) {
  switch (verb) {
    case 'say': return [['chat', () => ({ text: thing })]]
    case 'wait': return [['wait', (times) => ({ seconds: Math.min(times, WAIT) })]]
    case 'night': return [['wait', () => ({ seconds: Math.min(WAIT, Math.max(1, secondsUntil(bot, DUSK + 500))) })]]
    case 'shelter': return [['shelter', () => ({})]]
    case 'remember': return [['remember_place', () => ({ name: thing })]]
    default: return []
  }
}

/** @param {Point} place */
const at = ({ x, y, z }) => ({ x: Math.floor(x), y: Math.floor(y), z: Math.floor(z) })

/** Return what is given or put away: one thing, or all that is carried. @param {Bot} bot @param {string[]} things */
const some = (bot, things) => things[0] ? things : [...new Set(bot.inventory.items().map(({ name }) => name))]

/** Let one use of a way stand for all, if everything is put away. @param {string} thing */
const rest = (thing) => thing ? {} : { gives: Number.MAX_SAFE_INTEGER }

/** @param {Bot} bot @param {string} name */
const held = (bot, name) => bot.inventory.count(bot.registry.itemsByName[name].id)

/** Return the need of a hoe, if there is no field to sow on. @param {Bot} bot */
const hoes = (bot) => ({ tools: Object.keys(bot.registry.itemsByName).filter((name) => name.endsWith('_hoe')) })

/**
 * Till or sow, or look for ground.
 * @param {Steps} steps @param {{name: string, args: Record<string, any>} | null} next @param {string} why
 */
function field (steps, next, why) {
  if (next) steps.push(next.name, next.args, why)
  else steps.search('block', 'grass_block')
}

/** Return the chests in sight that were not opened yet. @param {Bot} bot */
const unknownChests = (bot) => [...bot.autocraft.sightings.chests].flatMap(([text, known]) => {
  const at = placeOf(text)
  return known === 'Unknown' && !bot.autocraft.bounds.outside(at) ? [at] : []
})

/** Return the place of the nearest chest that can be used, or null. @param {Bot} bot */
const chestOf = (bot) => chestsNear(bot)[0]?.at ?? unknownChests(bot)[0] ?? null

/** Tell whether a name is that of a block or a mob. @param {Bot} bot @param {string} name */
const isKnown = ({ registry }, name) => Boolean(registry.blocksByName[name] ?? registry.entitiesByName[name])

/** Go to the nearest block or mob of a kind. @param {Steps} steps @param {string} name @param {string} why */
function go (steps, name, why) {
  const { bot, near } = steps
  if (bot.registry.blocksByName[name]) {
    if (near.block(name, 2 * SEARCH)) steps.push('goto_block', { name }, why)
    else steps.search('block', name)
    return
  }
  const mob = Object.values(bot.entities).find((each) => each.name === name)
  if (mob && mob.position.distanceTo(bot.entity.position) > LIFE) steps.push('goto', at(mob.position), why)
  else steps.search('entity', name)
}

/** Walk into land where the bot was not. @param {Steps} steps @param {string} why */
function explore (steps, why) {
  const { bot } = steps
  const known = bot.autocraft.explored ?? new Set()
  const here = bot.entity.position.floored()
  const walk = steps.walk(WALK, why, (name) => {
    const [dx, , dz] = wayOf(name)
    const chunks = [1, 2, 3].map((far) => here.offset(dx * far * CHUNK, 0, dz * far * CHUNK))
    return steps.lands()[name] + chunks.filter((each) => !known.has(chunkOf(bot, each))).length
  })
  if (walk) steps.steps.push(walk)
}

/** Return the name of the column of the world in which a place is. @param {Bot} bot @param {Point} at */
const chunkOf = (bot, { x, z }) => `${bot.game.dimension} ${Math.floor(x / CHUNK)} ${Math.floor(z / CHUNK)}`

module.exports = { CHUNK, chunkOf, doing }
