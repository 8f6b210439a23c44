'use strict'
/** Smelt in a furnace. */
const { Fault, reasonOf } = require('../../shared/fault')
const { difference, holdings, itemOf, place } = require('../words')
const { burns, smelting } = require('../facts')
const { knows } = require('../mode')
const { FULL, fits, news } = require('./gather')
const { approach } = require('./near')
const { atStation } = require('./station')

/** @typedef {(work: Promise<unknown>) => Promise<unknown>} Clicks waits for what mineflayer clicks */

const SECONDS_EACH = 10
const PAUSE = 40 // ticks between two looks into the furnace

/** @param {Bot} bot @param {{name: string, fuel?: string, count?: number}} parts @param {Task} task */
async function smelt_item (bot, { name, fuel = '', count = 1 }, task) {
  const item = inputOf(bot, name, task)
  const output = smelting(bot)[item.name]
  if (!output) throw new Fault(`${item.name} is not a valid input`)
  if (!knows(bot, output)) throw new Fault(`This bot does not know how to make ${output}`)
  if (bot.inventory.count(item.id) < count) {
    throw new Fault(
      `I cannot smelt ${item.name} because I need: ${count - bot.inventory.count(item.id)} more ${item.name}`
    )
  }
  const burning = chooseFuel(bot, fuel, item, count)
  const takes = { [item.name]: count, [bot.registry.items[burning.id].name]: burning.count }
  const isEmpty = (/** @type {Block} */ block) => holdsNothing(bot, block, task)
  return atStation(bot, { name: 'furnace', what: `smelt ${item.name}`, takes, isEmpty }, task, (block) =>
    smelt(bot, { item, output, count, burning }, block, task))
}

/**
 * Smelt in a furnace.
 * @param {Bot} bot @param {{item: ItemKind, output: string, count: number, burning: {id: number, count: number}}} what
 * @param {Block} block @param {Task} task
 */
async function smelt (bot, { item, output, count, burning }, block, task) {
  const before = holdings(bot)
  const meals = bot.autocraft.journal.ate.length
  let loaded = false
  let left = 0 // of the output, by an earlier command
  let broken = ''
  try {
    await atFurnace(bot, block, task, async (furnace, clicks) => {
      const other = furnace.inputItem()
      if (other && other.type !== item.id) {
        throw new Fault(`the furnace at ${place(block.position)} is smelting ${other.name}`)
      }
      const out = furnace.outputItem()
      if (out?.name === output) left = out.count
      await empty(furnace, clicks)
      loaded = true
      await clicks(furnace.putFuel(burning.id, null, burning.count))
      await clicks(furnace.putInput(item.id, null, count))
    })
    await outputs(bot, block, count, task)
  } catch (error) {
    if (loaded && task.stopped) {
      task.say(
        `What was put into the furnace at ${place(block.position)} is still there: the next smelt_item of ` +
        `${item.name} takes it out first.`
      )
    }
    if (!loaded) throw error
    task.goOnAfter(error)
    broken = ` (${reasonOf(error)})`
  } finally {
    if (loaded && !task.stopped) {
      await atFurnace(bot, block, task, empty).catch((error) => {
        broken = broken || ` (${reasonOf(error)})`
      })
    }
  }
  await task.ticks(2)
  const change = difference(before, holdings(bot))
  const eaten = bot.autocraft.journal.ate.slice(meals).filter((each) => each === output).length
  const burnt = change[item.name] < 0 && bot.registry.items[burning.id].name === output ? burning.count : 0
  const got = Math.min(count, (change[output] || 0) + eaten + burnt - left)
  const ate = eaten ? ` By itself the bot ate ${eaten} of them.` : ''
  if (!got || broken) {
    throw new Fault(`Failed to smelt ${item.name}, please check the fuel and input${broken}. ${news(bot, before)}`)
  }
  if (got < count) {
    throw new Fault(
      `Smelted only ${got} of ${count} ${item.name}, please check the fuel and input.${ate} ${news(bot, before)}`
    )
  }
  return `Smelted ${got} ${item.name} to ${output}.${ate} ${news(bot, before)}`
}

/**
 * Return the item with this name. If only the raw metal that an ore drops since 1.17 is there, return the raw metal.
 * @param {Bot} bot @param {string} name @param {Task} task
 */
function inputOf (bot, name, task) {
  const item = itemOf(bot, name)
  const raw = bot.registry.itemsByName[item.name.replace(/^(?:deepslate_)?(iron|gold|copper)_ore$/, 'raw_$1')]
  if (!raw || raw === item || bot.inventory.count(item.id) || !bot.inventory.count(raw.id)) return item
  task.say(`${item.name} drops ${raw.name}, which is smelted`)
  return raw
}

/**
 * Return the named fuel, or the best fuel that is there, and how much of it is needed. Throws a Fault if there is not
 * enough.
 * @param {Bot} bot @param {string} fuel @param {ItemKind} item @param {number} count
 */
function chooseFuel (bot, fuel, item, count) {
  /** @param {string} name */
  const amount = (name) => Math.ceil(count / burns(name))
  /** @param {string} name */
  const held = (name) => bot.inventory.count(bot.registry.itemsByName[name].id) - (name === item.name ? count : 0)
  if (fuel) {
    const named = itemOf(bot, fuel)
    if (!burns(named.name)) throw new Fault(`${named.name} is not a valid fuel`)
    const less = amount(named.name) - held(named.name)
    if (less > 0) throw new Fault(`I cannot smelt ${count} ${item.name} because I need: ${less} more ${named.name}`)
    return { id: named.id, count: amount(named.name) }
  }
  /** @param {string} name */
  const order = (name) =>
    /^(coal|charcoal)$/.test(name) ? 0 : /planks$/.test(name) ? 1 : /(log|wood)$/.test(name) ? 2 : 3
  const names = Object.keys(holdings(bot))
    .filter((name) => burns(name) > 0 && name !== 'lava_bucket' && held(name) >= amount(name))
    .filter((name) => !bot.registry.itemsByName[name].maxDurability && name !== 'crafting_table' && name !== 'chest')
  const [best] = names.sort((a, b) => order(a) - order(b) || burns(b) - burns(a))
  if (!best) {
    throw new Fault(
      `I cannot smelt ${item.name} because I need: a fuel, such as ${amount('coal')} coal or ` +
      `${amount('oak_planks')} oak_planks`
    )
  }
  return { id: bot.registry.itemsByName[best].id, count: amount(best) }
}

/**
 * Go to a furnace, open it for a moment, and close it. It stays closed while it burns, so that the bot can defend
 * itself.
 * @param {Bot} bot @param {Block} block @param {Task} task
 * @param {(furnace: import('mineflayer').Furnace, clicks: Clicks) => Promise<void>} act
 */
async function atFurnace (bot, block, task, act) {
  await bot.autocraft.hands.rest(task)
  await approach(bot, block.position, task)
  await bot.autocraft.hands.use(task, async () => {
    const furnace = await bot.autocraft.hands.ended(task, bot.openFurnace(block), 10, 'the furnace')
    /** @type {Clicks} */
    const clicks = (work) => bot.autocraft.hands.clicks(task, work, 10, 'the furnace')
    try { await act(furnace, clicks) } finally { if (bot.currentWindow) void furnace.close() }
  })
}

/** Open a furnace, and return whether nothing is in it. @param {Bot} bot @param {Block} block @param {Task} task */
async function holdsNothing (bot, block, task) {
  let isEmpty = false
  await atFurnace(bot, block, task, async (furnace) => {
    isEmpty = !furnace.inputItem() && !furnace.fuelItem() && !furnace.outputItem()
  })
  return isEmpty
}

/**
 * Take everything out of a furnace: what is done, what was not used, and what an interrupted command left.
 * @param {import('mineflayer').Furnace} furnace @param {Clicks} clicks
 */
async function empty (furnace, clicks) {
  await take(furnace, furnace.outputItem(), furnace.takeOutput, clicks)
  await take(furnace, furnace.inputItem(), furnace.takeInput, clicks)
  await take(furnace, furnace.fuelItem(), furnace.takeFuel, clicks)
}

/**
 * Take one thing out of a furnace, if it is there. Throws a Fault if there is no room for it.
 * @param {import('mineflayer').Furnace} furnace @param {Item | null} item @param {() => Promise<Item>} out
 * @param {Clicks} clicks
 */
async function take (furnace, item, out, clicks) {
  if (item && !fits(furnace, item)) throw new Fault(`${item.count} ${item.name} stays in the furnace: ${FULL}`)
  if (item) await clicks(out())
}

/**
 * Wait until everything is smelted, and take the output out.
 * @param {Bot} bot @param {Block} block @param {number} count @param {Task} task
 */
async function outputs (bot, block, count, task) {
  let done = 0
  for (let left = (count * SECONDS_EACH + 5) * 20; left > 0 && done < count; left -= PAUSE) {
    await task.ticks(PAUSE)
    await atFurnace(bot, block, task, async (furnace, clicks) => {
      const out = furnace.outputItem()
      task.progress = `${done + (out ? out.count : 0)} of ${count} smelted`
      if (out && (done + out.count >= count || out.count >= 32)) {
        done += out.count
        await take(furnace, out, furnace.takeOutput, clicks)
      }
    })
  }
}

module.exports = { smelt_item }
