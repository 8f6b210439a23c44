'use strict'
/**
 * Keep the world in a folder: world.json (seed, time, players, chests, mobs, random numbers) and the changed columns.
 * Each save writes the columns to new files, and then replaces world.json, which names the files that belong to it. So
 * a crash or a power cut leaves the whole world of one save. Python holds the lock of the folder, and lets the server
 * inherit it.
 */
const fs = require('node:fs')
const { open, readdir, rename, rm } = require('node:fs/promises')
const path = require('node:path')
const zlib = require('node:zlib')
const { Vec3 } = require('../../shared/need')('vec3')

const FORMAT = 2 // in format 1, world.json names no files: those of all columns belong to it
const EVERY = 6000 // ticks

/** @param {[number, number, number]} xyz */
const vector = ([x, y, z]) => new Vec3(x, y, z)

/** Bytes of one column of blocks. */
const COLUMN = 131072

/** @param {Serv} serv @param {ServerOptions} options */
module.exports = function inject (serv, { folder, seed }) {
  serv.save = async () => {}
  if (!folder) return
  const { world } = serv
  const columns = path.join(folder, 'columns')
  const main = path.join(folder, 'world.json')
  /** The file of each saved column, by `X.Z`. @type {Map<string, string>} */
  let files = new Map()
  let saves = 0
  try {
    fs.mkdirSync(columns, { recursive: true })
  } catch (error) {
    throw new Error(`the folder ${folder} cannot be used (${error.code}); name another one`, { cause: error })
  }

  world.load = (cx, cz) => {
    const name = files.get(`${cx}.${cz}`)
    if (!name || !fs.existsSync(path.join(columns, name))) return null
    const file = path.join(columns, name)
    const bytes = zlib.gunzipSync(fs.readFileSync(file), { maxOutputLength: 2 * COLUMN })
    if (bytes.length !== COLUMN) throw new Error(`${file} is damaged; remove it to have this column made anew`)
    return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  }

  /** The save under way, or the last one. */
  let saving = Promise.resolve()
  let busy = false

  serv.save = () => {
    saving = saving.catch(() => {}).then(save)
    return saving
  }

  /** Save the world of this moment. It may go on meanwhile. */
  async function save () {
    busy = true
    const changed = [...world.columns.values()].filter((column) => column.changed)
    const named = new Map(files)
    saves++
    const parts = changed.map(({ cx, cz, states }) => {
      const name = `${cx}.${cz}.${saves}.gz`
      named.set(`${cx}.${cz}`, name)
      return { name, bytes: zlib.gzipSync(Buffer.from(states.buffer), { level: 1 }) }
    })
    const text = JSON.stringify(whole([...named.values()]))
    for (const column of changed) Object.assign(column, { changed: false, saving: true })
    try {
      for (const { name, bytes } of parts) await writeSynced(path.join(columns, name), bytes)
      await syncFolder(columns)
      await writeSynced(main + '.new', text)
      await rename(main + '.new', main)
      await syncFolder(path.dirname(main))
    } catch (error) {
      for (const column of changed) column.changed = true
      throw error
    } finally {
      busy = false
      for (const column of changed) column.saving = false
    }
    files = named
    await removeOthers()
  }

  /** Return what world.json holds. @param {string[]} names of the files of columns */
  function whole (names) {
    serv.players.forEach(serv.keepPlayer)
    const entities = Object.values(serv.entities)
      .filter((e) => (e.kind === 'item' || e.kind === 'mob') && e.diesAt === undefined)
      .map(({ hurtBy, ...rest }) => ({ ...rest, position: rest.position.toArray(), velocity: rest.velocity.toArray() }))
    const chance = Object.fromEntries(Object.entries(serv.streams).map(([name, stream]) => [name, stream.state]))
    return {
      format: FORMAT, saves, columns: names,
      seed, tick: serv.clock.tick, day: serv.day, time: serv.time, age: serv.age, lastId: serv.lastId, chance,
      players: serv.kept, things: [...world.things], entities, leaves: serv.fallingLeaves, herds: [...serv.settled]
    }
  }

  /** Remove the files of columns that belong to no save, or to an older one. What cannot be removed does no harm. */
  async function removeOthers () {
    const kept = new Set(files.values())
    try {
      for (const name of await readdir(columns)) if (!kept.has(name)) await rm(path.join(columns, name))
    } catch {}
  }

  serv.restore = () => {
    if (!fs.existsSync(main)) return
    const kept = read(main)
    if (kept.format > FORMAT) {
      throw new Error(`${main} was written by a newer version; update autocraft or name another folder`)
    }
    if (kept.seed !== seed) {
      throw new Error(`the world in ${folder} has the seed ${kept.seed}; start with that seed or name another folder`)
    }
    saves = kept.saves ?? 0
    /** @type {string[]} */
    const names = kept.columns ?? fs.readdirSync(columns)
    files = new Map(names.map((name) => [columnOf(name), name]))
    const day = kept.day ?? Math.floor(kept.age / 24000) // an older autocraft did not count them
    Object.assign(serv, { day, time: kept.time, age: kept.age, lastId: kept.lastId, kept: kept.players })
    serv.clock.tick = kept.tick
    for (const [name, state] of Object.entries(kept.chance)) serv.random(name).state = state
    for (const [name, thing] of kept.things) world.things.set(name, thing)
    for (const entity of kept.entities) {
      serv.entities[entity.id] = { ...entity, position: vector(entity.position), velocity: vector(entity.velocity) }
    }
    serv.fallingLeaves.push(...kept.leaves)
    kept.herds.forEach((/** @type {string} */ name) => serv.settled.add(name))
  }

  serv.onTick((tick) => {
    if (tick % EVERY === 0 && !busy) serv.save().catch((error) => serv.emit('notSaved', error))
  })
}

/** @param {string} file */
function read (file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    throw new Error(`${file} is damaged; restore it, or name another folder`)
  }
}

/** Return `X.Z` for the name of a column's file. @param {string} name */
function columnOf (name) {
  return name.split('.').slice(0, 2).join('.')
}

/** Write a file that survives a power cut, once its folder is synced. @param {string} file @param {any} bytes */
async function writeSynced (file, bytes) {
  const handle = await open(file, 'w')
  try {
    await handle.writeFile(bytes)
    await sync(handle)
  } finally {
    await handle.close()
  }
}

/** Make new and renamed files of a folder survive a power cut. Windows cannot. @param {string} folder */
async function syncFolder (folder) {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await sync(handle)
  } finally {
    await handle.close()
  }
}

/**
 * Sync an open file. A Node that forbids it to confined processes, as it forbids fs.fsync, saves without.
 * @param {import('node:fs/promises').FileHandle} handle
 */
async function sync (handle) {
  try {
    await handle.sync()
  } catch (error) {
    if (error.code !== 'ERR_ACCESS_DENIED') throw error
  }
}
