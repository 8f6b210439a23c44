/** Define what a program does with the bot. Each function here is an effect, with its name in facade.py. */

const REACH = 6

function inReach (thing) {
  const at = atOf(thing)
  if (at.distanceTo(bodyNow().position) > REACH) throw new Error('Please goto a place near the entity/block first!')
  return at
}

const blockOf = (thing) => atOf(thing).floor().toArray()

function heldItem (what) {
  const item = reading.heldItem
  if (!item) throw new Error(`nothing is held, so there is nothing to ${what}: bot.equip it first`)
  return item
}

/** Return the name of a victim for an attack: a player by name, all others by kind. */
const victim = (entity) => {
  if (!entity || !entity.name) throw new TypeError('an entity was expected, but there is none: was one found?')
  return entity.type === 'player' ? `player:${entity.username}` : entity.name
}

/** Let time of the game pass, with the pressed controls. */
function pass (seconds) {
  const down = Object.keys(reading.controlState).filter((name) => reading.controlState[name])
  return down.length ? perform('bot.setControlState', down.join(' '), seconds) : perform('bot.waitForTicks', seconds)
}

let isReported = false

/** Report, once, that programs get no events here. Return bot, as bot.on does. */
function withoutEvents () {
  if (!isReported) {
    say(
      'Programs get no events here, so bot.on and bot.once do nothing: ' +
      'await what you wait for, or look with bot.waitForTicks'
    )
  }
  isReported = true
  return bot
}

const acting = {
  chat (text) {
    const line = String(text)
    say(line)
    if (WORLD !== 'crafting' && line.trim()) post('bot.chat', line)
  },
  whisper (name, text) { acting.chat(`@${name} ${text}`) },
  save () {},

  dig: async (block) => perform('bot.dig', ...blockOf(block)),
  stopDigging () {},
  async placeBlock (block, face) {
    if (!isPlace(face)) throw new TypeError('placeBlock needs the face as a Vec3')
    return perform('bot.placeBlock', () => heldItem('place').name, ...atOf(block).floor().plus(face).toArray())
  },
  async equip (item, destination = 'hand') {
    if (item === null || item === undefined) {
      throw new Error('the item to equip is not there: look for it in the inventory first')
    }
    await perform('bot.equip', itemName(item), String(destination))
  },
  unequip: async (destination = 'hand') => perform('bot.unequip', destination),
  async consume () { await perform('bot.consume', () => heldItem('eat').name) },
  async activateBlock (block) {
    const at = inReach(block)
    if (WORLD !== 'crafting' && /(^|_)air$/.test(blockAt(at)?.name ?? '')) {
      say(`activateBlock: nothing is left at ${at.floor()}`)
      return
    }
    await perform('bot.activateBlock', ...blockOf(block))
  },
  activateItem (offHand = false) { return perform('bot.activateItem', Boolean(offHand)) },
  deactivateItem () { return perform('bot.deactivateItem') },
  async useOn (entity) {
    inReach(entity)
    await perform('bot.useOn', victim(entity), entity.id)
  },
  attack: (entity) => perform('bot.attack', victim(entity), entity.id),
  lookAt: async (at) => perform('bot.lookAt', ...atOf(at).toArray()),
  async look (yaw, pitch) {
    const eyes = bodyNow().position.offset(0, 1.62, 0)
    const flat = Math.cos(Number(pitch) || 0)
    await acting.lookAt(
      eyes.offset(-Math.sin(yaw) * flat * 8, Math.sin(Number(pitch) || 0) * 8, -Math.cos(yaw) * flat * 8)
    )
  },
  swingArm () {},
  setControlState (name, on) { reading.controlState[name] = Boolean(on) },
  clearControlStates () { for (const name of Object.keys(reading.controlState)) delete reading.controlState[name] },
  waitForTicks: (ticks) => pass(Math.max(1, Number(ticks) || 1) / 20),
  waitForChunksToLoad: async () => {},
  async sleep (bed) {
    if (bed && !reading.isABed(bed)) throw new Error(`wrong block : not a bed block, it is ${bed.name}`)
    await perform('bot.sleep')
  },
  wake: async () => {
    if (reading.isSleeping) await perform('bot.wake')
  },
  fish: () => perform('bot.fish'),
  toss: async (item, metadata, count) => perform('bot.toss', itemName(item), count ?? 1),
  tossStack: async (item) => perform('bot.toss', itemName(item), item.count),
  async craft (recipe, count = 1) {
    if (!recipe || !recipe.result) {
      throw new TypeError('bot.craft needs a recipe: there is none for this with what is in the inventory')
    }
    return perform('craftItem', mcData.items[String(recipe.result.id)].name, (count || 1) * recipe.result.count)
  },
  setQuickBarSlot () {},
  on: withoutEvents,
  once: withoutEvents,
  addListener: withoutEvents,
  off: () => bot,
  removeListener: () => bot,
  removeAllListeners: () => bot,
  emit: () => false,
  openContainer: (block) => openChest(block),
  openChest: (block) => openChest(block),
  openFurnace: (block) => openFurnace(block),
  closeWindow () {}
}

/** Return an open chest, to which the bot has walked. */
async function openChest (block) {
  const at = blockOf(block)
  await perform('checkItemInsideChest', ...at)
  return {
    get inside () { return read('chest', ...at) || {} },
    containerItems () {
      return Object.entries(this.inside).map(
        ([name, count], slot) => new Item([slot, mcData.itemsByName[name].id, count, 0, 0, null])
      )
    },
    items: () => inventory.items(),
    get slots () { return [...this.containerItems(), ...inventory.items()] },
    containerCount (type) { return this.inside[itemName(type)] || 0 },
    findContainerItem (type) { return this.containerItems().find((item) => item.type === itemId(type)) || null },
    findInventoryItem: (...args) => inventory.findInventoryItem(...args),
    count (type) { return this.containerCount(type) },
    deposit: (type, metadata, count) => perform('depositItemIntoChest', itemName(type), count ?? 1, ...at),
    withdraw: (type, metadata, count) => perform('getItemFromChest', itemName(type), count ?? 1, ...at),
    close: async () => {}
  }
}

/** Return a furnace. It smelts its input as soon as it has fuel, and its output comes into the inventory. */
async function openFurnace (block) {
  inReach(block)
  if (!/furnace|smoker/.test(block.name)) throw new Error(`there is no furnace at ${atOf(block)}, it is ${block.name}`)
  let input = null
  let fuel = null
  let output = null
  const smelt = async () => {
    if (!input) return
    const { name, count } = input
    const before = new Map(inventory.items().map(({ type }) => [type, inventory.count(type)]))
    input = null
    await perform('smeltItem', name, fuel && fuel.name, count)
    output = inventory.items().find(({ type }) => inventory.count(type) > (before.get(type) || 0)) || null
  }
  const put = (type, count) => ({ name: known(itemName(type)), type: itemId(type), count: count ?? 1 })
  return {
    async putInput (type, metadata, count) { input = put(type, count); if (fuel) await smelt() },
    async putFuel (type, metadata, count) { fuel = put(type, count); await smelt() },
    async takeOutput () { await smelt(); const taken = output; output = null; return taken },
    takeInput: async () => { input = null },
    takeFuel: async () => { fuel = null },
    inputItem: () => input,
    fuelItem: () => fuel,
    outputItem: () => output,
    fuel: 0,
    progress: 0,
    items: () => inventory.items(),
    on: withoutEvents,
    once: withoutEvents,
    close: async () => {}
  }
}

// ---------------------------------------------------------------- plug-ins

const pathfinder = {
  __proto__: noting('bot.pathfinder'),
  goal: null,
  get movements () { return this.own ??= new Movements() },
  goto: async (goal) => { await perform('bot.pathfinder.goto', textOf(goal), pathfinder.own?.text()) },
  setGoal (goal) {
    this.goal = goal
    if (goal) post('bot.pathfinder.goto', textOf(goal), this.own?.text())
  },
  setMovements (movements) { this.own = movements },
  stop () { this.goal = null },
  isMoving: () => false,
  isMining: () => false,
  isBuilding: () => false
}

const textOf = (goal) => {
  if (!goal || typeof goal.text !== 'function') {
    throw new TypeError('a goal such as new GoalNear(x, y, z, 1) was expected')
  }
  return goal.text()
}

const collectBlock = {
  /** Dig blocks, and pick up dropped items. */
  async collect (targets, options = {}) {
    for (const each of Array.isArray(targets) ? targets : [targets]) {
      try {
        if (each instanceof Entity) await perform('bot.collectBlock.collect', (each.getDroppedItem() || each).name)
        else await perform('bot.dig', ...blockOf(each))
      } catch (error) {
        if (!options.ignoreNoPath || isRefusal(error)) throw error
        say(`Error: ${error.message}`)
      }
    }
    say('Collect finish!')
  },
  cancelTask: async () => {}
}

const pvp = {
  target: null,
  attack: async (entity) => { await perform('killMob', victim(entity), 60) },
  stop: async () => {},
  forceStop () {}
}

const tool = {
  async equipForBlock (block) {
    const tools = inventory
      .items()
      .filter((item) => block.canHarvest(item.type))
      .sort((a, b) => block.digTime(a.type) - block.digTime(b.type))
    if (tools.length && block.digTime(tools[0].type) < block.digTime(null)) await acting.equip(tools[0], 'hand')
  }
}

const hawkEye = {
  oneShot: (entity, weapon = 'bow') => perform('shoot', weapon, victim(entity)),
  autoAttack (entity, weapon = 'bow') { post('shoot', weapon, victim(entity)) },
  stop () {}
}

/** Functions of mineflayer that programs do not have, each with what to use instead. */
const NOT_OFFERED = {
  openBlock: 'bot.activateBlock or the chest primitives', openEntity: '', openEnchantmentTable: '', openAnvil: '',
  openVillager: '', trade: '', quit: '', end: '', connect: '', creative: '',
  clickWindow: 'craftItem, bot.equip or the chest primitives',
  simpleClick: 'craftItem, bot.equip or the chest primitives', moveSlotItem: 'bot.equip', putAway: '',
  transfer: 'the chest primitives', mount: '', dismount: '', moveVehicle: '', updateSign: '', writeBook: '',
  setCommandBlock: '', setSettings: '', loadPlugin: '', loadPlugins: '', tabComplete: '', acceptResourcePack: '',
  placeEntity: 'placeItem', activateEntity: 'bot.useOn', activateEntityAt: 'bot.useOn', chatAddPattern: '',
  awaitMessage: '', _client: ''
}
const refused = Object.fromEntries(Object.entries(NOT_OFFERED).map(([name, use]) => {
  const refuse = () => { throw new Error(`bot.${name} is not offered to programs${use ? `; use ${use}` : ''}`) }
  return [
    name,
    new Proxy(refuse, {
      get: (target, key) => (key in target || key === 'then' || key === 'toJSON' ? target[key] : refuse())
    })
  ]
}))
