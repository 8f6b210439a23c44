/** Define what a program reads of the bot. */

/** The bot's own entity. It is one object that is kept up to date, and so is its `position`. */
const body = {
  __proto__: noting('bot.entity'), position: new Vec3(), velocity: new Vec3(), type: 'player', name: 'player',
  isValid: true, metadata: [], effects: {}
}
const FIELDS = [
  'id', 'username', 'yaw', 'pitch', 'onGround', 'isInWater', 'isInLava', 'height', 'width', 'eyeHeight', 'health',
  'equipment'
]

function refreshBody () {
  const now = read('now')
  body.position.update(now.position)
  body.velocity.update(now.velocity)
  for (const name of FIELDS) {
    body[name] = name === 'equipment' ? now.equipment.map((each) => each && new Item(each)) : now[name]
  }
  body.heldItem = body.equipment[0] || null
  return body
}

/** Return the present body. After the first read it is kept up to date. */
function bodyNow () {
  if (refreshers.has(refreshBody)) return body
  const found = refreshBody()
  refreshers.add(refreshBody)
  return found
}

const ARMOR = 5
const FIRST = 9
const END = 45
const HOTBAR = 36

/** The last read of the inventory, and its slots. */
let rowsRead = null
let slotsMade = []

const inventory = {
  __proto__: noting('bot.inventory'),
  id: 0,
  type: 'minecraft:inventory',
  title: 'Inventory',
  inventoryStart: FIRST,
  inventoryEnd: END,
  hotbarStart: HOTBAR,
  craftingResultSlot: 0,
  selectedItem: null,
  requiresConfirmation: true,

  /** @type {(Item|null)[]} */
  get slots () {
    const rows = read('inventory')
    if (rowsRead !== rows) {
      rowsRead = rows
      slotsMade = new Array(46).fill(null)
      for (const row of rows) slotsMade[row[0]] = new Item(row)
    }
    return slotsMade.slice()
  },

  /** @returns {Item[]} */
  items () { return this.itemsRange(FIRST, END) },
  /** @param {number} start @param {number} end @returns {Item[]} */
  itemsRange (start, end) { return this.slots.slice(start, end).filter((item) => item !== null) },
  containerItems () { return this.items() },
  count (type, metadata = null) { return this.countRange(FIRST, END, type, metadata) },
  countRange (start, end, type, metadata = null) {
    return this.itemsRange(start, end)
      .filter((item) => fits(item, type, metadata))
      .reduce((all, item) => all + item.count, 0)
  },
  /** Worn items count too. The bot puts armor on by itself, and a program may equip it again. */
  findInventoryItem (type, metadata = null, notFull = false) {
    return this.findItemRange(FIRST, END, type, metadata, notFull) ||
      this.findItemRange(ARMOR, FIRST, type, metadata, notFull) ||
      this.findItemRange(END, END + 1, type, metadata, notFull)
  },
  findItemRange (start, end, type, metadata = null, notFull = false) {
    return (
      this.itemsRange(start, end).find(
        (item) => fits(item, type, metadata) && !(notFull && item.count >= item.stackSize)
      ) || nothing('bot.inventory')
    )
  },
  findItemsRange (start, end, type, metadata = null) {
    return this.itemsRange(start, end).filter((item) => fits(item, type, metadata))
  },
  emptySlotCount () { return this.slots.slice(FIRST, END).filter((item) => !item).length },
  firstEmptyInventorySlot (hotbarFirst = true) {
    const slots = this.slots
    const order = hotbarFirst ? [...range(HOTBAR, END), ...range(FIRST, HOTBAR)] : range(FIRST, END)
    return order.find((slot) => !slots[slot]) ?? null
  },
  firstEmptyHotbarSlot () {
    const slots = this.slots
    return range(HOTBAR, END).find((slot) => !slots[slot]) ?? null
  }
}

const range = (start, end) => Array.from({ length: end - start }, (_, index) => start + index)

/** Return whether an item is the one that a program names by an id, a name or another item. */
function fits (item, type, metadata) {
  return (
    item.type === itemId(type) &&
    (metadata === null || metadata === undefined || typeof metadata === 'object' || item.metadata === metadata)
  )
}

const SLOTS = { head: 5, torso: 6, legs: 7, feet: 8, 'off-hand': 45 }

const reading = {
  inventory,
  registry: mcData,
  get entity () { return bodyNow() },
  get username () { return read('now').username },
  get health () { return read('now').health },
  get food () { return read('now').food },
  get foodSaturation () { return read('now').saturation },
  get oxygenLevel () { return read('now').oxygen },
  get experience () { return { ...read('now').experience } },
  get time () { return { ...read('now').time } },
  get game () { return { ...read('now').game } },
  get isSleeping () { return read('now').isSleeping },
  get isRaining () { return read('now').isRaining },
  get thunderState () { return read('now').thunder },
  get isAlive () { return read('now').health > 0 },
  get spawnPoint () { return new Vec3(read('now').spawnPoint) },
  get quickBarSlot () { return read('now').quickBarSlot },
  get heldItem () { return inventory.slots[HOTBAR + read('now').quickBarSlot] },
  get version () { return mcData.version.minecraftVersion },
  get majorVersion () { return mcData.version.majorVersion },
  get player () { return this.players[this.username] },
  get players () {
    const near = Object.values(entities())
    return Object.fromEntries(
      read('players').map((each) => [
        each.username,
        {
          ...each,
          entity:
            each.username === read('now').username
              ? bodyNow()
              : near.find((one) => one.username === each.username) || null
        }
      ])
    )
  },
  get entities () {
    const self = bodyNow()
    return { ...entities(), [self.id]: self }
  },
  currentWindow: null,
  targetDigBlock: null,
  usingHeldItem: false,
  physicsEnabled: true,
  controlState: {},
  world: {
    getBlock: blockAt,
    getBlockStateId: (at) => {
      const block = blockAt(at)
      return block ? block.stateId : null
    }
  },

  inventoryUsed: () => inventory.slots.slice(FIRST, END).filter(Boolean).length,
  /** @param {(each: Entity) => unknown} [matches] */
  nearestEntity (matches = () => true) {
    const from = bodyNow().position
    return (
      Object.values(entities())
        .sort((a, b) => a.position.distanceSquared(from) - b.position.distanceSquared(from))
        .find((each) => matches(each)) || nothing('bot.nearestEntity')
    )
  },
  blockAt,
  findBlocks: (options) => findBlocks(options),
  findBlock: (options) => findBlocks({ ...options, count: 1 }, true)[0] || nothing('bot.findBlock'),
  canSeeBlock: (block) => read('sees', ...atOf(block).toArray()),
  canDigBlock: (block) =>
    Boolean(block && block.diggable) &&
    atOf(block)
      .offset(0.5, 0.5, 0.5)
      .distanceTo(bodyNow().position.offset(0, 1.62, 0)) <= 5.1,
  blockAtCursor (maxDistance = 256) {
    const at = read('cursor', maxDistance)
    return at ? blockAt(new Vec3(at)) : null
  },
  isABed: (block) => Boolean(block) && (block.name === 'bed' || /_bed$/.test(block.name)),
  digTime: (block) => block.digTime(reading.heldItem ? reading.heldItem.type : null),
  getEquipmentDestSlot (to) { return to === 'hand' ? HOTBAR + read('now').quickBarSlot : SLOTS[to] },
  recipesAll: (item) => fact('recipes', itemName(item)).map((row) => new Recipe(row)),
  recipesFor (item, metadata, least = 1, table = null) {
    const times = (recipe) => Math.ceil((least || 1) / recipe.result.count)
    return reading
      .recipesAll(item)
      .filter(
        (recipe) =>
          (!recipe.requiresTable || table) &&
          recipe.delta.every((each) => each.count >= 0 || inventory.count(each.id) >= -each.count * times(recipe))
      )
  },
  getControlState: (name) => Boolean(reading.controlState[name])
}

/** Return the place of a block, an entity or a Vec3. */
function atOf (thing) {
  const at = thing && isPlace(thing.position) ? thing.position : thing
  if (!isPlace(at)) throw new TypeError('a block or a Vec3 was expected, but there is none: was one found?')
  return new Vec3(at)
}
