'use strict'
/**
 * Print what the planner proposes in a small world, a line for each line of standard input, as {"steps", "why",
 * "tree"}: node planning.js BOT_FOLDER. A line is a scene of small_world.js with goals and kinds.
 */
const path = require('node:path')
const { botIn, folder } = require('./small_world')
const { plan } = require(path.join(folder, 'plan', 'index.js'))

const lines = require('node:readline').createInterface({ input: process.stdin })
lines.on('line', async (line) => {
  const scene = JSON.parse(line)
  console.log(JSON.stringify(await plan(botIn(scene), scene)))
})
