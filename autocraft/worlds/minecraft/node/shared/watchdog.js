'use strict'
/**
 * End this process when its parent is gone, also while our own code is caught in a loop and cannot see that stdin has
 * ended. End it as well when our own code works too long without a pause. That work is counted in processor time, so
 * that a slow or busy machine ends no healthy process.
 */
const { writeSync } = require('node:fs')
const { Worker, isMainThread, workerData } = require('node:worker_threads')

const BEAT = 250 // milliseconds between two signs of life of the main thread
const WORK = 30 // seconds of processor time in which the main thread must give a sign of life

/** Start to watch. @param {{grace?: number, work?: number}} [limits] milliseconds to leave by itself; see WORK */
function watch ({ grace = 1500, work = WORK } = {}) {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  setInterval(() => Atomics.add(beats, 0, 1), BEAT).unref()
  new Worker(__filename, { workerData: { parent: process.ppid, grace, work, beats } }).unref()
}

/**
 * End the process, and say why on a separate line, since the main thread may have been stopped in the middle of one.
 * @param {number} seconds
 */
function endHung (seconds) {
  const why = `it worked for ${seconds} seconds without a pause and was ended`
  try { writeSync(1, `\n${JSON.stringify({ event: 'hung', why })}\n`) } catch {}
  process.kill(process.pid, 'SIGKILL')
}

if (!isMainThread && workerData && workerData.parent) {
  /** @type {{parent: number, grace: number, work: number, beats: Int32Array}} */
  const { parent, grace, work, beats } = workerData
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6 }
  let last = { beat: 0, used: used() }
  setInterval(() => {
    if (process.ppid !== parent) setTimeout(() => process.kill(process.pid, 'SIGKILL'), grace)
    const now = { beat: Atomics.load(beats, 0), used: used() }
    if (now.beat !== last.beat) last = now
    else if (now.used - last.used > work) endHung(work)
  }, 300)
}

module.exports = { watch }
