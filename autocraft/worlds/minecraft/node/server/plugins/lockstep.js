'use strict'
/**
 * Let clients take part in the lockstep: the next tick waits until each of them has answered the last one. See
 * node/README.md.
 */

const CHANNEL = 'autocraft:tick'

/** @param {Serv} serv */
module.exports = function inject (serv) {
  /** @returns {boolean} whether somebody is here and no lockstep client is still busy with the last tick */
  serv.playersReady = () => serv.players.length > 0 &&
    serv.players.every((player) => player.answered === undefined || player.answered >= serv.clock.tick)

  serv.sendTick = (tick) => {
    for (const player of serv.players) if (player.answered !== undefined) send(player, tick)
  }

  /** @param {Player} player @param {number} tick */
  function send (player, tick) {
    player._client.write('custom_payload', { channel: CHANNEL, data: Buffer.from(String(tick)) })
  }

  serv.on('newPlayer', (player) => {
    player._client.on('custom_payload', ({ channel, data }) => {
      if (channel !== CHANNEL) return
      const text = data.toString('utf8')
      if (text === 'join') {
        player.answered = serv.clock.tick
        send(player, serv.clock.tick)
      } else if (text === 'leave') {
        player.answered = undefined
      } else if (/^\d{1,15}$/.test(text) && player.answered !== undefined) {
        player.answered = Math.min(Number(text), serv.clock.tick)
      }
      serv.clock.poke()
    })
  })
}
