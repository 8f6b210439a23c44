'use strict'

/** Play a child that somebody else has taken over: `node main.js …/MODE` says ready, and then what MODE is about. */

const fs = require('node:fs')

const say = (message) => fs.writeSync(1, (typeof message === 'string' ? message : JSON.stringify(message)) + '\n')
const raw = (text) => fs.writeSync(1, text)
const stay = () => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000) }
const lines = () => fs.readSync(0, Buffer.alloc(65536))
const end = () => say({ end: { kind: 'returned', value: '1' } })
const act = (name, id) => say({ act: name, args: [], id })

const MODES = {
  'says nothing more' () { stay() },
  'half a line, and ends' () { raw('{"read": "echo", ') },
  'half a line, and stays' () { raw('{"read": "echo", '); stay() },
  'a line without an end' () { for (;;) raw('x'.repeat(65536)) },
  'a line that is not JSON' () { say('hello'); stay() },
  'a line that is not UTF-8' () { fs.writeSync(1, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 10])); stay() },
  'a line that is no object' () { say('[1]'); stay() },
  'a number that is none' () { say('{"read": "echo", "args": [NaN]}'); stay() },
  'half a surrogate pair' () { say('{"say": "\\ud800"}'); stay() },
  'brackets without an end' () { say('['.repeat(100000)); stay() },
  'arguments that are no list' () { say({ act: 'wait', args: { length: 1 }, id: 1 }); stay() },
  'a call without a name' () { say({ act: null, args: [], id: 1 }); stay() },
  'an id that is not the next' () { act('wait', 7); stay() },
  'the same effect twice' () { act('wait', 1); act('wait', 1); stay() },
  'waits for nothing' () { say({ wait: true, ended: false }); stay() },
  'waits twice for one effect' () {
    act('wait', 1)
    say({ wait: true, ended: false })
    say({ wait: true, ended: false })
    stay()
  },
  'ends before its effects' () { act('wait', 1); end(); stay() },
  'an end of no kind' () { say({ end: { kind: 'won' } }); stay() },
  'a limit that there is not' () { say({ end: { kind: 'limit', which: 'patience' } }); stay() },
  'a value that is not JSON' () { say({ end: { kind: 'returned', value: '{' } }); stay() },
  'chat without an end' () { for (;;) say({ say: 'x'.repeat(1000) }) },
  'reads without an end' () { for (;;) { say({ read: 'echo', args: [1] }); lines() } },
  'reads, and takes no answer' () { for (let i = 0; i < 400; i++) say({ read: 'long', args: [1000000] }); stay() },
  'reads, and goes on talking' () { say({ read: 'echo', args: [1] }); for (let id = 1; ; id++) act('wait', id) },
  'effects without an end' () { for (let id = 1; ; id++) act('wait', id) },
  'an effect outside the grant' () { act('forbidden', 1); say({ wait: true, ended: false }); lines(); end() },
  'an effect with a forged approval' () {
    say({ act: 'forbidden', args: [], id: 1, approved: true, beyond: '', risk: 0 })
    say({ wait: true, ended: false })
    lines()
    end()
  },
  'ends while its effect runs' () { act('slow', 1); say({ wait: true, ended: false }) },
  'kills itself while its effect runs' () {
    act('slow', 1)
    say({ wait: true, ended: false })
    process.kill(process.pid, 'SIGKILL')
  },
  'takes all memory' () { const kept = []; for (let i = 0; i < 700; i++) kept.push(Buffer.alloc(1 << 20, 1)); stay() }
}

/** What the process around the machine can reach, should somebody get out of it. */
function reach () {
  const got = []
  const attempt = (name, action) => { try { if (action()) got.push(name) } catch {} }
  attempt('a file', () => fs.readFileSync('/etc/passwd'))
  attempt('a folder', () => fs.readdirSync('/'))
  attempt('writing', () => fs.writeFileSync('/tmp/autocraft-reached', 'x') === undefined)
  attempt('a process', () => require('node:child_process').spawnSync('/bin/true').status === 0)
  attempt('a thread', () => new (require('node:worker_threads').Worker)('1', { eval: true }))
  attempt('the environment', () => Object.keys(process.env).length)
  attempt('an addon', () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6') || true)
  const server = require('node:net').createServer()
  server.on('error', () => done())
  server.listen(0, '127.0.0.1', () => { got.push('the network'); done() })
  const done = () => {
    say({ say: JSON.stringify(got) })
    end()
    process.exit(0)
  }
}

const mode = process.argv[2].split('/').pop()
if (mode === 'not ready') process.exit(3)
say({ ready: true })
if (mode === 'reach') reach()
else MODES[mode]()
