'use strict'
/**
 * Keep the world in a folder: world.json (seed, time, players, chests, mobs, random numbers) and the changed columns.
 * Each file is written beside the old one and then renamed, so that a crash leaves the old one. Python holds the lock
 * of the folder, and lets the server inherit it.
 */
const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { Vec3 } = require('../../shared/need')('vec3')

const FORMAT = 1
const EVERY = 6000 // ticks

/** @param {[number, number, number]} xyz */
const vector = ([x, y, z]) => new Vec3(x, y, z)

/** Bytes of one column of blocks. */
const COLUMN = 131072

/** @param {Serv} serv @param {ServerOptions} options */
module.exports = function inject (serv, { folder, seed }) {
  serv.save = () => {}
  if (!folder) return
  const { world } = serv
  const columns = path.join(folder, 'columns')
  const main = path.join(folder, 'world.json')
  /** @param {number} cx @param {number} cz */
  const fileOf = (cx, cz) => path.join(columns, `${cx}.${cz}.gz`)
  try {
    fs.mkdirSync(columns, { recursive: true })
  } catch (error) {
    throw new Error(`the folder ${folder} cannot be used (${error.code}); name another one`, { cause: error })
  }

  world.load = (cx, cz) => {
    if (!fs.existsSync(fileOf(cx, cz))) return null
    const bytes = zlib.gunzipSync(fs.readFileSync(fileOf(cx, cz)), { maxOutputLength: 2 * COLUMN })
    if (bytes.length !== COLUMN) {
      throw new Error(`${fileOf(cx, cz)} is damaged; remove it to have this column made anew`)
    }
    return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  }

  serv.save = () => {
    for (const column of world.columns.values()) {
      if (!column.changed) continue
      writeWhole(fileOf(column.cx, column.cz), zlib.gzipSync(Buffer.from(column.states.buffer), { level: 1 }))
      column.changed = false
    }
    serv.players.forEach(serv.keepPlayer)
    const entities = Object.values(serv.entities)
      .filter((e) => (e.kind === 'item' || e.kind === 'mob') && e.diesAt === undefined)
      .map(({ hurtBy, ...rest }) => ({ ...rest, position: rest.position.toArray(), velocity: rest.velocity.toArray() }))
    const chance = Object.fromEntries(Object.entries(serv.streams).map(([name, stream]) => [name, stream.state]))
    const kept = {
      format: FORMAT, seed, tick: serv.clock.tick, day: serv.day, time: serv.time, age: serv.age, lastId: serv.lastId,
      chance, players: serv.kept, things: [...world.things], entities, leaves: serv.fallingLeaves,
      herds: [...serv.settled]
    }
    writeWhole(main, JSON.stringify(kept))
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
    if (tick % EVERY !== 0) return
    try {
      serv.save()
    } catch (error) {
      serv.emit('notSaved', error)
    }
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

/** @param {string} file @param {any} bytes */
function writeWhole (file, bytes) {
  fs.writeFileSync(file + '.new', bytes)
  fs.renameSync(file + '.new', file)
}
