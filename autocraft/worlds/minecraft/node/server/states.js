'use strict'
/** Translate between block states and names with properties. An integer property is counted from 0, as it is stored. */

/** @param {Registry} registry */
function createStates (registry) {
  /** @param {import('minecraft-data').StateProperty} property */
  const choices = (property) => property.type === 'bool' ? ['true', 'false'] : property.values

  /**
   * Return the state id of a block with the given properties. The others have their defaults.
   * @param {string} name @param {Properties} [given]
   */
  function state (name, given = {}) {
    const block = registry.blocksByName[name]
    if (!block) throw new Error(`no block is called ${name}`)
    const wanted = { ...properties(block.defaultState), ...given }
    let index = 0
    for (const property of block.states) {
      const value = wanted[property.name]
      const values = choices(property)
      index = index * property.num_values + (values ? values.indexOf(String(value)) : value)
    }
    return block.minStateId + index
  }

  /** @param {number} stateId @returns {Properties} */
  function properties (stateId) {
    const block = registry.blocksByStateId[stateId]
    let index = stateId - block.minStateId
    /** @type {Properties} */
    const found = {}
    for (const property of [...block.states].reverse()) {
      const value = index % property.num_values
      const values = choices(property)
      found[property.name] = values ? values[value] : value
      index = Math.floor(index / property.num_values)
    }
    return found
  }

  /** @param {number} stateId */
  const block = (stateId) => registry.blocksByStateId[stateId]
  /** @param {number} stateId */
  const name = (stateId) => registry.blocksByStateId[stateId].name
  return { state, properties, block, name }
}

module.exports = { createStates }
