'use strict'
/**
 * Act without a command: come up for air, step out of fire and lava, eat, put on armor, fight back, flee, or close the
 * bot in. The person's settings switch each reflex on or off. Each time a reflex acts, it is reported to the journal.
 */
const need = require('../shared/need')
const { Fault } = require('../shared/fault')
const { positions } = require('./commands/near')
const {
  SHOT, attacker, countFlight, flee, isNight, landing, lives, monsters, spar, stays, wayOut
} = require('./danger')
const { HEALS, LAST, NEVER, weaponOf } = require('./facts')
const { protection, slotFor } = require('./nature')
const { consume } = require('./patches/meals')
const { closeIn, closedIn, inside } = require('./shelter')
const { EYES } = require('./sight')
const { Task } = require('./task')
const { place, slotOf, wornItem } = require('./words')

const { goals } = need('mineflayer-pathfinder')

const WEAK = 8 // health below which the bot does not fight back
const FIT = 14 // health with which the bot goes up to an enemy that shoots
const BESIDE = 8 // blocks within which a second monster joins a fight
const WELL = 17 // health that a creeper does not take whole from three blocks away
const STARVING = 3 // food with which the bot eats raw and rotten meat
const RUNS = 6 // food above which the bot can run
const AGAIN = 10_000 // milliseconds after which a reflex that failed is tried again
const LONGEST = 60 // seconds that one reflex may take

/** Materials of armor, the best last. */
const PIECES = ['head', 'torso', 'legs', 'feet', 'off-hand']

/** @param {Bot} bot */
module.exports = function reflexes (bot) {
  const set = { air: true, fire: true, eat: true, fight: 'back', ...(bot.autocraft.options.reflexes || {}) }
  let ticks = 0
  let health = 0 // until the server has said it
  let hurt = -Infinity
  /** When a reflex that failed may be tried again. @type {Record<string, number>} */
  const again = {}

  bot.on('health', () => {
    if (bot.health < health) hurt = Date.now()
    health = bot.health
  })
  bot.on('physicsTick', () => {
    const { hands } = bot.autocraft
    if (++ticks % 10 || hands.reflex || !bot.entity || bot.health <= 0 || bot.isSleeping) return
    const [name, act] = due() ?? []
    if (name && act && !failed(name)) void run(name, act)
  })

  /** Tell whether a reflex failed a moment ago. @param {string} name */
  const failed = (name) => again[name] > Date.now()

  /** Return the most urgent reflex that is due, or null. @returns {[string, (task: Task) => Promise<string>] | null} */
  function due () {
    const { hands } = bot.autocraft
    if (set.fire && (bot.entity.isInLava || burning(bot))) return ['fire', outOfFire]
    const choking = bot.oxygenLevel !== undefined && bot.oxygenLevel <= 6 && bot.entity.isInWater
    if (set.air && choking) return ['air', upForAir]
    const enemy = set.fight === 'off' || !hands.ready ? null : attacker(bot, hurt)
    if (enemy) return fights(enemy) && !failed('fight') ? ['fight', strike] : ['flee', escape]
    if (!hands.free) return null
    if (set.eat && hungry(bot) && meal(bot)) return ['eat', eat]
    // by day and without monsters, programs may hold and take off what they like
    if (set.fight !== 'off' && (isNight(bot) || monsters(bot, 16).length) && better(bot)) return ['wear', wear]
    return null
  }

  /**
   * Tell whether to fight: not when weak or without a weapon, unless the enemy is in the same hole, and not against
   * many where the bot can run. A healthy bot also fights creepers that are alone, and goes up to a single enemy that
   * shoots, since arrows fly farther than the bot can run. A creeper that stays is fought with less health.
   * @param {Entity} enemy
   */
  function fights (enemy) {
    if (set.fight !== 'back' || bot.autocraft.bounds.spare(enemy)) return false
    if (cornered(enemy)) return true
    if (!weaponOf(bot)) return false
    const others = monsters(bot, BESIDE).filter((each) => each !== enemy)
    if (enemy.name === 'creeper') {
      if (stays(bot, enemy)) return bot.health > WEAK
      return bot.health >= WELL && others.every(({ name }) => name === 'creeper')
    }
    if (!near(enemy)) return bot.health >= FIT && !others.length
    const few = bot.health > WEAK + 4 * (monsters(bot, 6).length - 1)
    return few || (bot.health > WEAK && wayOut(bot, SHOT) === null)
  }

  /** Tell whether an enemy is closed in together with the bot. @param {Entity} enemy */
  const cornered = (enemy) => closedIn(bot) && inside(bot) === enemy

  /** @param {Entity} enemy */
  const near = (enemy) => enemy.position.distanceTo(bot.entity.position) < 4

  /** @param {string} name @param {(task: Task) => Promise<string>} act */
  async function run (name, act) {
    const before = `health ${Math.round(bot.health)}, food ${bot.food}`
    const task = new Task(bot, LONGEST)
    task.reflex = true
    const stop = () => task.stop(new Fault('the bot died', 'dead'))
    bot.once('death', stop)
    try {
      const did = await bot.autocraft.hands.interrupt(() => act(task))
      if (did) bot.autocraft.tell({ event: 'reflex', name, text: `${did} (${before})`, at: place(bot.entity.position) })
      else again[name] = Date.now() + AGAIN
    } catch (error) {
      again[name] = Date.now() + AGAIN
      console.error('reflex', name, error.message)
    } finally {
      bot.removeListener('death', stop)
      task.close()
      bot.clearControlStates()
    }
  }

  /** @param {Task} task */
  async function upForAir (task) {
    for (let turn = 0; turn < 40 && bot.entity.isInWater && bot.oxygenLevel < 15; turn++) await hold(['jump'], 5, task)
    return bot.entity.isInWater && bot.oxygenLevel < 15 ? '' : 'came up for air'
  }

  /** @param {Task} task */
  async function outOfFire (task) {
    const from = bot.entity.position.clone()
    const what = bot.entity.isInLava ? 'lava' : 'fire'
    const safe = landing(bot)
    for (let turn = 0; turn < 16 && (bot.entity.isInLava || burning(bot)); turn++) {
      if (safe && turn < 8) await bot.lookAt(safe.offset(0.5, EYES, 0.5), true)
      else if (turn % 4 === 0) await bot.look(bot.entity.yaw + (turn ? Math.PI / 2 : 0), 0, true)
      await hold(bot.entity.isInLava ? ['jump', 'forward'] : ['forward'], 5, task)
    }
    bot.clearControlStates()
    await putOut(task)
    return from.distanceTo(bot.entity.position) > 0.5 ? `stepped out of ${what}` : ''
  }

  /** Go into water that is near if fire still costs health. @param {Task} task */
  async function putOut (task) {
    await task.ticks(25)
    const [water] = Date.now() - hurt < 1500 ? positions(bot, [bot.registry.blocksByName.water.id], 8, 1) : []
    if (!water) return
    await walk(water, 0, task)
  }

  /**
   * Walk for four seconds at most.
   * @param {Vec3} to @param {number} near blocks that are near enough @param {Task} task
   */
  async function walk (to, near, task) {
    const way = bot.autocraft.travel(new goals.GoalNear(to.x, to.y, to.z, near), task, to)
    try { await task.wait(way, 4) } catch {} finally { bot.pathfinder.setGoal(null) }
    way.catch(() => {})
  }

  /** @param {Task} task */
  async function strike (task) {
    const enemy = attacker(bot, hurt)
    if (!enemy) return ''
    const explodes = enemy.name === 'creeper'
    const fit = () => explodes ? fights(enemy) : bot.health > WEAK || cornered(enemy)
    let blows = 0
    for (let more = 1; more && lives(bot, enemy) && fit(); blows += more) {
      if (!explodes && !near(enemy)) await walk(enemy.position.clone(), 2, task)
      more = await spar(bot, enemy, task, fit)
    }
    if (blows) return `fought back against ${enemy.name}`
    return explodes ? escape(task) : ''
  }

  /** Run away. A weak or unarmed bot also closes itself in, which ends the command. @param {Task} task */
  async function escape (task) {
    const enemy = attacker(bot, hurt)
    if (!enemy) return ''
    bot.autocraft.hands.flights++
    countFlight(bot, enemy)
    const weak = bot.health <= WEAK || (!weaponOf(bot) && bot.health < FIT)
    await flee(bot, task, weak ? { far: SHOT + 2, ticks: 120 } : {})
    if (!weak || set.fight !== 'back') return `fled from ${enemy.name}`
    try {
      await closeIn(bot, task)
    } catch (error) {
      if (task.stopped) throw error
      return `fled from ${enemy.name}, and found no shelter: ${error.message}`
    }
    const at = place(bot.entity.position)
    bot.emit('autocraft_danger', new Fault(
      `The bot hid from ${enemy.name} at ${at}, closed in on all sides, with health ${Math.round(bot.health)}: ` +
      'let it shelter until it is safe',
      'danger'
    ))
    return `hid from ${enemy.name}`
  }

  /** @param {Task} task */
  async function eat (task) {
    const item = meal(bot)
    if (!item) return ''
    const [before, food] = [bot.heldItem, bot.food]
    await task.wait(bot.equip(item, 'hand'), 5)
    await consume(bot, task, () => bot.food > food)
    const ate = bot.food > food
    if (ate) bot.autocraft.journal.ate.push(item.name)
    if (before && bot.inventory.items().some((each) => each.type === before.type)) {
      await task.wait(bot.equip(before.type, 'hand'), 5)
    }
    return ate ? `ate ${item.name}` : ''
  }

  /** @param {Task} task */
  async function wear (task) {
    const found = better(bot)
    if (!found) return ''
    await task.wait(bot.equip(found.item, found.slot), 5)
    await task.ticks(2)
    return wornItem(bot, found.slot)?.type === found.item.type ? `put on ${found.item.name}` : ''
  }

  /**
   * Press keys for a while. Press them each time, since a command that ends releases all keys.
   * @param {string[]} keys @param {number} ticks @param {Task} task
   */
  function hold (keys, ticks, task) {
    for (const key of keys) bot.setControlState(key, true)
    return task.ticks(ticks)
  }
}

/** Tell whether the place of the feet burns. @param {Bot} bot */
function burning (bot) {
  const block = bot.blockAt(bot.entity.position)
  return Boolean(block && /^(fire|soul_fire)$/.test(block.name))
}

/** Tell whether to eat: before hunger costs health, or so that wounds heal. @param {Bot} bot */
function hungry (bot) {
  return bot.food <= 12 || (bot.health < 20 && bot.food < HEALS)
}

/**
 * Return the food that fills most, or undefined. LAST food counts only if nothing else is left and the bot starves;
 * NEVER food never counts. What is spared for a task counts only if the bot is weak or starves, and what a plan needs
 * only if it is not well.
 * @param {Bot} bot
 */
function meal (bot) {
  const foods = bot.registry.foodsByName || {}
  const { spared = [], planned = [] } = bot.autocraft
  const well = bot.health >= FIT && bot.food > RUNS
  const kept = bot.health > WEAK && bot.food > STARVING ? [...spared, ...well ? planned : []] : []
  const all = bot.inventory.items()
    .filter((item) => foods[item.name] && !NEVER.test(item.name) && !kept.includes(item.name))
    .sort((a, b) => foods[b.name].foodPoints - foods[a.name].foodPoints)
  return all.find((item) => !LAST.test(item.name)) ?? (bot.food <= STARVING ? all[0] : undefined)
}

/** Return a piece of armor, or a shield, that is better than the worn one, with its slot, or null. @param {Bot} bot */
function better (bot) {
  for (const slot of PIECES) {
    const now = wornItem(bot, slot)
    if (slot === 'off-hand' && (now || slotOf(bot, slot) === null)) continue
    const [best] = bot.inventory.items()
      .filter(({ name }) => slotFor(name) === slot && (slot === 'off-hand' || protection(name) >= 0))
      .sort((a, b) => protection(b.name) - protection(a.name))
    const worn = now ? protection(now.name) : -1
    if (best && (!now || (worn >= 0 && protection(best.name) > worn))) return { slot, item: best }
  }
  return null
}
