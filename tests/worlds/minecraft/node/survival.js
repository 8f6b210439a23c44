'use strict'
/** Play scenarios with a plain mineflayer bot: crafting, tools, furnaces, chests, health. */
const {
  Server, join, until, settle, ticks, id, count, inventory, give, setBlock, arena, goTo, craft, digDrops, Vec3
} = require('./lab')
const { once } = require('node:events')

async function withBot (options, play) {
  const server = await Server.start(options)
  const bot = await join(server)
  try {
    return await play(bot, server)
  } finally {
    bot.quit()
    await server.stop()
  }
}

/** From logs to a stone pickaxe and a chest, by mineflayer's own bot.craft. */
const crafting = () => withBot({ speed: 10 }, async (bot) => {
  const at = await arena(bot)
  await give(bot, 'oak_log', 6)
  await give(bot, 'cobblestone', 20)
  await craft(bot, 'oak_planks', 6)
  await craft(bot, 'stick', 2)
  const small = inventory(bot)
  await craft(bot, 'crafting_table')
  await bot.equip(id(bot, 'crafting_table'), 'hand')
  await bot.placeBlock(bot.blockAt(at.offset(1, -1, 0)), new Vec3(0, 1, 0))
  const table = bot.blockAt(at.offset(1, 0, 0))
  for (const name of ['wooden_pickaxe', 'stone_pickaxe', 'furnace', 'chest']) await craft(bot, name, 1, table)
  await settle(bot)
  return { small, whole: inventory(bot), noTable: bot.recipesFor(id(bot, 'stone_pickaxe'), null, 1, null).length }
})

/** Clicks by hand: a wrong pattern makes nothing, mixed planks make a table, closing gives the rest back. */
const clicks = () => withBot({ speed: 10 }, async (bot) => {
  await arena(bot)
  await give(bot, 'oak_planks', 3)
  await give(bot, 'birch_planks', 1)
  const slotOf = (name) => bot.inventory.items().find((item) => item.name === name).slot
  await bot.clickWindow(slotOf('oak_planks'), 0, 0)
  for (const slot of [1, 2]) await bot.clickWindow(slot, 1, 0)
  await settle(bot)
  const two = bot.inventory.slots[0]?.name ?? null
  await bot.clickWindow(3, 1, 0)
  await settle(bot)
  const three = bot.inventory.slots[0]?.name ?? null
  await bot.clickWindow(slotOf('birch_planks'), 0, 0)
  await bot.clickWindow(4, 0, 0)
  await settle(bot)
  const four = bot.inventory.slots[0]?.name ?? null
  await bot.clickWindow(0, 0, 1)
  await settle(bot)
  return { two, three, four, whole: inventory(bot), grid: bot.inventory.slots.slice(1, 5) }
})

/** Which tool gets what out of which block. */
const tiers = () => withBot({ speed: 10 }, async (bot) => {
  const at = await arena(bot)
  const seen = {}
  const tries = [
    ['stone', null], ['stone', 'wooden_pickaxe'], ['coal_ore', 'wooden_pickaxe'], ['iron_ore', 'wooden_pickaxe'],
    ['iron_ore', 'stone_pickaxe'], ['diamond_ore', 'stone_pickaxe'], ['diamond_ore', 'iron_pickaxe'],
    ['redstone_ore', 'stone_pickaxe'], ['redstone_ore', 'iron_pickaxe'], ['gold_ore', 'iron_pickaxe'],
    ['lapis_ore', 'stone_pickaxe'], ['grass_block', null], ['oak_log', null], ['glass', null], ['oak_leaves', 'shears'],
    ['snow_block', 'iron_shovel'], ['clay', null], ['cobweb', 'iron_sword']
  ]
  for (const tool of new Set(tries.map(([, tool]) => tool).filter(Boolean))) await give(bot, tool)
  for (const [block, tool] of tries) {
    await setBlock(bot, at.offset(2, 0, 2), block)
    const { found } = await digDrops(bot, at.offset(2, 0, 2), tool)
    seen[`${block} ${tool ?? 'hand'}`] = found
  }
  return seen
})

/** A wooden pickaxe has 59 uses. */
const wear = () => withBot({ speed: 10 }, async (bot, server) => {
  const at = await arena(bot)
  await give(bot, 'wooden_pickaxe')
  await bot.equip(id(bot, 'wooden_pickaxe'), 'hand')
  let dug = 0
  const worn = []
  while (bot.heldItem && dug < 100) {
    await setBlock(bot, at.offset(1, 0, 0), 'netherrack')
    await bot.dig(bot.blockAt(at.offset(1, 0, 0)), true)
    await ticks(server, 10) // on a busy machine the server may be behind the bot's own clock
    await settle(bot)
    dug++
    worn.push(bot.heldItem?.durabilityUsed ?? null)
  }
  return { dug, first: worn[0], last: worn[dug - 2] }
})

/** The ticks at which ingots come out, by the numbers that the server sends at the end of each tick. */
const smelting = () => withBot({ speed: 0 }, async (bot) => {
  const at = await arena(bot)
  await setBlock(bot, at.offset(1, 0, 0), 'furnace')
  await give(bot, 'iron_ore', 9)
  await give(bot, 'coal', 1)
  const furnace = await bot.openFurnace(bot.blockAt(at.offset(1, 0, 0)))
  const outputs = []
  const numbers = []
  const say = (text) => bot._client.write('custom_payload', { channel: 'autocraft:tick', data: Buffer.from(text) })
  bot._client.on('custom_payload', ({ channel, data }) => {
    if (channel !== 'autocraft:tick') return
    const tick = Number(data.toString())
    numbers.push(tick)
    if ((furnace.outputItem()?.count ?? 0) > outputs.length) outputs.push(tick)
    say(String(tick))
  })
  say('join')
  await furnace.putFuel(id(bot, 'coal'), null, 1)
  await furnace.putInput(id(bot, 'iron_ore'), null, 9)
  await until(() => outputs.length === 8 && numbers.at(-1) > outputs[7] + 300, 'the coal is burnt')
  const whole = numbers.slice(1).every((tick, i) => tick === numbers[i] + 1)
  return {
    whole, gaps: outputs.slice(1).map((tick, i) => tick - outputs[i]), left: furnace.inputItem()?.count ?? 0,
    fuel: furnace.fuelItem()?.count ?? 0
  }
})

/** In and out of a chest, and of a double one; what a broken chest held falls. */
const chests = () => withBot({ speed: 10 }, async (bot) => {
  const at = await arena(bot)
  await give(bot, 'cobblestone', 40)
  await give(bot, 'chest', 2)
  await bot.lookAt(at.offset(0.5, 1, 3))
  await bot.equip(id(bot, 'chest'), 'hand')
  await bot.placeBlock(bot.blockAt(at.offset(1, -1, 2)), new Vec3(0, 1, 0))
  let box = await bot.openContainer(bot.blockAt(at.offset(1, 0, 2)))
  const single = box.inventoryStart
  await box.deposit(id(bot, 'cobblestone'), null, 30)
  await box.withdraw(id(bot, 'cobblestone'), null, 10)
  await box.close()
  await settle(bot)
  const after = inventory(bot)
  await bot.equip(id(bot, 'chest'), 'hand')
  await bot.placeBlock(bot.blockAt(at.offset(0, -1, 2)), new Vec3(0, 1, 0))
  box = await bot.openContainer(bot.blockAt(at.offset(0, 0, 2)))
  const double = box.inventoryStart
  const held = box.containerItems().map((item) => [item.name, item.count])
  await box.close()
  const { found } = await digDrops(bot, at.offset(1, 0, 2), null)
  box = await bot.openContainer(bot.blockAt(at.offset(0, 0, 2)))
  return { single, after, double, held, found, singleAgain: box.inventoryStart }
})

/** Falls from several heights, each with full health and nothing to heal with. */
const falls = () => withBot({ speed: 1 }, async (bot) => {
  const at = await arena(bot)
  const lost = {}
  for (const height of [3, 4, 8]) {
    await until(() => bot.health === 20, 'the bot is well')
    let lowest = 20
    const watch = () => { lowest = Math.min(lowest, bot.health) }
    bot.on('health', watch)
    const up = once(bot, 'forcedMove')
    bot.chat(`/tp ~ ~${height} ~`)
    await up
    await until(() => bot.entity.onGround && Math.abs(bot.entity.position.y - at.y) < 0.01, 'the bot has landed')
    await settle(bot)
    bot.removeListener('health', watch)
    lost[height] = 20 - lowest
  }
  return lost
})

/** Dies with things on it: they lie there, it comes back at the spawn point with full health and empty hands. */
const death = () => withBot({ speed: 10 }, async (bot, server) => {
  const at = await arena(bot)
  await give(bot, 'cobblestone', 12)
  await give(bot, 'bread', 3)
  let dropped = 0
  bot.on('itemDrop', () => dropped++)
  const died = new Promise((resolve) => bot.once('death', resolve))
  const again = new Promise((resolve) => bot.once('respawn', resolve))
  bot.chat('/kill')
  await died
  await again
  await until(() => bot.health === 20, 'the bot lives again')
  await settle(bot)
  const empty = inventory(bot)
  const spawn = (await server.ask('state')).spawn
  const near = bot.entity.position.distanceTo(new Vec3(...spawn)) < 2
  await goTo(bot, at)
  await until(() => count(bot, 'cobblestone') === 12 && count(bot, 'bread') === 3, 'the things are picked up again')
  return {
    dropped, empty, near, again: inventory(bot), said: bot.heard.some((line) => line.includes('fell out of the world'))
  }
})

/** Dies far from the spawn point, beside a pig. Returns how many pigs it sees when it lives again. */
const ghosts = () => withBot({ speed: 10 }, async (bot) => {
  const pigs = () => Object.values(bot.entities).filter(({ name }) => name === 'pig').length
  const away = once(bot, 'forcedMove')
  bot.chat('/tp ~200 ~ ~')
  await away
  bot.chat('/summon pig ~ ~ ~')
  await until(pigs, 'a pig is near')
  const again = new Promise((resolve) => bot.once('respawn', resolve))
  bot.chat('/kill')
  await again
  await until(() => bot.health === 20, 'the bot lives again')
  await settle(bot)
  return pigs()
})

/** Healing makes hungry: 9 points of health cost more than the saturation; eating fills and takes one item. */
const hunger = () => withBot({ speed: 10 }, async (bot, server) => {
  const at = await arena(bot)
  await give(bot, 'bread', 2)
  await bot.equip(id(bot, 'bread'), 'hand')
  const full = await bot.consume().then(() => 'ate', (error) => error.message)
  bot.chat('/tp ~ ~12 ~')
  await until(() => bot.food === 17, 'the bot is hungry')
  const { health } = bot
  await ticks(server, 200)
  const healed = bot.health > health
  await bot.consume()
  await until(() => bot.food > 17, 'the bot has eaten')
  return { full, healed, food: bot.food, bread: count(bot, 'bread'), at: at.y }
})

module.exports = { crafting, clicks, tiers, wear, smelting, chests, falls, death, ghosts, hunger }
