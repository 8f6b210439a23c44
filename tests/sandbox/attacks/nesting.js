// Values and texts that are nested so deeply that what walks through them runs out of stack.

//# nested JSON
async function f (bot) {
  JSON.parse('['.repeat(Math.min(BOUND, 1e6)) + '1')
  return 'THROUGH'
}

//# nested source text
async function f (bot) {
  (0, eval)('('.repeat(1e5))
  return 'THROUGH'
}

//# nested functions
async function f (bot) {
  (0, eval)('(()=>'.repeat(1e5))
  return 'THROUGH'
}

//# nested arrays to JSON
async function f (bot) {
  let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)
  return 'THROUGH'
}

//# nested arrays to text
async function f (bot) {
  let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)
  return 'THROUGH'
}

//# nested arrays, flat | ends threw:, returned:, limit:memory, limit:steps, limit:seconds
async function f (bot) {
  let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)
  return 'THROUGH'
}

//# nested arrays as an argument | ends threw:
async function f (bot) {
  let a = []; for (let i = 0; i < 500; i++) a = [a]; bot.read('echo', a)
  return 'THROUGH'
}

//# nested Proxies
async function f (bot) {
  let o = {}; for (let i = 0; i < 1e5; i++) o = new Proxy(o, {}); o.x
  return 'THROUGH'
}

//# nested prototypes | ends threw:, returned:, limit:memory, limit:steps, limit:seconds
async function f (bot) {
  let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); o.x
  return 'THROUGH'
}

//# nested bound functions
async function f (bot) {
  let g = () => 1; for (let i = 0; i < 1e5; i++) g = g.bind(null); g()
  return 'THROUGH'
}

//# nested groups
async function f (bot) {
  new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5)).test('a')
  return 'THROUGH'
}

//# a chain of promises | ends threw:, returned:, limit:memory, limit:steps, limit:seconds
async function f (bot) {
  let p = Promise.resolve(); for (let i = 0; i < 1e4; i++) { const q = p; p = Promise.resolve({ then: r => q.then(r) }) } await p
  return 'THROUGH'
}

//# a long concatenation | ends threw:, returned:, limit:memory, limit:steps, limit:seconds
async function f (bot) {
  (0, eval)('1' + '+1'.repeat(1e5))
  return 'THROUGH'
}

//# a deep error
async function f (bot) {
  let e = new Error('x'); for (let i = 0; i < 1e5; i++) e = new Error('x', { cause: e }); throw e
}
