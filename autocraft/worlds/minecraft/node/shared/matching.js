'use strict'

/** Return a regular expression for names, in which * stands for anything. @param {string[]} patterns */
const matching = (patterns) => new RegExp(`^(${patterns.map((each) =>
  each.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')).join('|')})$`)

module.exports = { matching }
