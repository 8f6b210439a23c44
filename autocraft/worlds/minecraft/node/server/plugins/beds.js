'use strict'
/** Let players sleep: at night, near a bed, with no monster near. When everybody sleeps, it becomes morning. */

const FROM = 12542
const TO = 23459
const ASLEEP = 100 // ticks of sleep until it is morning
const STANDING = 0
const SLEEPING = 2
const LEAVE_BED = 2
const POSE = 6 // index in the metadata
const BED_PLACE = 13

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { world, states } = serv
  /** @type {Record<string, [number, number]>} */
  const STEPS = { north: [0, -1], south: [0, 1], west: [-1, 0], east: [1, 0] }

  for (const { name } of serv.registry.blocksArray) if (name.endsWith('_bed')) serv.onUse(name, useBed)

  /** @param {Player} player @param {{x: number, y: number, z: number}} parts */
  function useBed (player, { x, y, z }) {
    const { facing, part } = states.properties(world.get(x, y, z))
    const [dx, dz] = part === 'foot' ? STEPS[facing] : [0, 0]
    const head = { x: x + dx, y, z: z + dz }
    if (serv.time < FROM || serv.time > TO) {
      player.bed = head
      return say(player, 'You can sleep only at night. Your respawn point is set.')
    }
    const near = Object.values(serv.entities).some(
      (e) =>
        e.kind === 'mob' &&
        e.health > 0 &&
        ['zombie', 'skeleton', 'spider', 'creeper'].includes(e.name) &&
        Math.abs(e.position.x - head.x) < 8 &&
        Math.abs(e.position.y - head.y) < 5 &&
        Math.abs(e.position.z - head.z) < 8
    )
    if (near) return say(player, 'You may not rest now; there are monsters nearby.')
    player.bed = head
    player.asleep = 1
    pose(player, SLEEPING, head)
  }

  /** @param {Player} player @param {string} text */
  function say (player, text) { player.system(text) }

  /** @param {Player} player @param {any} value @param {Point | null} place */
  function pose (player, value, place) {
    const metadata = [{ key: POSE, type: 18, value }, { key: BED_PLACE, type: 10, value: place ?? undefined }]
    for (const other of serv.players) other._client.write('entity_metadata', { entityId: player.id, metadata })
  }

  /** @param {Player} player */
  function wake (player) {
    if (!player.asleep) return
    player.asleep = 0
    pose(player, STANDING, null)
    for (const other of serv.players) other._client.write('animation', { entityId: player.id, animation: LEAVE_BED })
  }

  serv.on('newPlayer', (player) => {
    player.asleep = 0
    player.on('wake', () => wake(player))
    player.on('hurt', () => wake(player))
  })

  serv.onTick(() => {
    const here = serv.players.filter((player) => player.health > 0)
    for (const player of here) if (player.asleep) player.asleep++
    if (here.length === 0 || !here.every((player) => player.asleep > ASLEEP)) return
    serv.day++
    serv.setTime(0)
    here.forEach(wake)
  })
}
