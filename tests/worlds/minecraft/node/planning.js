'use strict'
/**
 * Print what the planner proposes in a small world, a line for each line of standard input, as {"steps", "why",
 * "tree"}: node planning.js BOT_FOLDER. A line is a scene of small_world.js with goals and kinds. For a scene with
 * `priced` the line has the price of every item that can be had; for one with `each` also its first step, and the
 * milliseconds of its plan.
 */
const path = require('node:path')
const { botIn, folder } = require('./small_world')
const { plan } = require(path.join(folder, 'plan', 'index.js'))
const { prices } = require(path.join(folder, 'plan', 'prices.js'))

/** The price of every item, the first step to it, and the time that its plan takes the processor. */
async function eachItem (bot, { kinds }) {
  const found = {}
  for (const [name, price] of Object.entries(await prices(bot, { kinds }))) {
    const begun = process.cpuUsage()
    const { steps: [step] } = await plan(bot, { goals: [{ items: [[name, 1]], deeds: [] }], kinds, avoid: [] })
    const { user, system } = process.cpuUsage(begun)
    found[name] = { price, step, ms: (user + system) / 1000 }
  }
  return { all: Object.keys(bot.registry.itemsByName), found }
}

const lines = require('node:readline').createInterface({ input: process.stdin })
lines.on('line', async (line) => {
  const scene = JSON.parse(line)
  console.log(JSON.stringify(await (scene.priced ? prices : scene.each ? eachItem : plan)(botIn(scene), scene)))
})
