// Programs that never end, or never stop calling.

//# for | control 5000000
async function f (bot) {
  for (let i = 0; i < BOUND; i++);
  return 'THROUGH'
}

//# while in an arrow function | control 5000000
async function f (bot) {
  (() => { let i = 0; while (i < BOUND) i++ })()
  return 'THROUGH'
}

//# outside the main function | control 5000000
for (let i = 0; i < BOUND; i++);
async function f (bot) { return 'THROUGH' }

//# awaiting nothing | control 1000000
async function f (bot) {
  for (let i = 0; i < BOUND; i++) await null
  return 'THROUGH'
}

//# microtasks that make each other | control 200000
async function f (bot) {
  let i = 0; await new Promise(r => { const g = () => i++ < BOUND ? Promise.resolve().then(g) : r(); g() })
  return 'THROUGH'
}

//# microtasks, two for one | ends limit:memory, limit:steps, limit:seconds | control 100000
async function f (bot) {
  let i = 0; await new Promise(r => { const g = () => { if (i++ > BOUND) return r(); Promise.resolve().then(g); Promise.resolve().then(g) }; g() })
  return 'THROUGH'
}

//# catching everything | control 5000
async function f (bot) {
  for (let i = 0; i < BOUND; i++) { try { for (let j = 0; j < BOUND; j++); } catch {} finally { i++; continue } }
  return 'THROUGH'
}

//# catching everything in a promise | control 5000
async function f (bot) {
  const g = async () => { for (let i = 0; i < BOUND; i++); }; for (let k = 0; k < BOUND; k++) await g().catch(g).finally(g).catch(() => {})
  return 'THROUGH'
}

//# a generator | control 5000000
async function f (bot) {
  function * g () { for (let i = 0; i < BOUND; i++) yield i }; for (const x of g());
  return 'THROUGH'
}

//# an async generator | control 500000
async function f (bot) {
  async function * g () { for (let i = 0; i < BOUND; i++) yield i }; for await (const x of g());
  return 'THROUGH'
}

//# a getter | control 5000000
async function f (bot) {
  const o = { get x () { for (let i = 0; i < BOUND; i++); return 1 } }; o.x
  return 'THROUGH'
}

//# a Proxy | control 5000000
async function f (bot) {
  const p = new Proxy({}, { get () { for (let i = 0; i < BOUND; i++); } }); p.x
  return 'THROUGH'
}

//# toJSON of an argument | control 5000000
async function f (bot) {
  bot.read('echo', { toJSON () { for (let i = 0; i < BOUND; i++); return 1 } })
  return 'THROUGH'
}

//# toString of a chat line | control 5000000
async function f (bot) {
  bot.chat({ toString () { for (let i = 0; i < BOUND; i++); return '' } })
  return 'THROUGH'
}

//# toJSON of what is returned | control 5000000
async function f (bot) {
  return { toJSON () { for (let i = 0; i < BOUND; i++); return 'THROUGH' } }
}

//# then of what is returned | control 5000000
async function f (bot) {
  return { then (r) { for (let i = 0; i < BOUND; i++); r('THROUGH') } }
}

//# message of what is thrown | control 5000000
async function f (bot) {
  throw { get message () { for (let i = 0; i < BOUND; i++); return 'THROUGH' } }
}

//# a comparison | control 5000000
async function f (bot) {
  let i = 0; const a = Array.from({ length: 1000 }, (_, k) => k); while (i < BOUND) a.sort(() => { i++; return 1 })
  return 'THROUGH'
}

//# a regular expression | control 22
async function f (bot) {
  /^(a+)+$/.test('a'.repeat(Math.min(BOUND, 60)) + 'b')
  return 'THROUGH'
}

//# nested quantifiers | control 24
async function f (bot) {
  /^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(Math.min(BOUND, 60)))
  return 'THROUGH'
}

//# iterating without an end | ends limit:memory, limit:steps, limit:seconds | control 1000000
async function f (bot) {
  let i = 0; const o = { [Symbol.iterator]: () => ({ next: () => ({ done: i++ > BOUND }) }) }; Array.from(o)
  return 'THROUGH'
}

//# replacing in a text | control 1000000
async function f (bot) {
  let i = 0; while (i < BOUND) 'aaaa'.replace(/a/g, () => { i++; return 'b' })
  return 'THROUGH'
}

//# reviving JSON | control 500000
async function f (bot) {
  let i = 0; while (i < BOUND) JSON.parse('[1,2,3,4]', () => { i++ })
  return 'THROUGH'
}

//# after the end of main | control 5000000
async function f (bot) {
  (async () => { await bot.act('wait'); for (let i = 0; i < BOUND; i++); bot.chat('THROUGH') })(); return 1
}

//# between two effects | control 5000000
async function f (bot) {
  for (let k = 0; k < 3; k++) { await bot.act('wait'); for (let i = 0; i < BOUND; i++); }
  return 'THROUGH'
}

//# one step that is long in itself | control 5000000
async function f (bot) {
  new Array(Math.min(BOUND, 2 ** 32 - 1)).indexOf(1)
  return 'THROUGH'
}

//# reading without an end | ends limit:calls | control 100000
async function f (bot) {
  for (let i = 0; i < BOUND; i++) bot.read('echo', i)
  return 'THROUGH'
}

//# acting without an end | ends limit:calls | control 100000
async function f (bot) {
  for (let i = 0; i < BOUND; i++) bot.act('wait')
  return 'THROUGH'
}

//# acting and waiting without an end | ends limit:calls | control 100000
async function f (bot) {
  for (let i = 0; i < BOUND; i++) await bot.act('wait').catch(() => {})
  return 'THROUGH'
}

//# a million calls | ends limit:calls
async function f (bot) {
  for (let i = 0; i < 1e6; i++) bot.read('echo', i)
  return 'THROUGH'
}

//# chatting without an end | ends limit:output | control 100000
async function f (bot) {
  for (let i = 0; i < BOUND; i++) bot.chat('')
  return 'THROUGH'
}

//# one endless chat line | ends limit:output | control 3
async function f (bot) {
  bot.chat('x'.repeat(Math.min(BOUND, 5e6))); for (let i = 0; i < BOUND; i++) bot.chat('x'.repeat(1e5))
  return 'THROUGH'
}

//# returning too much | ends limit:output
async function f (bot) {
  return 'x'.repeat(100000) + 'THROUGH'
}

//# never resolving | ends limit:nothing left to wait for | shows silence
async function f (bot) {
  await new Promise(() => {})
  return 'THROUGH'
}

//# a then that never calls back | ends limit:nothing left to wait for | shows silence
async function f (bot) {
  await { then () {} }
  return 'THROUGH'
}

//# waiting for itself | ends limit:nothing left to wait for, threw: | shows silence
async function f (bot) {
  let p; p = (async () => { await null; await p })(); await p
  return 'THROUGH'
}
