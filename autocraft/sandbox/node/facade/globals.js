/** Give programs their names. All other names of the façade stay hidden from them. */

const bot = Object.create(noting('bot'))
for (const part of [refused, reading, acting, { pathfinder, collectBlock, pvp, tool, hawkEye }]) {
  Object.defineProperties(bot, Object.getOwnPropertyDescriptors(part))
}

/** Return what `require` gives. Nothing is loaded, since these values are in scope already. */
function require (name) {
  const pathfinding = { pathfinder () {}, Movements, goals }
  const known = {
    vec3: Object.assign((x, y, z) => new Vec3(x, y, z), { Vec3 }), 'minecraft-data': () => mcData,
    'mineflayer-pathfinder': pathfinding, mineflayer: { pathfinder: pathfinding }
  }
  if (!Object.hasOwn(known, name)) {
    throw new Error(
      `require(${JSON.stringify(name)}) is not offered to programs: ` +
      'bot, mcData, Vec3, goals and the primitives are in scope'
    )
  }
  return known[name]
}

/** Return random numbers that are the same for the same program at the same time of the game. */
let state = 0
Math.random = () => {
  state = (state || ticks() + 0x6D2B79F5) + 0x6D2B79F5 | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}

// Timers that are still running do not keep a program alive after it has returned.
host.atEnd(() => { clock.over = true; clock.timers.clear() })

const asText = (value) => {
  if (typeof value === 'string') return value
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (value instanceof PlainVec3) return String(value)
  try { return JSON.stringify(value) ?? String(value) } catch { return String(value) }
}
const print = (...values) => say(values.map(asText).join(' '))

const scope = {
  bot, mcData, Vec3, goals, Movements, ...goals,
  craftItem, smeltItem, mineBlock, placeItem, killMob, exploreUntil, shelter, gotoBlock, collectItem, fillBucket,
  getItemFromChest, depositItemIntoChest,
  checkItemInsideChest, moveToChest, listItemsInChest, closeChest, itemByName, shoot, waitForMobRemoved, waitForMobShot,
  givePlacedItemBack,
  require,
  console: { log: print, info: print, warn: print, error: print, debug: print },
  setTimeout: (run, delay, ...args) => clock.set(run, delay, false, args),
  setInterval: (run, delay, ...args) => clock.set(run, delay, true, args),
  setImmediate: (run, ...args) => clock.set(run, 0, false, args),
  clearTimeout: (id) => clock.clear(id),
  clearInterval: (id) => clock.clear(id),
  clearImmediate: (id) => clock.clear(id)
}
/** Return the words that say what to use instead of a name that bot does not have. */
const alternative = (name) => (Object.hasOwn(scope, name) ? `: ${name}(bot, …) is a function of its own` : '')

for (const name of Object.keys(scope)) {
  Object.defineProperty(globalThis, name, { value: scope[name], writable: true, configurable: true, enumerable: false })
}

/**
 * Return the function by which a saved skill is called. It reports that the skill was entered, and that it threw.
 * @param {string} name @param {Record<string, (...args: any[]) => any>} functions
 */
function calling (name, functions) {
  return (...args) => {
    const caller = new Error('').stack
    const failed = (error) => { host.leave(error, name, caller); throw error }
    host.enter(name)
    let made
    try { made = functions[name](...args) } catch (error) { failed(error) }
    return made instanceof Promise ? made.then((value) => value, failed) : made
  }
}

/**
 * Define the saved skills that a program calls. Each has its own scope, so that two may have helpers of the same name.
 * Skills reach each other by their names.
 * @param {Record<string, string>} skills name to code
 */
function addSkills (skills) {
  /** @type {Record<string, (...args: any[]) => any>} */
  const functions = {}
  const names = Object.keys(skills)
  const calls = Object.fromEntries(names.map((name) => [name, calling(name, functions)]))
  const inner = { ...scope, ...calls }
  const known = Object.keys(inner)
  for (const name of names) {
    const visible = known.filter((each) => each !== name)
    try {
      functions[name] = Function(...visible, `${skills[name]}\n;return ${name}`)(...visible.map((each) => inner[each]))
    } catch (error) {
      functions[name] = () => { throw new Error(`the saved skill ${name} cannot be used: ${error.message}`) }
    }
    Object.defineProperty(globalThis, name, {
      value: calls[name], writable: true, configurable: true, enumerable: false
    })
  }
}
