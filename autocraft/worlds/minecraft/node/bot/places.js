'use strict'
/**
 * Remember where useful and dangerous things are: tables, furnaces, ores, water, lava, portals, fields, and signs of a
 * village. Forget what is no longer there.
 */
const { scan, sections, statesOf } = require('./columns')
const { reachable } = require('./commands/near')

const NOTABLE = new RegExp(
  '^(crafting_table|(lit_)?furnace|blast_furnace|smoker|enchanting_table|brewing_stand|anvil|bed|.*_bed|bell|spawner|' +
  'nether_portal|end_portal_frame|obsidian|water|lava|.*_ore|ancient_debris|sugar_cane|pumpkin|melon|wheat|carrots|' +
  'potatoes|beetroots)$'
)
const NAMED = '@' // begins the names that were given to places
const LOOK = 16 // blocks around the bot that are searched
const OFTEN = 200 // ticks between two searches
const APART = 24 // blocks between two places of one kind that are both remembered
const MOST = 6 // places of one kind
const FAR = 512 // blocks to the farthest place that is worth the way, by default

/** @param {Bot} bot */
module.exports = function places (bot) {
  /** Places by dimension, then by block. @type {Record<string, Record<string, number[][]>>} */
  let all = bot.autocraft.options.places?.all ?? {}
  const wanted = statesOf(bot, bot.registry.blocksArray.filter(({ name }) => NOTABLE.test(name)).map(({ id }) => id))
  let world = ''
  let ticks = 0

  bot._client.on('login', (packet) => {
    world = String(packet.hashedSeed ?? packet.worldState?.hashedSeed ?? '')
    const before = bot.autocraft.options.places?.world
    if ([undefined, world, '0,0'].includes(before)) return // all practice worlds were called 0,0 once
    all = {}
    const { sightings } = bot.autocraft
    sightings.chests.clear()
    Object.assign(sightings, { grave: null, deaths: [] })
  })
  bot.on('physicsTick', () => { if (ticks++ % OFTEN === 0 && bot.entity) look() })

  const here = () => (all[bot.game.dimension] ??= {})

  function look () {
    const from = bot.entity.position.floored()
    /** @type {Map<string, number[]>} */
    const nearest = new Map()
    for (const section of sections(bot, from, LOOK)) {
      if (section.palette && !section.palette.some((state) => wanted.has(state))) continue
      scan(section, (state, x, y, z) => {
        if (!wanted.has(state)) return
        const { name } = bot.registry.blocksByStateId[state]
        const far = Math.hypot(x - from.x, y - from.y, z - from.z)
        const nearer = far <= LOOK && far < (nearest.get(name)?.[3] ?? Infinity)
        if (!nearer || !bot.autocraft.eyes.know(x, y, z) || !reachable(bot, { x, y, z, state })) return
        nearest.set(name, [x, y, z, far])
      })
    }
    forget()
    for (const [name, [x, y, z]] of nearest) remember(name, [x, y, z])
  }

  /** @param {string} name @param {number[]} at */
  function remember (name, at) {
    const known = here()[name] ?? []
    if (known.some((each) => Math.hypot(...each.map((value, axis) => value - at[axis])) < APART)) return
    here()[name] = [at, ...known].slice(0, MOST)
  }

  /** Remember only these places of a block. @param {string} name @param {number[][]} still */
  function keep (name, still) {
    if (still.length) here()[name] = still
    else delete here()[name]
  }

  /** Return the places of a block where it still is, as far as is known. @param {string} name */
  const standing = (name) => (here()[name] ?? []).filter(([x, y, z]) => {
    const block = name.startsWith(NAMED) ? null : bot.blockAt(bot.entity.position.clone().set(x, y, z), false)
    return !block || block.name === name
  })

  /** Forget blocks that are no longer where they were. */
  function forget () { for (const name of Object.keys(here())) keep(name, standing(name)) }

  bot.autocraft.places = {
    get all () { return { world, all } },
    remember,
    name (name, at) { here()[NAMED + name] = [at] },
    near (name, far = FAR) {
      const at = bot.entity.position
      const [best] = standing(name)
        .map(([x, y, z]) => at.clone().set(x, y, z))
        .filter((each) => each.distanceTo(at) <= far && !bot.autocraft.bounds.outside(each))
        .sort((a, b) => a.distanceTo(at) - b.distanceTo(at))
      return best ?? null
    },
    forget,
    drop (name, { x, y, z }) {
      keep(name, (here()[name] ?? []).filter((each) => each[0] !== x || each[1] !== y || each[2] !== z))
    }
  }
}
