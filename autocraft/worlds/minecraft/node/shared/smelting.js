'use strict'
/**
 * Tell what a furnace makes of an item, and for how many ticks a fuel burns. minecraft-data has neither; the tables of
 * `smelting.json` have today's names. One item takes 200 ticks.
 */
const { matching } = require('./matching')
const { fireproof, fuels, smelts } = require('./smelting.json')

const SMELT_TICKS = 200

/** @type {Record<string, string>} */
const SMELTS = smelts
const CHARCOAL = /^(?!crimson|warped).*_(log|wood)$/
const COLOURED_TERRACOTTA = new RegExp(
  '^(white|orange|magenta|light_blue|yellow|lime|pink|gray|light_gray|cyan|purple|blue|brown|green|red|black)' +
  '_terracotta$'
)
const MOLTEN = new RegExp(
  '^(iron|chainmail|golden|copper)_(sword|pickaxe|axe|shovel|hoe|spear|helmet|chestplate|leggings|boots)$'
)
/** @type {Record<string, string>} */
const NUGGETS = { golden: 'gold_nugget', copper: 'copper_nugget' }

/** How many ticks fuels burn; the first one that fits counts. @type {[number, RegExp][]} */
const FUELS = fuels.map(([ticks, names]) => [Number(ticks), matching(/** @type {string[]} */ (names))])
const FIREPROOF = matching(fireproof)

/** Return what a furnace makes of an item, or null. @param {string} name */
function smeltingResult (name) {
  if (Object.hasOwn(SMELTS, name)) return SMELTS[name]
  if (CHARCOAL.test(name)) return 'charcoal'
  if (COLOURED_TERRACOTTA.test(name)) return name.replace('terracotta', 'glazed_terracotta')
  const [, metal] = MOLTEN.exec(name) ?? []
  return metal ? NUGGETS[metal] ?? 'iron_nugget' : null
}

/** Return for how many ticks an item burns, or 0 if it does not. @param {string} name */
function burnTicks (name) {
  return FIREPROOF.test(name) ? 0 : FUELS.find(([, names]) => names.test(name))?.[0] ?? 0
}

module.exports = { SMELTS, SMELT_TICKS, burnTicks, smeltingResult }
