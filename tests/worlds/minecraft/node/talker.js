'use strict'
/**
 * Join 127.0.0.1:PORT as NAME with a plain mineflayer bot, for tests of chat: it says each line of its stdin, and tells
 * on stdout that it has joined and what it hears.
 */
const { join } = require('./lab')

const [port, name] = process.argv.slice(2)
const tell = (message) => process.stdout.write(JSON.stringify(message) + '\n')

join({ port: Number(port) }, name).then((bot) => {
  bot.on('message', (message) => tell({ heard: message.toString() }))
  bot.on('end', () => process.exit(0))
  const lines = require('node:readline').createInterface({ input: process.stdin })
  lines.on('line', (line) => bot.chat(line))
  lines.on('close', () => bot.quit())
  tell({ joined: name })
})
