'use strict'

/**
 * Try the attacks without a sandbox: evaluate the program in this very process, as Voyager's bridge does, with the same
 * `bot` made naively. `node control.js FILE` says how it ended as a line of JSON.
 */

const fs = require('node:fs')

const code = fs.readFileSync(process.argv[2], 'utf8')
const say = (message) => fs.writeSync(1, `${message}\n`)

const bot = {
  read (name, ...args) {
    if (name === 'bad') throw new Error('it was bad')
    JSON.stringify(1)
    const answer = {}
    answer.args = [...args]
    return answer
  },
  act (name) {
    return new Promise((resolve) => {
      const waiting = {}
      waiting.resolve = resolve
      bot.acted++
      setImmediate(() => waiting.resolve({ did: String(name) }))
    })
  },
  chat (text) {
    say(text)
  },
  acted: 0
}

const stringify = JSON.stringify
const report = (kind, value) => {
  const text = stringify([kind, String(value), String({}.polluted || [].polluted)])
  fs.writeSync(1, `${text}\n`)
}

const main = new Function('require', 'module', `${code}\nreturn f`)(require, module)
main(bot).then((value) => report('returned', stringify(value)), (error) => report('threw', error && error.message))
