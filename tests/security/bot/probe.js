'use strict'
/** Try what the bot's process must not do; print what each attempt got, empty where it was refused. */
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { spawnSync, execFileSync } = require('node:child_process')
const { Worker } = require('node:worker_threads')

const { bait, outside, kept, modules, service, port, parent } = JSON.parse(process.argv.at(-1))
const got = {}

function refused (error) {
  if (!/EACCES|EPERM|ERR_ACCESS_DENIED|ENOENT/.test(error.code)) got.other = String(error)
  return ''
}

function attempt (name, act) {
  try { got[name] = String(act() ?? 'done') } catch (error) { got[name] = refused(error) }
}

const reach = (name, to) => new Promise((resolve) => {
  const line = net.connect(to, () => { got[name] = 'connected'; line.destroy(); resolve() })
  line.on('error', (error) => { got[name] = refused(error); resolve() })
})

const inWorker = (name) => new Promise((resolve) => {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    let text = ''
    try { text = require('node:fs').readFileSync(workerData, 'utf8') } catch {}
    parentPort.postMessage(text)`
  const worker = new Worker(code, { eval: true, workerData: bait })
  worker.on('message', (text) => { got[name] = text; resolve() })
})

attempt('reads a file outside', () => fs.readFileSync(bait, 'utf8'))
attempt('reads it through a descriptor', () => fs.readSync(fs.openSync(bait), Buffer.alloc(9)))
attempt('lists a folder outside', () => fs.readdirSync(outside).length)
attempt('reads the list of users', () => fs.readFileSync('/etc/passwd', 'utf8').length)
attempt('reads the environment of its parent', () => fs.readFileSync(`/proc/${parent}/environ`).length)
attempt('reads a secret of its environment', () => process.env.PROBE_SECRET || '')
attempt('writes a file outside', () => fs.writeFileSync(path.join(outside, 'written'), 'x'))
attempt('changes a file outside', () => fs.appendFileSync(bait, 'x'))
attempt('makes a folder outside', () => fs.mkdirSync(path.join(outside, 'made')))
attempt('renames a file outside', () => { fs.renameSync(bait, `${bait}2`); fs.renameSync(`${bait}2`, bait) })
attempt('writes among the packages', () => {
  const to = path.join(modules, `probe-${process.pid}.js`)
  fs.writeFileSync(to, '')
  fs.unlinkSync(to)
})
attempt('starts a shell', () => {
  const done = spawnSync('/bin/sh', ['-c', 'echo shell'])
  if (done.error) throw done.error
  return done.stdout
})
attempt('starts another program', () => execFileSync('/bin/cat', [bait]))
attempt('signals its parent', () => process.kill(parent, 0))
attempt('writes where it may', () => fs.writeFileSync(path.join(kept, 'kept'), 'x'))
Promise.all([
  inWorker('reads it in a worker'),
  reach('talks to a service of this machine', { path: service }),
  reach('reaches a server', { port, host: 'localhost' })
]).then(() => {
  console.log(JSON.stringify(got))
  process.exit(0)
})
