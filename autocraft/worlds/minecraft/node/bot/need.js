'use strict'
/**
 * `require` for the npm packages, which lie in the folder AUTOCRAFT_NODE_MODULES and not beside our files.
 * @type {Need}
 */
module.exports = require('node:module').createRequire(
  require('node:path').join(process.env.AUTOCRAFT_NODE_MODULES || '.', 'from-here.js')
)
