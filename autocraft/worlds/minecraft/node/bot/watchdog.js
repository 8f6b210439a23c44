'use strict'
/**
 * Ends this process when its parent is gone, also while our own code is caught in a loop and cannot see stdin end.
 */
const { Worker, isMainThread, workerData } = require('node:worker_threads')

/** Start watching. @param {number} [grace] milliseconds to leave by itself @returns {void} */
function watchParent (grace = 1500) {
  new Worker(__filename, { workerData: { parent: process.ppid, grace } }).unref()
}

if (!isMainThread && workerData && workerData.parent) {
  setInterval(() => {
    if (process.ppid !== workerData.parent) setTimeout(() => process.kill(process.pid, 'SIGKILL'), workerData.grace)
  }, 300)
}

module.exports = { watchParent }
