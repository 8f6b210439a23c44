'use strict'
/**
 * Offer /give, /clear, /tp, /setblock, /fill, /summon, /time and /kill if the server was started with cheats. Otherwise
 * each command says that cheats are off.
 */
const { Vec3 } = require('../../shared/need')('vec3')
const { MOBS } = require('../tables/mobs')

const AXES = /** @type {const} */ (['x', 'y', 'z'])
const MOST_FILLED = 32768 // blocks, as in Minecraft
const MOST_GIVEN = 100 // stacks, as in Minecraft; what finds no room falls to the ground

/** @param {Serv} serv @param {ServerOptions} options */
module.exports = function inject (serv, options) {
  /** @param {string} name */
  const plain = (name) => String(name ?? '').replace(/^minecraft:/, '')
  /** @param {string | undefined} text @param {Player} player @param {'x' | 'y' | 'z'} axis */
  const whole = (text, player, axis) => {
    const relative = text?.startsWith('~')
    const value = Number(relative ? text?.slice(1) || 0 : text)
    return Number.isFinite(value) ? value + (relative ? player.position[axis] : 0) : null
  }
  /** @param {Player} player @param {string[]} words */
  const placeOf = (player, words) => {
    const [x, y, z] = AXES.map((axis, i) => whole(words[i], player, axis))
    return x === null || y === null || z === null || Math.abs(x) > 3e7 || Math.abs(z) > 3e7 ? null : new Vec3(x, y, z)
  }

  /**
   * The usage of each cheat, and its function, which returns false if the arguments are wrong.
   * @type {Record<string, [string, (player: Player, words: string[]) => string | false]>}
   */
  const CHEATS = {
    give: ['/give <player or @s> <item> [count]', (player, [who, item, count = '1']) => {
      const to = who === '@s' || who === '@p' ? player : serv.getPlayer(who)
      const info = serv.registry.itemsByName[plain(item)]
      if (!to || !info || !/^[1-9]\d{0,3}$/.test(count)) return false
      const most = MOST_GIVEN * info.stackSize
      if (Number(count) > most) return `At most ${most} ${info.name} at once.`
      for (let left = Number(count); left > 0; left -= info.stackSize) {
        to.giveOrDrop({ name: info.name, count: Math.min(left, info.stackSize) })
      }
      return `Gave ${count} ${info.name} to ${to.username}.`
    }],
    tp: ['/tp <x> <y> <z>', (player, words) => {
      const to = placeOf(player, words)
      if (!to) return false
      player.teleport(to)
      return `Went to ${to}.`
    }],
    setblock: ['/setblock <x> <y> <z> <block>', (player, words) => {
      const at = placeOf(player, words)
      const block = serv.registry.blocksByName[plain(words[3])]
      if (!at || !block) return false
      world.set(Math.floor(at.x), Math.floor(at.y), Math.floor(at.z), block.defaultState)
      return `Set ${block.name}.`
    }],
    fill: ['/fill <x> <y> <z> <x> <y> <z> <block>', (player, words) => {
      const [from, to] = [placeOf(player, words.slice(0, 3)), placeOf(player, words.slice(3, 6))]
      const block = serv.registry.blocksByName[plain(words[6])]
      if (!from || !to || !block) return false
      const [low, high] = [from.min(to).floored(), from.max(to).floored()]
      if ((high.x - low.x + 1) * (high.y - low.y + 1) * (high.z - low.z + 1) > MOST_FILLED) {
        return `More than ${MOST_FILLED} blocks.`
      }
      for (let x = low.x; x <= high.x; x++) {
        for (let y = low.y; y <= high.y; y++) {
          for (let z = low.z; z <= high.z; z++) world.set(x, y, z, block.defaultState)
        }
      }
      return `Filled with ${block.name}.`
    }],
    clear: ['/clear', (player) => {
      player.slots.fill(null)
      player.showChanges()
      return 'Cleared.'
    }],
    summon: [`/summon <${Object.keys(MOBS).join('|')}> [x y z]`, (player, [name, ...words]) => {
      const at = words.length ? placeOf(player, words) : player.position
      if (!at || !Object.hasOwn(MOBS, plain(name))) return false
      serv.spawnMob(plain(name), at)
      return `Summoned ${plain(name)}.`
    }],
    time: ['/time set <0 to 23999|day|night>', (player, [verb, value]) => {
      const time = value === 'day' ? 1000 : value === 'night' ? 13500 : /^\d{1,5}$/.test(value) ? Number(value) : NaN
      if (verb !== 'set' || Number.isNaN(time)) return false
      serv.setTime(time)
      return `Time is ${serv.time}.`
    }],
    kill: ['/kill', (player) => {
      player.hurt(1000, 'fell out of the world')
      return 'Killed.'
    }]
  }
  const { world } = serv

  for (const [base, [usage, action]] of Object.entries(CHEATS)) {
    serv.commands.add({
      base,
      usage,
      action: (text, { player }) => {
        if (!options.cheats) return 'This practice world runs without cheats.'
        return action(player, String(text).split(' ').filter(Boolean)) || `Usage: ${usage}`
      }
    })
  }
}
