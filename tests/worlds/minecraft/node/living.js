'use strict'
/** Play scenarios with a plain mineflayer bot: mobs, crops, beds, buckets, day and night. */
const { Server, join, until, settle, id, count, give, setBlock, arena, Vec3 } = require('./lab')

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

const nearest = (bot, name) =>
  bot.nearestEntity((entity) => entity.name === name && entity.position.distanceTo(bot.entity.position) < 6)

/** Strikes until it is dead. The world stands still meanwhile, so that a busy machine does not let it strike more. */
async function slay (bot, server, name) {
  let blows = 0
  let gone = false
  bot.once('entityDead', () => { gone = true })
  await server.ask('freeze')
  while (!gone && blows < 60) {
    const mob = nearest(bot, name)
    if (mob) {
      await bot.lookAt(mob.position.offset(0, mob.height / 2, 0), true)
      bot.attack(mob)
      blows++
    }
    await server.ask('tick', { n: 14 }) // until the sword is ready again
  }
  await server.ask('thaw')
  return blows
}

/** A cow is struck with a sword until it dies, and leaves beef; a zombie walks up, hurts, and can be killed. */
const mobs = () => withBot({ speed: 10 }, async (bot, server) => {
  const at = await arena(bot, 4)
  for (let x = -4; x <= 4; x++) {
    for (const z of [-4, 4]) for (const y of [0, 1]) bot.chat(`/setblock ${at.x + x} ${at.y + y} ${at.z + z} stone`)
  }
  for (let z = -4; z <= 4; z++) {
    for (const x of [-4, 4]) for (const y of [0, 1]) bot.chat(`/setblock ${at.x + x} ${at.y + y} ${at.z + z} stone`)
  }
  await give(bot, 'iron_sword')
  await bot.equip(id(bot, 'iron_sword'), 'hand')
  bot.chat('/summon cow ~1 ~ ~1')
  await until(() => nearest(bot, 'cow'), 'the cow is there')
  const cow = await slay(bot, server, 'cow')
  const wear = bot.heldItem.durabilityUsed
  for (const name of ['x', '-x']) bot.setControlState(name === 'x' ? 'forward' : 'back', false)
  await until(
    () => Object.values(bot.entities).some((e) => e.name === 'item') || count(bot, 'beef') > 0,
    'something falls'
  )
  const items = Object.values(bot.entities).filter((e) => e.name === 'item').map((e) => e.getDroppedItem()?.name)
  let hurt = 0
  bot.on('health', () => { hurt ||= 20 - bot.health }) // by the first blow; a second one may come before we look
  bot.chat('/time set night')
  bot.chat(`/summon zombie ${at.x + 3} ${at.y} ${at.z + 3}`)
  await until(() => hurt, 'the zombie strikes')
  const zombie = await slay(bot, server, 'zombie')
  return { cow, wear, items, beef: count(bot, 'beef'), hurt, zombie }
})

/** In the dark monsters come by themselves, and not by day. */
const night = () => withBot({ speed: 0, mobs: true }, async (bot, server) => {
  const hostile = () =>
    Object.values(bot.entities).filter(
      (e) => ['zombie', 'skeleton', 'spider', 'creeper'].includes(e.name) && e.position.y > 62
    ).length
  bot.chat('/time set 2000')
  await settle(bot)
  bot.chat('/time set 14000')
  await until(() => hostile() > 0, 'a monster comes at night')
  return { came: true, time: (await server.ask('state')).time > 13000 }
})

/** A hoe makes farmland, seeds grow by time and bone meal, ripe wheat gives wheat and seeds; bread is made of it. */
const farming = () => withBot({ speed: 10 }, async (bot) => {
  const at = await arena(bot)
  const soil = at.offset(1, -1, 1)
  await setBlock(bot, soil, 'dirt')
  for (const [name, n] of [['iron_hoe', 1], ['wheat_seeds', 1], ['bone_meal', 10]]) await give(bot, name, n)
  await bot.equip(id(bot, 'iron_hoe'), 'hand')
  await bot.activateBlock(bot.blockAt(soil))
  await until(() => bot.blockAt(soil).name === 'farmland', 'the soil is tilled')
  await bot.equip(id(bot, 'wheat_seeds'), 'hand')
  await bot.placeBlock(bot.blockAt(soil), new Vec3(0, 1, 0))
  const plant = soil.offset(0, 1, 0)
  const young = bot.blockAt(plant).getProperties().age
  await bot.equip(id(bot, 'bone_meal'), 'hand')
  for (let i = 0; i < 8 && bot.blockAt(plant).getProperties().age < 7; i++) {
    await bot.activateBlock(bot.blockAt(plant))
    await settle(bot)
  }
  const ripe = bot.blockAt(plant).getProperties().age
  await bot.dig(bot.blockAt(plant), true)
  await until(() => count(bot, 'wheat') === 1, 'the wheat is picked up')
  return { young, ripe, wheat: count(bot, 'wheat'), boneMeal: count(bot, 'bone_meal') < 10 }
})

/** Bone meal makes a tree of a sapling; leaves without a trunk fall. */
const trees = () => withBot({ speed: 0 }, async (bot) => {
  const at = await arena(bot, 4)
  const foot = at.offset(3, 0, 3)
  await setBlock(bot, foot.offset(0, -1, 0), 'dirt')
  await setBlock(bot, foot, 'birch_sapling')
  await give(bot, 'bone_meal', 30)
  await bot.equip(id(bot, 'bone_meal'), 'hand')
  while (bot.blockAt(foot).name === 'birch_sapling' && count(bot, 'bone_meal') > 0) {
    await bot.activateBlock(bot.blockAt(foot))
    await settle(bot)
  }
  let height = 0
  while (bot.blockAt(foot.offset(0, height, 0)).name === 'birch_log') height++
  const leaves = () =>
    bot
      .findBlocks({
        matching: (block) => block.name === 'birch_leaves', point: foot.offset(0, 5, 0), maxDistance: 7, count: 200,
        useExtraInfo: false
      })
      .filter((p) => p.y > at.y).length
  const before = leaves()
  for (let y = 0; y < height; y++) bot.chat(`/setblock ${foot.x} ${foot.y + y} ${foot.z} air`)
  await until(() => leaves() === 0, 'the leaves have fallen')
  return { height, before, after: leaves() }
})

/** Sleeping by night makes it morning and sets the respawn point; by day it does not. */
const sleeping = () => withBot({ speed: 10 }, async (bot, server) => {
  const at = await arena(bot)
  await give(bot, 'red_bed')
  await bot.equip(id(bot, 'red_bed'), 'hand')
  await bot.look(Math.PI, 0, true)
  await bot.placeBlock(bot.blockAt(at.offset(1, -1, 1)), new Vec3(0, 1, 0))
  const bed = bot.findBlock({ matching: (block) => block.name === 'red_bed', maxDistance: 5 })
  const byDay = await bot.sleep(bed).then(() => 'slept', (error) => error.message)
  bot.chat('/time set 14000')
  await until(() => bot.time.timeOfDay >= 14000, 'it is night')
  const woke = new Promise((resolve) => bot.once('wake', resolve)) // it may come in one piece with falling asleep
  await bot.sleep(bed)
  await woke
  const { time } = await server.ask('state')
  const again = new Promise((resolve) => bot.once('respawn', resolve))
  bot.chat('/kill')
  await again
  await until(() => bot.health === 20, 'the bot lives again')
  return { byDay, morning: time < 1000, nearBed: bot.entity.position.distanceTo(at) < 6 }
})

/** Looks there and waits until the server knows: the next tick of the bot tells it, and only then is anything used. */
async function look (bot, at) {
  await bot.lookAt(at, true)
  await bot.waitForTicks(2)
  await settle(bot)
}

/** Water is taken with a bucket and poured elsewhere; sand falls; a torch falls with its wall; lava burns. */
const matter = () => withBot({ speed: 10 }, async (bot) => {
  const at = await arena(bot)
  await setBlock(bot, at.offset(2, 0, 0), 'water')
  await give(bot, 'bucket')
  await bot.equip(id(bot, 'bucket'), 'hand')
  await look(bot, at.offset(2.5, 0.5, 0.5))
  bot.activateItem()
  await until(() => count(bot, 'water_bucket') === 1, 'the water is in the bucket')
  const dry = bot.blockAt(at.offset(2, 0, 0)).name
  await look(bot, at.offset(0.5, 0, 2.5))
  bot.activateItem()
  await until(() => bot.blockAt(at.offset(0, 0, 2)).name === 'water', 'the water is poured')
  await setBlock(bot, at.offset(-2, 0, 0), 'stone')
  bot.chat(`/setblock ${at.x - 2} ${at.y + 2} ${at.z} sand`)
  await until(() => bot.blockAt(at.offset(-2, 1, 0)).name === 'sand', 'the sand has fallen')
  await give(bot, 'torch')
  await bot.equip(id(bot, 'torch'), 'hand')
  await bot.placeBlock(bot.blockAt(at.offset(-2, 0, 0)), new Vec3(1, 0, 0))
  const torch = bot.blockAt(at.offset(-1, 0, 0)).name
  bot.chat(`/setblock ${at.x - 2} ${at.y} ${at.z} air`)
  await until(() => bot.blockAt(at.offset(-1, 0, 0)).name === 'air', 'the torch has fallen')
  let least = 20
  bot.on('health', () => { least = Math.min(least, bot.health) }) // until we look, it may have died and come back
  bot.chat(`/setblock ${at.x} ${at.y} ${at.z} lava`)
  await until(() => least <= 16, 'the lava burns')
  return { dry, torch, bucket: count(bot, 'bucket') }
})

/** A rod in water catches something, by mineflayer's own bot.fish. */
const fishing = () => withBot({ speed: 4 }, async (bot, server) => {
  const at = await arena(bot)
  for (let x = -1; x <= 1; x++) for (let z = 2; z <= 3; z++) bot.chat(`/setblock ${at.x + x} ${at.y} ${at.z + z} water`)
  await settle(bot)
  await give(bot, 'fishing_rod')
  await bot.equip(id(bot, 'fishing_rod'), 'hand')
  await look(bot, at.offset(0.5, 0.5, 3))
  const before = bot.inventory.items().length
  await server.ask('freeze') // a fish bites for 40 ticks, in which a busy machine may not see it
  let over = false
  const fished = bot.fish().finally(() => { over = true })
  while (!over) await server.ask('tick', { n: 5 })
  await server.ask('thaw')
  await fished
  await until(() => bot.inventory.items().length > before, 'the catch is picked up')
  return {
    caught: bot.inventory.items().filter((item) => item.name !== 'fishing_rod').length,
    wear: bot.heldItem?.durabilityUsed
  }
})

/** A cow is milked into a bucket, a sheep is shorn once and lives, and a sword shears nothing. */
const animals = () => withBot({ speed: 10 }, async (bot) => {
  const at = await arena(bot, 4)
  for (let x = -3; x <= 3; x++) for (const z of [-3, 3]) for (const y of [0, 1]) bot.chat(`/setblock ${at.x + x} ${at.y + y} ${at.z + z} stone`)
  for (let z = -3; z <= 3; z++) for (const x of [-3, 3]) for (const y of [0, 1]) bot.chat(`/setblock ${at.x + x} ${at.y + y} ${at.z + z} stone`)
  const wool = () => count(bot, 'white_wool') + Object.values(bot.entities)
    .filter((each) => each.name === 'item' && each.getDroppedItem()?.name === 'white_wool')
    .reduce((sum, each) => sum + each.getDroppedItem().count, 0)
  const use = async (item, name) => {
    await bot.equip(id(bot, item), 'hand')
    bot.useOn(nearest(bot, name))
    await settle(bot)
  }
  for (const item of ['bucket', 'shears', 'stone_sword']) await give(bot, item)
  bot.chat('/summon cow ~1 ~ ~1')
  bot.chat('/summon sheep ~-1 ~ ~1')
  await until(() => nearest(bot, 'cow') && nearest(bot, 'sheep'), 'the animals are there')
  await use('bucket', 'cow')
  await until(() => count(bot, 'milk_bucket') === 1, 'the milk is in the bucket')
  await use('stone_sword', 'sheep')
  const blunt = wool()
  await use('shears', 'sheep')
  await until(() => wool() > 0, 'the wool has fallen')
  const shorn = wool()
  await use('shears', 'sheep')
  return {
    buckets: count(bot, 'bucket'), milk: count(bot, 'milk_bucket'), blunt, shorn, again: wool() - shorn,
    wear: bot.heldItem?.durabilityUsed, lives: Boolean(nearest(bot, 'sheep'))
  }
})

/**
 * Count the eyes, of 20,000 places around a player that is closed in by ten blocks, that see the player's, and those
 * that see them when the lid is away.
 */
function sight () {
  const { sees } = require('../../../../autocraft/worlds/minecraft/node/server/body')
  const { Random } = require('../../../../autocraft/worlds/minecraft/node/server/random')
  const sides = [[1, 0], [-1, 0], [0, 1], [0, -1]]
  const walls = new Set(sides.flatMap(([x, z]) => [0, 1].map((y) => `${x},${y},${z}`)).concat('0,-1,0'))
  const open = { solidAt: (x, y, z) => walls.has(`${x},${y},${z}`) }
  const closed = { solidAt: (x, y, z) => `${x},${y},${z}` === '0,2,0' || open.solidAt(x, y, z) }
  const random = new Random(1)
  const seen = { open: 0, closed: 0 }
  for (let left = 20_000; left > 0; left--) {
    const from = new Vec3(random.next() * 8 - 4, random.next() * 6 - 1, random.next() * 8 - 4)
    const { x, y, z } = from.floored()
    if ((x === 0 && z === 0 && y >= 0) || closed.solidAt(x, y, z)) continue
    const to = new Vec3(0.3 + random.next() * 0.4, 1.53, 0.3 + random.next() * 0.4)
    if (sees(open, from, to)) seen.open++
    if (sees(closed, from, to)) seen.closed++
  }
  return seen
}

module.exports = { animals, fishing, sight, mobs, night, farming, trees, sleeping, matter }
