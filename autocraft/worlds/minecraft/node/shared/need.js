'use strict'
/**
 * Find npm packages: `require` for the folder AUTOCRAFT_NODE_MODULES or, if it is not set, for the folder of our files.
 */
const { createRequire } = require('node:module')
const path = require('node:path')

const folder = process.env.AUTOCRAFT_NODE_MODULES

/** @type {Need} */
module.exports = folder ? createRequire(path.join(path.resolve(folder), 'from-here.js')) : require
