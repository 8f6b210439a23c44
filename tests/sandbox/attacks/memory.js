// Programs that take memory without an end.

//# strings that double | control 60
async function f (bot) {
  let s = 'x'; const kept = []; for (let i = 0; i < BOUND; i++) { s = s.length < 1e6 ? s + s : s; kept.push(s + i) } kept.join('')
  return 'THROUGH'
}

//# a long text | control 60
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) kept.push('x'.repeat(1e6) + i); kept.join('')
  return 'THROUGH'
}

//# padding | control 60
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) kept.push(''.padEnd(1e6, 'abc' + i)); kept.join('')
  return 'THROUGH'
}

//# an array | control 5000000
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) kept.push(i)
  return 'THROUGH'
}

//# arrays in arrays | control 20000
async function f (bot) {
  let kept = []; for (let i = 0; i < BOUND; i++) kept = [kept, kept.slice(), new Array(1000).fill(i)]
  return 'THROUGH'
}

//# a filled array | control 10000000
async function f (bot) {
  new Array(Math.min(BOUND, 2e8)).fill(0)
  return 'THROUGH'
}

//# objects | control 500000
async function f (bot) {
  const kept = {}; for (let i = 0; i < BOUND; i++) kept['k' + i] = { i }
  return 'THROUGH'
}

//# a Map | control 500000
async function f (bot) {
  const kept = new Map(); for (let i = 0; i < BOUND; i++) kept.set(i, [i])
  return 'THROUGH'
}

//# buffers | control 60
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) kept.push(new ArrayBuffer(1 << 20).slice(1))
  return 'THROUGH'
}

//# one buffer | control 60000000
async function f (bot) {
  new Uint8Array(Math.min(BOUND, 1e9)).fill(1)
  return 'THROUGH'
}

//# a growing buffer | ends limit:memory, limit:steps, limit:seconds, threw: | control 60000000
async function f (bot) {
  const b = new ArrayBuffer(0, { maxByteLength: Math.min(BOUND, 1e9) }); b.resize(b.maxByteLength)
  return 'THROUGH'
}

//# functions | control 2000
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) kept.push(new Function('return [' + '1,'.repeat(1000) + i + ']'))
  return 'THROUGH'
}

//# closures | control 50000
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) { const a = new Array(100).fill(i); kept.push(() => a) }
  return 'THROUGH'
}

//# promises | control 100000
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) kept.push(new Promise(() => {}).then(() => i))
  return 'THROUGH'
}

//# a big integer | ends limit:memory, limit:steps, limit:seconds, threw: | control 16
async function f (bot) {
  let z = 3n; for (let i = 0; i < Math.min(BOUND, 60); i++) z = z * z
  return 'THROUGH'
}

//# many captures | control 5000
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) kept.push(new RegExp('(a)'.repeat(200) + i))
  return 'THROUGH'
}

//# symbols | control 200000
async function f (bot) {
  const kept = {}; for (let i = 0; i < BOUND; i++) kept[Symbol('s'.repeat(100) + i)] = i
  return 'THROUGH'
}

//# catching each failure | control 60
async function f (bot) {
  const kept = []; for (let i = 0; i < BOUND; i++) { try { kept.push('x'.repeat(1e6) + i) } catch {} } kept.join('')
  return 'THROUGH'
}

//# spreading | ends limit:memory, limit:steps, limit:seconds, threw: | control 50000
async function f (bot) {
  Math.max(...new Array(Math.min(BOUND, 1e7)).fill(1))
  return 'THROUGH'
}

//# effects that pile up | ends limit:queue, limit:memory, limit:steps, limit:seconds | control 2000
async function f (bot) {
  for (let i = 0; i < BOUND; i++) bot.act('wait', 'x'.repeat(100000))
  return 'THROUGH'
}

//# arguments too long to send | ends threw: | control 2000000
async function f (bot) {
  bot.read('echo', 'x'.repeat(Math.min(BOUND, 4e6)))
  return 'THROUGH'
}

//# a name too long to send | ends threw: | control 2000000
async function f (bot) {
  bot.read('x'.repeat(Math.min(BOUND, 4e6)))
  return 'THROUGH'
}

//# a message too long to send | ends threw: | control 2000000
async function f (bot) {
  throw new Error('THROUGH' + 'x'.repeat(Math.min(BOUND, 4e6)))
}
