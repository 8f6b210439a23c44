/**
 * Define the functions that Voyager's programs call. They report to the chat log, which the model reads. Most failures
 * are only reported, and the eleventh failure of one kind is thrown. Each returns { ok, error, broke, placed }: whether
 * it did what it should, and else why not, how many blocks of each name it broke, and where it placed one. Voyager's
 * programs ignore it.
 */
const MOST_FAILURES = 10

/** Return this version's name of an item. Return an unknown name unchanged, since the command will refuse it. */
const known = (name) => { const item = mcData.itemsByName[name]; return item ? item.name : name }

const failures = {}

/**
 * The rules of each primitive: the failures that it throws, those that count (by default all), and the error for too
 * many.
 */
const RULES = {
  craftItem: { throws: /^(No|there is no) item |^No crafting table nearby|has no recipe/ },
  smeltItem: { throws: /^(No|there is no) item |^No furnace nearby|is not a valid (input|fuel)/ },
  placeItem: { throws: /^(No|there is no) item / },
  mineBlock: { throws: /^No block named/, counts: /^No /, hint: 'make sure you explore before calling mineBlock' },
  killMob: { throws: /^Failed to kill/, counts: /^No /, hint: 'make sure you explore before calling killMob' },
  shoot: { throws: /cannot be shot/ },
  shelter: { throws: /(?!)/ },
  gotoBlock: { throws: /^No block named/ },
  collectItem: { throws: /^(No|there is no) item / },
  fillBucket: { throws: /(?!)/ },
  checkItemInsideChest: { throws: /^No chest at/ },
  getItemFromChest: { throws: /^No chest at/ },
  depositItemIntoChest: { throws: /^No chest at/ }
}

/** Return whether the effect was refused. Then the program must not go on as after a failure. */
const isRefusal = (error) => host.refused(error)

/** The errors of a command that the bot broke off by itself, or that killed it. The program must see to it first. */
const DANGER = /\bthe bot (hid from|died|fled \d+ times)\b/i

/** Carry out an effect and report its result. Most failures are reported too. */
async function attempt (primitive, ...args) {
  const { throws, counts = /./, hint = 'check chat log to see what happened' } = RULES[primitive]
  try {
    say(await perform(primitive, ...args))
    return resultOf('', read('broke'))
  } catch (error) {
    if (isRefusal(error) || throws.test(error.message) || DANGER.test(error.message)) throw error
    say(error.message)
    if (counts.test(error.message)) failures[primitive] = (failures[primitive] || 0) + 1
    if (failures[primitive] > MOST_FAILURES) throw tooMany(`${primitive} failed too many times, ${hint}`, error)
    return resultOf(error.message, read('broke'))
  }
}

/**
 * Return what a primitive returns. It failed if there is an error.
 * @param {string} [error] @param {Record<string, number>} [broke] block name -> how many were broken
 */
const resultOf = (error = '', broke = {}) => ({ ok: !error, error, broke, placed: null })

/** Return an error with the stack of the last failure, and so with its line of the program. */
function tooMany (text, last) {
  const error = new Error(text)
  error.stack = last.stack
  return error
}

function must (fine, text) { if (!fine) throw new TypeError(text) }
const isNumber = Number.isFinite
const isText = (value) => typeof value === 'string'

/** Craft. `count` is how often the recipe is used, as in Voyager, limited by the ingredients, but at least once. */
async function craftItem (bot, name, count = 1) {
  must(isText(name), 'name for craftItem must be a string')
  must(isNumber(count), 'count for craftItem must be a number')
  if (count <= 0) return resultOf()
  let doable = 1
  const items = () => {
    const { each, times } = read('craftable', known(name), Math.ceil(count))
    doable = Math.max(1, Math.min(times, Math.ceil(count)))
    return doable * each
  }
  const done = await attempt('craftItem', known(name), items)
  if (done.ok && doable < count) say(`I cannot do the recipe for ${name} ${count} times, only ${doable}`)
  return done
}

async function smeltItem (bot, itemName, fuelName, count = 1) {
  must(isText(itemName), 'itemName for smeltItem must be a string')
  must(isText(fuelName) || fuelName === null || fuelName === undefined, 'fuelName for smeltItem must be a string')
  must(isNumber(count), 'count for smeltItem must be a number')
  if (count <= 0) return resultOf()
  const wanted = Math.ceil(count)
  const fuel = isText(fuelName) ? known(fuelName) : null
  let doable = 1
  const inputs = () => (doable = Math.max(1, Math.min(wanted, read('smeltable', known(itemName), fuel))))
  const done = await attempt('smeltItem', known(itemName), fuel, inputs)
  if (done.ok && doable < wanted) {
    say(`Failed to smelt ${wanted - doable} more ${itemName}, please check the fuel and input.`)
  }
  return done
}

async function mineBlock (bot, name, count = 1) {
  must(isText(name), 'name for mineBlock must be a string')
  must(isNumber(count), 'count for mineBlock must be a number')
  return count > 0 ? attempt('mineBlock', name, Math.ceil(count)) : resultOf()
}

/** Place a block. Without a position it is a free one near the bot, and the result has it as `placed`. */
async function placeItem (bot, name, position) {
  must(isText(name), 'name for placeItem must be a string')
  const given = position !== undefined && position !== null
  must(!given || isPlace(position), 'position for placeItem must be a Vec3')
  const at = given ? new Vec3(position).floor() : freePlace()
  if (!at) {
    const error = 'No free place near to place a block: dig one, or go elsewhere'
    say(error)
    return resultOf(error)
  }
  const done = await attempt('placeItem', name, ...at.toArray())
  return { ...done, placed: done.ok ? at : null }
}

/** The blocks in which another one can be placed. */
const OPEN = /^((cave_|void_)?air|(tall_|short_)?grass|(large_)?fern|snow|dead_bush|seagrass)$/
const SIDES = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1], [2, 0], [-2, 0], [0, 2], [0, -2]]

/** Return a place near the bot where a block can stand on another one. Return null if there is none. */
function freePlace () {
  if (WORLD === 'crafting') return new Vec3(0, 0, 0)
  const feet = bodyNow().position.floored()
  const is = (at, test) => { const block = blockAt(at); return Boolean(block && test(block)) }
  for (const up of [0, 1, -1, -2]) {
    for (const [x, z] of SIDES) {
      const at = feet.offset(x, up, z)
      const stands = is(at.offset(0, -1, 0), (block) => block.boundingBox === 'block')
      if (stands && is(at, (block) => OPEN.test(block.name))) return at
    }
  }
  return null
}

async function killMob (bot, mobName, timeout = 300) {
  must(isText(mobName), 'mobName for killMob must be a string')
  must(isNumber(timeout), 'timeout for killMob must be a number')
  return attempt('killMob', mobName, Math.min(1200, Math.max(1, timeout)))
}

const LEG = 4
const MOST_BLOCKED = 4

/**
 * Walk in a direction, in legs, until the callback returns something. Return null after `maxTime`.
 * @param {any} bot @param {any} direction @param {number} [maxTime] @param {() => unknown} [callback]
 */
async function exploreUntil (bot, direction, maxTime = 60, callback = () => false) {
  must(isPlace(direction), 'direction must be a Vec3')
  must(isNumber(maxTime), 'maxTime must be a number')
  must(typeof callback === 'function', 'callback must be a function')
  const ways = [direction.x, direction.y, direction.z]
  must(
    ways.every((each) => [-1, 0, 1].includes(each)) && ways.some((each) => each !== 0),
    'direction must be a Vec3 with only values -1, 0 or 1, and not all of them 0'
  )
  const ends = ticks() + Math.min(maxTime, 1200) * 20
  for (let blocked = 0; ;) {
    const found = await callback()
    if (found) { say('Explore success.'); return found }
    const left = (ends - ticks()) / 20
    if (left < 1 || blocked >= MOST_BLOCKED) break
    try {
      await perform('exploreUntil', ways.join(','), Math.min(LEG, left))
      blocked = 0
    } catch (error) {
      if (isRefusal(error) || DANGER.test(error.message) || /^Out of bounds/.test(error.message)) throw error
      if (++blocked === MOST_BLOCKED) say(error.message)
    }
  }
  say('Max exploration time reached')
  return null
}

/** Wait in safety until it is day, in a bed that is near or closed in by blocks. Voyager has no such function. */
async function shelter () { return attempt('shelter') }

/** Walk to a block that is near or that the bot remembers. Voyager has no such function. */
async function gotoBlock (bot, name) {
  must(isText(name), 'name for gotoBlock must be a string')
  return attempt('gotoBlock', known(name))
}

/** Pick up an item that lies near or where the bot died. Voyager has no such function. */
async function collectItem (bot, name) {
  must(isText(name), 'name for collectItem must be a string')
  return attempt('collectItem', known(name))
}

/** Fill a bucket with water, lava or milk that is near. Voyager has no such function. */
async function fillBucket (bot, name = 'water') {
  must(isText(name), 'name for fillBucket must be a string')
  return attempt('fillBucket', name)
}

// ---------------------------------------------------------------- chests

async function checkItemInsideChest (bot, chestPosition) {
  must(isPlace(chestPosition), 'chestPosition for checkItemInsideChest must be a Vec3')
  return attempt('checkItemInsideChest', ...blockOf(chestPosition))
}

async function getItemFromChest (bot, chestPosition, itemsToGet) {
  must(isPlace(chestPosition), 'chestPosition for getItemFromChest must be a Vec3')
  return forEach(counted(itemsToGet, 'itemsToGet'), 'getItemFromChest', blockOf(chestPosition))
}

async function depositItemIntoChest (bot, chestPosition, itemsToDeposit) {
  must(isPlace(chestPosition), 'chestPosition for depositItemIntoChest must be a Vec3')
  return forEach(counted(itemsToDeposit, 'itemsToDeposit'), 'depositItemIntoChest', blockOf(chestPosition))
}

/** Carry out an effect for each item. Return a result with all errors. */
async function forEach (items, primitive, at) {
  const errors = []
  for (const [name, count] of items) {
    const { error } = await attempt(primitive, name, count, ...at)
    if (error) errors.push(error)
  }
  return resultOf(errors.join('; '))
}

function counted (items, what) {
  must(items && typeof items === 'object', `${what} must be an object such as { "oak_log": 2 }`)
  return Object.entries(items)
}

async function moveToChest (bot, chestPosition) {
  await perform('bot.pathfinder.goto', new GoalNear(chestPosition, 2).text())
}
async function listItemsInChest (bot, chest) { return chest.containerItems() }
async function closeChest () {}
const itemByName = (items, name) => items.find((item) => item && item.name === name) || null

// ---------------------------------------------------------------- fights

async function shoot (bot, weapon, target) {
  must(isText(weapon), 'weapon for shoot must be a string')
  const name = isText(target) ? target : victim(target)
  return attempt('shoot', weapon, name)
}

/** Wait until a creature is gone. Throws if it is still there. */
async function waitForMobRemoved (bot, entity, timeout = 300) {
  const ends = ticks() + timeout * 20
  while (entity.isValid && ticks() < ends) await pass(2)
  if (entity.isValid) throw new Error(`Failed to kill ${entity.name}.`)
  say(`Killed ${entity.name}!`)
}

async function waitForMobShot (bot, entity, timeout = 300) {
  const ends = ticks() + timeout * 20
  while (entity.isValid && ticks() < ends) await pass(2)
  if (entity.isValid) throw new Error(`Failed to shoot ${entity.name}.`)
  say(`Shot ${entity.name}!`)
}

async function givePlacedItemBack () {
  throw new Error('givePlacedItemBack gives items by server commands, which programs may not use; dig what was placed')
}
