'use strict'
/**
 * Act without a command: come up for air, step out of fire and lava, eat, fight back or flee. Each reflex is switched
 * by the standing policy, and each time it is reported to the journal.
 */
const { HOSTILE, RAW, WEAPONS } = require('./facts')
const { place } = require('./words')

/** @param {Bot} bot */
module.exports = function reflexes (bot) {
  const set = { air: true, fire: true, eat: true, fight: 'back', ...(bot.autocraft.options.reflexes || {}) }
  let ticks = 0
  let busy = false
  bot.on('physicsTick', () => {
    if (++ticks % 10 || busy || !bot.entity || bot.health <= 0) return
    const choking = bot.oxygenLevel !== undefined && bot.oxygenLevel <= 6 && bot.entity.isInWater
    const hungry = bot.food <= 6 || (bot.health < 10 && bot.food < 18)
    const enemy = set.fight === 'off' ? null : attacker(bot)
    if (set.fire && (bot.entity.isInLava || burning(bot))) void run('fire', outOfFire)
    else if (set.air && choking) void run('air', upForAir)
    else if (enemy) void (fights(enemy) ? run('fight', strike) : run('flee', flee))
    else if (set.eat && hungry && meal(bot)) void run('eat', eat)
  })

  /** Whether to stand: not when weak, and not beside what explodes. @param {Entity} enemy */
  const fights = (enemy) =>
    set.fight === 'back' && bot.health > 8 && enemy.name !== 'creeper' && !bot.autocraft.bounds.spare(enemy)

  /** @param {string} name @param {any} act */
  async function run (name, act) {
    busy = true
    const before = `health ${Math.round(bot.health)}, food ${bot.food}`
    try {
      const did = await act()
      if (did) bot.autocraft.tell({ event: 'reflex', name, text: `${did} (${before})`, at: place(bot.entity.position) })
    } catch (error) {
      console.error('reflex', name, error.message)
    } finally { busy = false }
  }

  async function upForAir () {
    for (let turn = 0; turn < 40 && bot.entity.isInWater && bot.oxygenLevel < 15; turn++) await hold(['jump'], 5)
    bot.setControlState('jump', false)
    return 'came up for air'
  }

  async function outOfFire () {
    const from = bot.entity.position.clone()
    const what = bot.entity.isInLava ? 'lava' : 'fire'
    for (let turn = 0; turn < 16 && (bot.entity.isInLava || burning(bot)); turn++) {
      if (turn % 4 === 0) await bot.look(bot.entity.yaw + (turn ? Math.PI / 2 : 0), 0, true)
      await hold(bot.entity.isInLava ? ['jump', 'forward'] : ['forward'], 5)
    }
    bot.setControlState('jump', false)
    bot.setControlState('forward', false)
    return from.distanceTo(bot.entity.position) > 0.5 ? `stepped out of ${what}` : ''
  }

  async function strike () {
    const enemy = attacker(bot)
    if (!enemy) return ''
    const weapon = WEAPONS.map((name) => bot.inventory.items().find((item) => item.name === name)).find(Boolean)
    if (weapon && !bot.targetDigBlock && !bot.currentWindow) await bot.equip(weapon, 'hand')
    let blows = 0
    for (
      ;
      blows < 12 && bot.entities[enemy.id] && enemy.position.distanceTo(bot.entity.position) < 4 && bot.health > 6;
      blows++
    ) {
      await bot.lookAt(enemy.position.offset(0, 1, 0), true)
      bot.attack(enemy)
      await pause(13)
    }
    return blows ? `fought back against ${enemy.name}` : ''
  }

  async function flee () {
    const enemy = attacker(bot)
    if (!enemy) return ''
    const away = bot.entity.position.minus(enemy.position)
    await bot.look(Math.atan2(-away.x, -away.z), 0, true)
    for (let turn = 0; turn < 8; turn++) await hold(['sprint', 'forward', 'jump'], 5)
    bot.clearControlStates()
    return `fled from ${enemy.name}`
  }

  async function eat () {
    if (bot.targetDigBlock || bot.currentWindow) return ''
    const item = meal(bot)
    const before = bot.heldItem
    await bot.equip(item, 'hand')
    await bot.consume()
    if (before && bot.inventory.items().some((each) => each.type === before.type)) await bot.equip(before.type, 'hand')
    return `ate ${item.name}`
  }

  /**
   * Press keys for a while; anew each time, since a command that ends meanwhile lets go of all.
   * @param {string[]} keys @param {number} ticks
   */
  function hold (keys, ticks) {
    for (const key of keys) bot.setControlState(key, true)
    return pause(ticks)
  }

  /** @param {number} ticks */
  const pause = (ticks) => new Promise((resolve) => setTimeout(resolve, ticks * 50))
}

/** Whether the ground or the air around the feet burns. @param {Bot} bot */
function burning (bot) {
  const block = bot.blockAt(bot.entity.position)
  return Boolean(block && /^(fire|soul_fire)$/.test(block.name))
}

/** A hostile mob within arm's length. @param {Bot} bot */
function attacker (bot) {
  for (const each of Object.values(bot.entities)) {
    if (HOSTILE.has(each.name || '') && each.position.distanceTo(bot.entity.position) < 3.5) return each
  }
  return null
}

/** The food that fills most, raw and harmful ones left out. @param {Bot} bot */
function meal (bot) {
  const foods = bot.registry.foodsByName || {}
  return bot.inventory.items().filter((item) => foods[item.name] && !RAW.test(item.name))
    .sort((a, b) => foods[b.name].foodPoints - foods[a.name].foodPoints)[0]
}
