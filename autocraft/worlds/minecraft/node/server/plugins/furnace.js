'use strict'
/** Run furnaces: fuel burns and items smelt in each tick, also while no player looks. */
const { smeltingResult, burnTicks, SMELT_TICKS } = require('../../shared/smelting')
const { less } = require('../stacks')
const { place } = require('../windows')

const FURNACE_WINDOW = 13
const [INPUT, FUEL, OUTPUT] = [0, 1, 2]

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const { things } = serv.world

  serv.onUse('furnace', (player, at) => {
    const furnace = furnaceAt(at)
    player.openWindow({
      type: FURNACE_WINDOW,
      title: 'Furnace',
      at,
      block: 'furnace',
      furnace,
      places: [
        place(furnace.slots, INPUT, { fits: ({ name }) => smeltingResult(name) !== null }),
        place(furnace.slots, FUEL, { fits: ({ name }) => burnTicks(name) > 0 || name === 'bucket' }),
        place(furnace.slots, OUTPUT, { output: true, fits: () => false })
      ],
      opened: () => showProgress(player, furnace)
    })
  })

  /** @param {{x: number, y: number, z: number}} parts */
  function furnaceAt ({ x, y, z }) {
    const name = serv.key(x, y, z)
    if (!things.has(name)) {
      things.set(name, { kind: 'furnace', x, y, z, slots: [null, null, null], fuel: 0, fuelWhole: 0, cooked: 0 })
    }
    return things.get(name)
  }

  /** @param {Player} player @param {Furnace} furnace */
  function showProgress (player, furnace) {
    [furnace.fuel, furnace.fuelWhole, furnace.cooked, SMELT_TICKS].forEach((value, property) => {
      player._client.write('craft_progress_bar', {
        windowId: player.window.id,
        property: [0, 1, 2, 3][property],
        value: Math.min(value, 32767)
      })
    })
  }

  serv.onTick(() => {
    for (const furnace of things.values()) {
      if (furnace.kind !== 'furnace' || !work(furnace)) continue
      for (const player of serv.players) {
        if (player.window.furnace !== furnace) continue
        player.showChanges()
        showProgress(player, furnace)
      }
    }
  })

  /** Run a furnace for one tick. @param {Furnace} furnace @returns {boolean} whether anything moved */
  function work (furnace) {
    const { slots } = furnace
    const wasBurning = furnace.fuel > 0
    if (wasBurning) furnace.fuel--
    const input = slots[INPUT]
    const result = input ? smeltingResult(input.name) : null
    const out = slots[OUTPUT]
    const possible = result !== null && (!out || (out.name === result && out.count < serv.stacks.stackSize(out)))
    if (furnace.fuel === 0 && possible && slots[FUEL] && burnTicks(slots[FUEL].name) > 0) light(furnace)
    const cookedBefore = furnace.cooked
    if (furnace.fuel > 0 && possible && input) {
      if (++furnace.cooked >= SMELT_TICKS) {
        furnace.cooked = 0
        slots[OUTPUT] = { name: result, count: (out?.count ?? 0) + 1 }
        slots[INPUT] = less(input)
      }
    } else {
      furnace.cooked = possible ? Math.max(0, furnace.cooked - 2) : 0
    }
    if (wasBurning !== (furnace.fuel > 0)) showFire(furnace)
    return wasBurning || furnace.fuel > 0 || cookedBefore !== furnace.cooked
  }

  /** @param {Furnace} furnace */
  function light (furnace) {
    const fuel = furnace.slots[FUEL]
    if (!fuel) return
    furnace.fuel = furnace.fuelWhole = burnTicks(fuel.name)
    furnace.slots[FUEL] = fuel.name === 'lava_bucket' ? { name: 'bucket', count: 1 } : less(fuel)
  }

  /** @param {{x: number, y: number, z: number, fuel: number}} parts */
  function showFire ({ x, y, z, fuel }) {
    if (serv.world.name(x, y, z) !== 'furnace') return
    const { facing } = serv.states.properties(serv.world.get(x, y, z))
    serv.world.set(x, y, z, serv.states.state('furnace', { facing, lit: fuel > 0 }))
  }
}
