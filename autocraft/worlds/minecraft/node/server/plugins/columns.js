'use strict'
/** Send columns to players: the nearest at once when they join, the others a few per tick. */
const nbt = require('../../shared/need')('prismarine-nbt')
const { encodeColumn, encodeLight } = require('../column')

const AT_FIRST = 3 // columns in each direction
const PER_TICK = 4
// columns in memory; further ones are forgotten if no player is near and they are unchanged since the last save
const KEEP_AT_MOST = 900

/** @param {Serv} serv @param {ServerOptions} options */
module.exports = function inject (serv, options) {
  const heightmaps = nbt.comp({ MOTION_BLOCKING: nbt.longArray(new Array(36).fill([0, 0])) })

  serv.on('newPlayer', (player) => {
    player.columns = new Set()

    /** @param {number} cx @param {number} cz */
    function send (cx, cz) {
      const column = serv.world.column(cx, cz)
      player.columns.add(`${cx},${cz}`)
      player._client.write('map_chunk', {
        x: cx,
        z: cz,
        groundUp: true,
        heightmaps,
        biomes: Array.from(column.biomes),
        blockEntities: [],
        ...encodeColumn(column.states)
      })
      player._client.write('update_light', {
        chunkX: cx, chunkZ: cz, trustEdges: true, blockLightMask: 0, emptySkyLightMask: 0, emptyBlockLightMask: 0x3ffff,
        ...encodeLight(column.states, serv.world.opaque)
      })
    }

    /** Send at most `most` missing columns within `reach`, the nearest first, and unload those far away. */
    player.sendColumns = (reach, most) => {
      const px = Math.floor(player.position.x) >> 4
      const pz = Math.floor(player.position.z) >> 4
      if (player.viewCentre !== `${px},${pz}`) {
        player.viewCentre = `${px},${pz}`
        player._client.write('update_view_position', { chunkX: px, chunkZ: pz })
        drop(px, pz)
        player.columnsWhole = false
      }
      if (player.columnsWhole) return
      let sent = 0
      for (let ring = 0; ring <= reach; ring++) {
        for (const [dx, dz] of around(ring)) {
          if (player.columns.has(`${px + dx},${pz + dz}`)) continue
          if (sent++ === most) return
          send(px + dx, pz + dz)
        }
      }
      if (reach >= options.distance) player.columnsWhole = true
    }

    /** @param {number} px @param {number} pz */
    function drop (px, pz) {
      for (const name of player.columns) {
        const [cx, cz] = name.split(',').map(Number)
        if (Math.max(Math.abs(cx - px), Math.abs(cz - pz)) <= options.distance + 1) continue
        player.columns.delete(name)
        player._client.write('unload_chunk', { chunkX: cx, chunkZ: cz })
      }
    }

    player.sendFirstColumns = () => {
      player.columns.clear()
      player.viewCentre = null
      player.sendColumns(Math.min(AT_FIRST, options.distance), Infinity)
    }
  })

  serv.onTick((tick) => {
    for (const player of serv.players) player.sendColumns(options.distance, PER_TICK)
    if (tick % 200 === 0 && serv.world.columns.size > KEEP_AT_MOST) forget()
  })

  function forget () {
    for (const [name, { cx, cz, changed, saving }] of serv.world.columns) {
      const near = serv.players.some(
        ({ position: p }) =>
          Math.max(Math.abs((Math.floor(p.x) >> 4) - cx), Math.abs((Math.floor(p.z) >> 4) - cz)) <= options.distance + 4
      )
      if (!changed && !saving && !near) serv.world.columns.delete(name)
    }
  }
}

/** @param {number} ring */
function around (ring) {
  if (ring === 0) return [[0, 0]]
  const places = []
  for (let i = -ring; i < ring; i++) places.push([i, -ring], [ring, i], [-i, ring], [-ring, -i])
  return places
}
