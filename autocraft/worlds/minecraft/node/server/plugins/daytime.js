'use strict'
/** Count day and night: a day has 24,000 ticks and begins at six in the morning. */

const DAY = 24000

/** @param {Serv} serv */
module.exports = function inject (serv) {
  serv.day = 0
  serv.time = 1000
  serv.age = 0

  serv.sendTime = (player) => player._client.write('update_time', {
    age: long(serv.age), time: long(serv.day * DAY + serv.time)
  })

  serv.setTime = (time) => {
    serv.time = ((time % DAY) + DAY) % DAY
    serv.players.forEach(serv.sendTime)
  }

  /** @returns {boolean} whether monsters may come out under the open sky */
  serv.isNight = () => serv.time >= 13188 && serv.time <= 22812

  serv.onTick(() => {
    serv.age++
    serv.time = (serv.time + 1) % DAY
    if (serv.time === 0) serv.day++
    if (serv.age % 20 === 0) serv.players.forEach(serv.sendTime)
  })
}

/** @param {number} n */
const long = (n) => [Math.floor(n / 4294967296), n | 0]
