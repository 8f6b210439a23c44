'use strict'
/** Speaking and waiting. */
const { Fault } = require('../fault')

async function chat (bot, { text }, task) {
  const line = text.replace(/[\r\n]+/g, ' ').trim()
  if (!line) throw new Fault('there is nothing to say', 'invalid')
  bot.chat(line.slice(0, 250))
  await task.ticks(2)
  return `Said: ${line.slice(0, 250)}`
}

async function wait (bot, { seconds }, task) {
  await task.ticks(Math.round(seconds * 20))
  const now = bot.time.timeOfDay
  return `Waited ${seconds} s${typeof now === 'number' ? `; the time of day is ${now}` : ''}.`
}

module.exports = { chat, wait }
