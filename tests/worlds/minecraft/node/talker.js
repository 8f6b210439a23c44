'use strict'
/**
 * Join 127.0.0.1:PORT as NAME with a plain mineflayer bot, for tests of chat: it says each line of its stdin, and tells
 * on stdout that it has joined and what it hears. After the line "dodge X Y Z" it goes to that place once an item is
 * thrown, so that it does not get it. At the line "throw" it throws what it holds to the east.
 */
const { join } = require('./lab')

const [port, name] = process.argv.slice(2)
const tell = (message) => process.stdout.write(JSON.stringify(message) + '\n')

async function throwEast (bot) {
  await bot.look(-Math.PI / 2, 0, true)
  await bot.waitForTicks(2) // until the server knows
  bot._client.write('block_dig', { status: 3, location: bot.entity.position.floored(), face: 0 })
}

join({ port: Number(port) }, name).then((bot) => {
  bot.on('message', (message) => tell({ heard: message.toString() }))
  bot.on('end', () => process.exit(0))
  const lines = require('node:readline').createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const [word, ...place] = line.split(' ')
    if (word === 'throw') return throwEast(bot)
    if (word !== 'dodge') return bot.chat(line)
    bot.once('itemDrop', () => bot.chat(`/tp ${place.join(' ')}`))
  })
  lines.on('close', () => bot.quit())
  tell({ joined: name })
})
