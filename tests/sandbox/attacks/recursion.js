// Programs that call themselves until the stack ends; without a limit of its own it ends the process.

//# a function
async function f (bot) {
  const g = n => n && 1 + g(n - 1); g(BOUND)
  return 'THROUGH'
}

//# two functions
async function f (bot) {
  const g = n => n && 1 + h(n - 1), h = n => n && 1 + g(n - 1); g(BOUND)
  return 'THROUGH'
}

//# a getter
async function f (bot) {
  const o = { get x () { return 1 + this.x } }; o.x
  return 'THROUGH'
}

//# a Proxy
async function f (bot) {
  const p = new Proxy({}, { get (t, k, r) { return 1 + r.x } }); p.x
  return 'THROUGH'
}

//# toString
async function f (bot) {
  const o = { toString () { return '' + o } }; String(o)
  return 'THROUGH'
}

//# toPrimitive
async function f (bot) {
  const o = { [Symbol.toPrimitive] () { return +o } }; +o
  return 'THROUGH'
}

//# a constructor
async function f (bot) {
  class A { constructor () { this.a = new A() } }; new A()
  return 'THROUGH'
}

//# a comparison
async function f (bot) {
  const g = () => [2, 1].sort(g); g()
  return 'THROUGH'
}

//# a callback
async function f (bot) {
  const g = () => [1].map(g); g()
  return 'THROUGH'
}

//# apply
async function f (bot) {
  function g () { return g.apply(this, arguments) + 1 }; g(1, 2, 3)
  return 'THROUGH'
}

//# Reflect
async function f (bot) {
  const g = () => Reflect.apply(g, null, []) + 1; g()
  return 'THROUGH'
}

//# replace
async function f (bot) {
  const g = () => 'a'.replace(/a/, g); g()
  return 'THROUGH'
}

//# a reviver
async function f (bot) {
  const g = () => JSON.parse('[1]', g); g()
  return 'THROUGH'
}

//# eval
async function f (bot) {
  globalThis.g = () => (0, eval)('g()') + 1; globalThis.g()
  return 'THROUGH'
}

//# a tagged template
async function f (bot) {
  const g = () => g`x` + 1; g()
  return 'THROUGH'
}

//# an argument's toJSON
async function f (bot) {
  const o = { toJSON () { return JSON.stringify(o) } }; bot.read('echo', JSON.stringify(o))
  return 'THROUGH'
}
