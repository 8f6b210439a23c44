'use strict'
/** Item, Block, Entity and Recipe: plain values with the fields that programs use. */

class Item {
  /** @param {any[]} row slot, type, count, metadata, durability used, custom name */
  constructor ([slot, type, count, metadata, used, label]) {
    const kind = mcData.items[String(type)] || { name: 'unknown', displayName: 'unknown', stackSize: 64 }
    Object.assign(this, { type, count, metadata, slot, name: kind.name, displayName: kind.displayName, stackSize: kind.stackSize })
    Object.assign(this, { maxDurability: kind.maxDurability, durabilityUsed: used, customName: label, nbt: null, enchants: [] })
  }
}

/** What is true of all blocks of one state. @type {Map<number, any>} */
const kinds = new Map()
function kindOf (stateId) {
  if (!kinds.has(stateId)) kinds.set(stateId, host.read('state', stateId))
  return kinds.get(stateId)
}

class Block {
  #kind
  #at
  #asked
  /** @param {number} stateId @param {{x: number, y: number, z: number}|null} at @param {() => void} [asked] told when its place matters */
  constructor (stateId, at, asked) {
    const kind = this.#kind = kindOf(stateId)
    this.#at = at
    this.#asked = asked
    this.stateId = stateId
    this.type = this.id = kind.id
    this.name = kind.name
    this.displayName = kind.displayName
    this.metadata = kind.metadata
    this.boundingBox = kind.boundingBox
    this.hardness = kind.hardness
    this.diggable = kind.diggable
  }

  #place () {
    if (this.#asked) this.#asked()
    if (!(this.#at instanceof PlainVec3)) this.#at = new Vec3(this.#at)
    return this.#at
  }

  #there () { const { x, y, z } = this.#place(); return read('place', x, y, z) }

  get position () { return this.#place() }
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

/** A creature or a thing that moves. It goes on being true: its fields are those of now, or the last that were seen. */
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

/** All entities of now, by id; the same creature is the same object. */
function entities () {
  const rows = read('entities')
  if (met.rows !== rows) {
    met.rows = rows
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

/** The block at a place; null where it is not loaded. Blocks are read in cubes, since programs look at many. */
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
 * Places of blocks, nearest first. A predicate is asked once for each kind of block that is there, and only where it
 * looked at the place of a block is it asked for the blocks one by one.
 */
function findBlocks (options, whole = false) {
  const { matching, maxDistance = 16, count = 1, point, useExtraInfo } = options || {}
  const from = new Vec3(isPlace(point) ? point : bodyNow().position).floor()
  const far = Math.min(Number(maxDistance) || 16, 256)
  const wanted = matching === undefined && typeof useExtraInfo === 'function' ? useExtraInfo : matching
  const more = typeof useExtraInfo === 'function' && useExtraInfo !== wanted ? useExtraInfo : null
  const { states, open } = typeof wanted === 'function' ? judged(wanted, far, from) : { states: statesOf(wanted), open: new Set() }
  const all = [...states, ...open]
  if (!all.length) return []
  const most = open.size || more ? MOST_BLOCKS : Math.min(count, MOST_BLOCKS)
  const found = []
  for (const [x, y, z, state] of read('find', all, far, most, from.x, from.y, from.z)) {
    const block = whole || more || open.has(state) ? new Block(state, { x, y, z }) : null
    if (open.has(state) && !wanted(block)) continue
    if (more && !more(block)) continue
    found.push(whole ? block : new Vec3(x, y, z))
    if (found.length >= count) break
  }
  return found
}

/** Which kinds of block a predicate takes (`states`) and for which it depends on the place (`open`). */
function judged (predicate, far, from) {
  const states = []
  const open = new Set()
  for (const state of read('kinds', far, from.x, from.y, from.z)) {
    let asked = false
    const sample = new Block(state, { ...from }, () => { asked = true })
    let yes = false
    try { yes = predicate(sample) } catch (error) { if (!asked) throw error }
    if (asked) open.add(state)
    else if (yes) states.push(state)
  }
  return { states, open }
}

/** The states of one or several kinds, given by id or by name. */
function statesOf (matching) {
  const states = []
  for (const each of Array.isArray(matching) ? matching : [matching]) {
    const kind = typeof each === 'string' ? mcData.blocksByName[each] : mcData.blocks[String(each && typeof each === 'object' ? each.id : each)]
    if (kind) for (let state = kind.minStateId; state <= kind.maxStateId; state++) states.push(state)
  }
  return states
}
