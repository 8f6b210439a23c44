'use strict'
/** Speak and wait. */
const cut = require('../../shared/cut')
const { Fault } = require('../../shared/fault')
const { dayOf } = require('../danger')

/** @param {Bot} bot @param {{text: string}} parts @param {Task} task */
async function chat (bot, { text }, task) {
  const line = cut(text.replace(/[\r\n]+/g, ' ').trim(), 250)
  if (!line) throw new Fault('there is nothing to say', 'invalid')
  bot.chat(line)
  await task.ticks(2)
  return `Said: ${line}`
}

/** @param {Bot} bot @param {{seconds: number}} parts @param {Task} task */
async function wait (bot, { seconds }, task) {
  await task.ticks(Math.round(seconds * 20))
  const now = bot.time.timeOfDay
  return `Waited ${seconds} s${typeof now === 'number' ? `; it is day ${dayOf(bot)}, time ${now} of 24000` : ''}.`
}

module.exports = { chat, wait }
