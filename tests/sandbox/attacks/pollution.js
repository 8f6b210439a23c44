// Programs that change the built-in objects, or hand in values that change while they are read, so that our own code
// in the machine or around it does something else. The control's own code is naive about all of this.

//# Object.prototype outlives the program
async function f (bot) {
  Object.prototype.polluted = 'THROUGH'
  return {}.polluted && 'gone with it'
}

//# Array.prototype outlives the program
async function f (bot) {
  Array.prototype.polluted = 'THROUGH'
  return 'gone with it'
}

//# a built-in function outlives the program
async function f (bot) {
  JSON.parse = () => 'THROUGH'
  Object.prototype.polluted = 'THROUGH'
  return 'gone with it'
}

//# a setter on Object.prototype catches what is made
async function f (bot) {
  let caught
  Object.defineProperty(Object.prototype, 'args', { set (value) { caught = 'THROUGH' }, configurable: true })
  bot.read('echo', 'sent')
  return caught
}

//# a setter on Object.prototype catches the functions of a promise
async function f (bot) {
  let caught, kept
  for (const name of ['resolve', 'reject', 'line', 'id', 'value']) {
    const set = (value) => { caught = 'THROUGH'; kept = value }
    Object.defineProperty(Object.prototype, name, { get: () => kept, set, configurable: true })
  }
  await bot.act('wait')
  return caught
}

//# another Promise
async function f (bot) {
  let caught
  const Kept = Promise
  globalThis.Promise = function (work) { caught = 'THROUGH'; return new Kept(work) }
  await bot.act('wait')
  return caught
}

//# another JSON
async function f (bot) {
  let caught
  const kept = JSON.stringify
  JSON.stringify = (value) => { caught = 'THROUGH'; return kept(value) }
  bot.read('echo', 1)
  return caught
}

//# another Error
async function f (bot) {
  let caught
  globalThis.Error = function () { caught = 'THROUGH' }
  try {
    bot.read('bad')
  } catch {}
  return caught
}

//# another iterator of arrays
async function f (bot) {
  let caught
  const kept = Array.prototype[Symbol.iterator]
  Array.prototype[Symbol.iterator] = function () { caught = 'THROUGH'; return kept.call(this) }
  bot.read('echo', 1)
  return caught
}

//# another text of the name
async function f (bot) {
  let turn = 0
  const name = { toString: () => turn++ ? 'forbidden' : 'wait' }
  await bot.act(name)
  return 'THROUGH'
}

//# arguments that are a Proxy
async function f (bot) {
  let turn = 0
  const args = new Proxy({}, { ownKeys: () => ['x'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: () => turn++ })
  const [seen] = bot.read('echo', args).args
  return typeof seen === 'object' && seen.x !== seen.x ? 'THROUGH' : 'one value'
}

//# a getter that gives another value each time
async function f (bot) {
  let turn = 0
  const [seen] = bot.read('echo', { get x () { return turn++ } }).args
  return seen.x !== seen.x ? 'THROUGH' : 'one value'
}

//# the value of a read is handed out unsealed to the next
async function f (bot) {
  const value = { x: 1 }
  const [seen] = bot.read('echo', value).args
  seen.x = 'THROUGH'
  return value.x
}
