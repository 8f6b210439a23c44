'use strict'
/**
 * Join with plain mineflayer: node plain_mineflayer.js PORT. Print the seconds from the start of the process to its
 * place in the world, the milliseconds of one look around (the median of 200), and its memory in MB.
 */
const { createRequire } = require('node:module')
const path = require('node:path')
const need = createRequire(path.join(path.resolve(process.env.AUTOCRAFT_NODE_MODULES), 'x.js'))

const bot = need('mineflayer').createBot({
  host: '127.0.0.1', port: Number(process.argv[2]), username: 'plain', version: '1.16.5', auth: 'offline'
})
bot.once('spawn', async () => {
  const joined = performance.now() / 1000
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const times = []
  for (let turn = 0; turn < 200; turn++) {
    const begun = performance.now()
    look()
    times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  console.log(JSON.stringify({ joined, look: times[100], memory: process.resourceUsage().maxRSS / 1000 }))
  process.exit(0)
})

/** Return the names of the 17 x 5 x 17 blocks around, by mineflayer's own bot.blockAt. */
function look () {
  const names = new Set()
  const middle = bot.entity.position.floored()
  for (let x = -8; x <= 8; x++) {
    for (let y = -2; y <= 2; y++) {
      for (let z = -8; z <= 8; z++) names.add(bot.blockAt(middle.offset(x, y, z), false)?.name)
    }
  }
  return names
}
