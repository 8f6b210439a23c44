'use strict'
/** Check the options with which the server starts. */
const cut = require('../shared/cut')
const { Fault } = require('../shared/fault')

const MOST = Number.MAX_SAFE_INTEGER

/**
 * For each option: its default, a function that tells whether a value is valid, and the words for valid values.
 * @type {Record<string, [any, (v: any) => boolean, string]>}
 */
const KINDS = {
  port: [0, (v) => Number.isInteger(v) && v >= 0 && v <= 65535, 'a port from 0 to 65535'],
  seed: [1, (v) => Number.isSafeInteger(v), `a whole number from -${MOST} to ${MOST}`],
  speed: [1, (v) => typeof v === 'number' && v >= 0 && v <= 1000, 'a number from 0 (as fast as it goes) to 1000'],
  folder: [null, (v) => v === null || (typeof v === 'string' && v !== ''), 'the path of a folder'],
  freeze: [false, (v) => typeof v === 'boolean', 'true or false'],
  cheats: [false, (v) => typeof v === 'boolean', 'true or false'],
  mobs: [true, (v) => typeof v === 'boolean', 'true or false'],
  distance: [5, (v) => Number.isInteger(v) && v >= 2 && v <= 10, 'a number of chunks from 2 to 10']
}

/** @param {object} given @returns {ServerOptions} every option @throws {Fault} one line that says what to change */
function readOptions (given) {
  /** @type {any} */
  const options = {}
  for (const [name, [fallback]] of Object.entries(KINDS)) options[name] = fallback
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(KINDS, name)) {
      throw new Fault(
        `no option is called ${cut(JSON.stringify(name), 40)}; there are: ${Object.keys(KINDS).join(', ')}`, 'invalid'
      )
    }
    checkOption(name, value)
    options[name] = value
  }
  return options
}

/** @param {string} name @param {any} value @throws {Fault} if the value does not fit the option */
function checkOption (name, value) {
  const [, fits, words] = KINDS[name]
  if (!fits(value)) throw new Fault(`${name} must be ${words}`, 'invalid')
}

module.exports = { readOptions, checkOption }
