'use strict'
/**
 * Print the blocks of a practice world as the server itself keeps them. A line on standard input says which:
 * {"seed", "folder", "low", "high"}. Without a folder it is the world that the seed generates. The answer is
 * {"kinds", "blocks"}: the kinds as [name, states], and the number of the kind of each block of the box, by x, then y,
 * then z.
 */
const need = require('../shared/need')
const { readOptions } = require('./options')
const { startServer } = require('./server')

const registry = need('prismarine-registry')('1.16.5')
const Block = need('prismarine-block')(registry)

/** @param {string} line */
async function answer (line) {
  const { seed, folder = null, low, high } = JSON.parse(line)
  const serv = await startServer(readOptions({ seed, folder, freeze: true, port: 0 }), () => {})
  const kinds = new Map()
  const blocks = []
  for (let x = low[0]; x <= high[0]; x++) {
    for (let y = low[1]; y <= high[1]; y++) {
      for (let z = low[2]; z <= high[2]; z++) {
        const state = serv.world.get(x, y, z)
        if (!kinds.has(state)) kinds.set(state, kinds.size)
        blocks.push(kinds.get(state))
      }
    }
  }
  const named = [...kinds.keys()].map((state) => {
    const block = Block.fromStateId(state, 0)
    return [block.name, block.getProperties()]
  })
  process.stdout.write(JSON.stringify({ kinds: named, blocks }) + '\n', () => process.exit(0)) // nothing is saved
}

require('node:readline').createInterface({ input: process.stdin }).on('line', answer)
