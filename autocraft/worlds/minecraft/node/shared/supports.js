'use strict'
/** Tell what carries a block that breaks without it. */
const { matching } = require('./matching')
const { behind, below } = require('./supports.json')

const BEHIND = matching(behind)
const BELOW = matching(below)

/** Return where a block needs another one, 'below' or 'behind', or '' if it needs none. @param {string} name */
const supportOf = (name) => BEHIND.test(name) ? 'behind' : BELOW.test(name) ? 'below' : ''

module.exports = { supportOf }
