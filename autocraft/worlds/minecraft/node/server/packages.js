'use strict'
/** Finds npm packages in the folder that AUTOCRAFT_NODE_MODULES names, or beside this file when it is not set. */
const { createRequire } = require('module')
const path = require('path')

const folder = process.env.AUTOCRAFT_NODE_MODULES

module.exports = folder ? createRequire(path.join(path.resolve(folder), 'x.js')) : require
