'use strict'
/** Run one scenario of a file and print {"result": …} or {"error": …} as the last line: node run.js FILE NAME. */
const path = require('node:path')

async function main ([file, name]) {
  const scenario = require(path.join(__dirname, file))[name]
  try {
    console.log(JSON.stringify({ result: await scenario() }))
  } catch (error) {
    console.log(JSON.stringify({ error: error.stack }))
  }
  process.exit(0)
}

main(process.argv.slice(2))
