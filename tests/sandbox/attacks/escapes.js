// Programs that reach for the process around the machine. Where one finds `process` or `require`, it is through.

//# process
async function f (bot) {
  return process.pid > 0 && 'THROUGH'
}

//# require
async function f (bot) {
  return require('fs').readFileSync('/etc/passwd') && 'THROUGH'
}

//# module
async function f (bot) {
  return module.constructor._load('child_process').spawnSync && 'THROUGH'
}

//# import
async function f (bot) {
  return (await import('fs')).readFileSync && 'THROUGH'
}

//# import of a data address
async function f (bot) {
  return (await import('data:text/javascript,export default process')).default && 'THROUGH'
}

//# eval from outside the function
async function f (bot) {
  return (0, eval)('process').pid && 'THROUGH'
}

//# Function
async function f (bot) {
  return new Function('return process')().pid && 'THROUGH'
}

//# the constructor of a host function
async function f (bot) {
  return bot.read.constructor('return process')().pid && 'THROUGH'
}

//# the constructor of the constructor of a host value
async function f (bot) {
  return bot.read('echo', {}).constructor.constructor('return process')().pid && 'THROUGH'
}

//# the constructor of a host promise
async function f (bot) {
  return bot.act('wait').constructor.constructor('return process')().pid && 'THROUGH'
}

//# the constructor of a host error
async function f (bot) {
  try {
    bot.read('bad')
  } catch (error) {
    return error.constructor.constructor('return process')().pid && 'THROUGH'
  }
}

//# the constructor of an async function
async function f (bot) {
  return (await (async () => {}).constructor('return process')()).pid && 'THROUGH'
}

//# the constructor of a generator
async function f (bot) {
  return (function * () {}).constructor('return process')().next().value.pid && 'THROUGH'
}

//# this of a sloppy function
async function f (bot) {
  return (function () { return this })().process.pid && 'THROUGH'
}

//# globalThis
async function f (bot) {
  return globalThis.process.mainModule !== 0 && globalThis.process.pid && 'THROUGH'
}

//# Symbol.unscopables
async function f (bot) {
  const o = { process: 1, [Symbol.unscopables]: { process: true } }
  return new Function('o', 'with (o) { return process.pid }')(o) && 'THROUGH'
}

//# a species
async function f (bot) {
  class A extends Array { static get [Symbol.species] () { return function () { this.got = process.pid } } }
  return new A(1, 2).map((x) => x).got && 'THROUGH'
}

//# a stack-trace hook
async function f (bot) {
  Error.prepareStackTrace = (error, sites) => sites
  const sites = new Error('x').stack
  return sites.some((site) => site.getFileName()) && 'THROUGH'
}

//# the stack as it is
async function f (bot) {
  return /\(?[^\s(]*\/[^\s:]+\.js:\d+/.test(new Error('x').stack) && 'THROUGH'
}

//# WebAssembly
async function f (bot) {
  return new WebAssembly.Memory({ initial: 1 }).buffer && 'THROUGH'
}

//# SharedArrayBuffer and Atomics
async function f (bot) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  return 'THROUGH'
}

//# the network
async function f (bot) {
  return typeof fetch === 'function' && typeof WebSocket === 'function' && 'THROUGH'
}

//# timers
async function f (bot) {
  await new Promise((resolve) => setTimeout(resolve, 1))
  return 'THROUGH'
}

//# the console of the process
async function f (bot) {
  return console._stdout.write && 'THROUGH'
}

//# Buffer
async function f (bot) {
  return Buffer.from('x').buffer && 'THROUGH'
}

//# getBuiltinModule
async function f (bot) {
  return globalThis.process.getBuiltinModule('fs') && 'THROUGH'
}

//# modules of each engine's own
async function f (bot) {
  for (const name of ['std', 'os', 'qjs:std', 'qjs:os', 'node:os']) {
    try {
      return await import(name) && 'THROUGH'
    } catch {}
  }
}

//# what the prelude kept
async function f (bot) {
  const seen = []
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/^(host|post|begin|settle|describe|process|require)$/.test(name)) seen.push(name)
  }
  return seen.length && 'THROUGH'
}

//# the globals of the prototype
async function f (bot) {
  for (let o = globalThis; o; o = Object.getPrototypeOf(o)) {
    for (const name of Reflect.ownKeys(o)) {
      if (/^(process|require|internalBinding)$/.test(String(name))) return 'THROUGH'
    }
  }
}
