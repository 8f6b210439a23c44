/** Define Item, Block, Entity and Recipe: plain values with the fields that programs use. */

class Item {
  /** @param {any[]} row slot, type, count, metadata, durability used, custom name */
  constructor ([slot, type, count, metadata, used, label]) {
    const kind = mcData.items[String(type)] || { name: 'unknown', displayName: 'unknown', stackSize: 64 }
    Object.assign(this, {
      type, count, metadata, slot, name: kind.name, displayName: kind.displayName, stackSize: kind.stackSize
    })
    Object.assign(this, {
      maxDurability: kind.maxDurability, durabilityUsed: used, customName: label, nbt: null, enchants: []
    })
  }
}

/** State of a block -> the fields that all blocks of this state have. @type {Map<number, any>} */
const kinds = new Map()
function kindOf (stateId) {
  if (!kinds.has(stateId)) kinds.set(stateId, host.read('state', stateId))
  return kinds.get(stateId)
}

/** A Vec3 that reports which of its numbers are read. */
function watched (at, onRead) {
  const number = (name) => ({ enumerable: true, get () { onRead(name); return at[name] } })
  return Object.create(PlainVec3.prototype, { x: number('x'), y: number('y'), z: number('z') })
}

class Block {
  #kind
  #at
  #onRead
  /**
   * @param {number} stateId @param {{x: number, y: number, z: number}} at @param {(what: string) => void} [onRead]
   * called with the part of its place that was read
   */
  constructor (stateId, at, onRead) {
    const kind = this.#kind = kindOf(stateId)
    this.#at = at
    this.#onRead = onRead
    this.stateId = stateId
    this.type = this.id = kind.id
    this.name = kind.name
    this.displayName = kind.displayName
    this.metadata = kind.metadata
    this.boundingBox = kind.boundingBox
    this.hardness = kind.hardness
    this.diggable = kind.diggable
  }

  get position () {
    if (!(this.#at instanceof PlainVec3)) this.#at = this.#onRead ? watched(this.#at, this.#onRead) : new Vec3(this.#at)
    return this.#at
  }

  #there () { const { x, y, z } = this.position; return read('place', x, y, z) }

  get biome () { return this.#there().biome }
  get light () { return this.#there().light }
  get skyLight () { return this.#there().skyLight }
  get material () { return this.#kind.material }
  get transparent () { return this.#kind.transparent }
  get stackSize () { return this.#kind.stackSize }
  get harvestTools () { return this.#kind.harvestTools }
  get shapes () { return this.#kind.shapes }
  get drops () { return this.#kind.drops }

  toJSON () { return { ...this, position: this.position } }
  getProperties () { return { ...this.#kind.properties } }
  canHarvest (type) { return !this.harvestTools || Boolean(type && this.harvestTools[String(type)]) }
  digTime (type = null) { return fact('digTime', this.stateId, type) }
}

/** A creature or another moving thing. Its fields are always the present ones, or the last known ones. */
class Entity {
  constructor (row) { this.take(row) }
  take (row) {
    const position = this.position || new Vec3(row.position)
    const velocity = this.velocity || new Vec3(row.velocity)
    Object.assign(this, row, { position: position.update(row.position), velocity: velocity.update(row.velocity) })
    this.equipment = (row.equipment || []).map((each) => each && new Item(each))
    this.heldItem = this.equipment[0] || null
    this.isValid = true
    return this
  }

  getDroppedItem () { return this.dropped ? new Item(this.dropped) : null }
  getCustomName () { return this.label || null }
}

const met = new Map()
/** The entities as they were read last. @type {object[] | null} */
let rowsMet = null

/** Return all present entities by id. The same creature is always the same object. */
function entities () {
  const rows = read('entities')
  if (rowsMet !== rows) {
    rowsMet = rows
    refreshers.add(entities)
    for (const each of met.values()) each.isValid = false
    for (const row of rows) met.set(row.id, met.has(row.id) ? met.get(row.id).take(row) : new Entity(row))
  }
  return Object.fromEntries(rows.map((row) => [row.id, met.get(row.id)]))
}

class Recipe {
  constructor (row) { Object.assign(this, row) }
}

// ---------------------------------------------------------------- blocks by place

const SIDE = 8

/** Return the block at a place, or null if it is not loaded. Blocks are read in cubes, since programs read many. */
function blockAt (at) {
  if (!isPlace(at)) throw new TypeError('blockAt needs a Vec3')
  const p = new Vec3(at).floor()
  const base = p.clone().divide(new Vec3(SIDE, SIDE, SIDE)).floor().scale(SIDE)
  const cube = read('cube', base.x, base.y, base.z)
  if (!cube) return null
  const index = ((p.y - base.y) * SIDE + (p.z - base.z)) * SIDE + (p.x - base.x)
  return new Block(cube.palette[cube.cells.length ? cube.cells[index] : 0], p)
}

const MOST_BLOCKS = 2048

/**
 * Return the places of blocks, the nearest first. A predicate is called once for each kind of block. If it reads the
 * height of a block, it is called once for each height. Only if it reads more, it is called for each single block.
 */
function findBlocks (options, whole = false) {
  const { matching, maxDistance = 16, count = 1, point, useExtraInfo } = options || {}
  const from = new Vec3(isPlace(point) ? point : bodyNow().position).floor()
  const far = Math.min(Number(maxDistance) || 16, 256)
  const wanted = matching === undefined && typeof useExtraInfo === 'function' ? useExtraInfo : matching
  const more = typeof useExtraInfo === 'function' && useExtraInfo !== wanted ? useExtraInfo : null
  const { states, layers, open } =
    typeof wanted === 'function'
      ? acceptedKinds(wanted, far, from)
      : { states: statesOf(wanted), layers: {}, open: new Set() }
  const all = [...states, ...Object.keys(layers).map(Number), ...open]
  if (!all.length) return []
  const most = open.size || more ? MOST_BLOCKS : Math.min(count, MOST_BLOCKS)
  const found = []
  for (const [x, y, z, state] of read('find', all, far, most, from.x, from.y, from.z, layers)) {
    const block = whole || more || open.has(state) ? new Block(state, { x, y, z }) : null
    if (open.has(state) && !wanted(block)) continue
    if (more && !more(block)) continue
    found.push(whole ? block : new Vec3(x, y, z))
    if (found.length >= count) break
  }
  return found
}

/**
 * Return the kinds of block that a predicate accepts: always (`states`), at some heights (`layers`), or depending on
 * their place (`open`).
 */
function acceptedKinds (predicate, far, from) {
  const states = []
  const layers = {}
  const open = new Set()
  for (const state of read('kinds', far, from.x, from.y, from.z)) {
    const sample = ask(predicate, state, from)
    const heights = sample.looked === 'y' ? heightsOf(predicate, state, from, far) : null
    if (heights) layers[state] = heights
    else if (sample.looked) open.add(state)
    else if (sample.yes) states.push(state)
  }
  return { states, layers, open }
}

/** Return a predicate's result for one block, and whether it read the block's height (y) or more of its place (xyz). */
function ask (predicate, state, at) {
  let looked = ''
  const block = new Block(state, { ...at }, (name) => { looked = name === 'y' && looked !== 'xyz' ? 'y' : 'xyz' })
  try {
    return { yes: Boolean(predicate(block)), get looked () { return looked } }
  } catch (error) {
    if (!looked) throw error
    return { yes: false, looked: 'xyz' }
  }
}

/** Return the heights at which a predicate accepts a block, or null if it reads more than the height at one of them. */
function heightsOf (predicate, state, from, far) {
  const heights = []
  for (let y = Math.floor(from.y - far); y <= from.y + far; y++) {
    const sample = ask(predicate, state, { x: from.x, y, z: from.z })
    if (sample.looked === 'xyz') return null
    if (sample.yes) heights.push(y)
  }
  return heights
}

/** Return the states of one or several kinds, which are ids or names. */
function statesOf (matching) {
  const states = []
  for (const each of Array.isArray(matching) ? matching : [matching]) {
    const kind =
      typeof each === 'string'
        ? mcData.blocksByName[each]
        : mcData.blocks[String(each && typeof each === 'object' ? each.id : each)]
    if (kind) for (let state = kind.minStateId; state <= kind.maxStateId; state++) states.push(state)
  }
  return states
}
