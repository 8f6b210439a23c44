'use strict'
/** Tell what a broken block drops, and with which tool (facts of Minecraft 1.16, minecraft.wiki; no enchantments). */

const NOTHING = [
  'air', 'cave_air', 'void_air', 'water', 'lava', 'fire', 'soul_fire', 'bedrock', 'spawner', 'glass', 'ice', 'cake',
  'infested_stone', 'infested_cobblestone', 'farmland_moist', 'tall_seagrass', 'bubble_column', 'moving_piston',
  'piston_head', 'end_portal', 'nether_portal', 'glass_pane', 'attached_pumpkin_stem', 'attached_melon_stem'
]
/** @type {Record<string, string>} */
const OTHER = {
  stone: 'cobblestone', grass_block: 'dirt', mycelium: 'dirt', podzol: 'dirt', farmland: 'dirt', grass_path: 'dirt',
  coal_ore: 'coal', diamond_ore: 'diamond', emerald_ore: 'emerald', nether_quartz_ore: 'quartz', wall_torch: 'torch',
  redstone_wire: 'redstone', redstone_wall_torch: 'redstone_torch', tripwire: 'string', kelp_plant: 'kelp',
  bamboo_sapling: 'bamboo', pumpkin_stem: 'pumpkin_seeds', melon_stem: 'melon_seeds', sweet_berry_bush: 'sweet_berries',
  cocoa: 'cocoa_beans', crimson_nylium: 'netherrack', warped_nylium: 'netherrack'
}
/** @type {Record<string, [string, number, number]>} */
const MANY = {
  clay: ['clay_ball', 4, 4], glowstone: ['glowstone_dust', 2, 4], melon: ['melon_slice', 3, 7],
  bookshelf: ['book', 3, 3], lapis_ore: ['lapis_lazuli', 4, 9], redstone_ore: ['redstone', 4, 5],
  nether_gold_ore: ['gold_nugget', 2, 6], snow_block: ['snowball', 4, 4], ender_chest: ['obsidian', 8, 8],
  sea_lantern: ['prismarine_crystals', 2, 3]
}
const SHEARED = new Set([
  'grass', 'fern', 'tall_grass', 'large_fern', 'vine', 'dead_bush', 'seagrass', 'cobweb', 'nether_sprouts'
])
/** @type {Record<string, [string, string, number]>} */
const CROPS = {
  wheat: ['wheat', 'wheat_seeds', 7], carrots: ['carrot', 'carrot', 7], potatoes: ['potato', 'potato', 7],
  beetroots: ['beetroot', 'beetroot_seeds', 3]
}

/**
 * @param {{name: string}} block @param {Properties} properties of its state @param {string} tool the name of what is in
 * the hand, or ''
 * @param {import('../random').Random} random @param {Set<string>} items every name of an item
 * @returns {Array<{name: string, count: number}>}
 */
function drops (block, properties, tool, random, items) {
  const { name } = block
  /** @param {string} item */
  const one = (item, count = 1) => count > 0 ? [{ name: item, count }] : []
  if (
    NOTHING.includes(name) ||
    name.startsWith('infested_') ||
    name.endsWith('_stained_glass') ||
    name.endsWith('_glass_pane')
  ) {
    return []
  }
  if (CROPS[name]) return cropDrops(CROPS[name], properties.age, random, one)
  if (name.endsWith('_leaves')) return leafDrops(name, tool, random, one)
  if (SHEARED.has(name)) {
    if (tool === 'shears') return one(name === 'tall_grass' ? 'grass' : name === 'large_fern' ? 'fern' : name)
    if (name === 'cobweb') return one('string')
    if (name === 'dead_bush') return one('stick', random.int(3))
    return /grass|fern/.test(name) && name !== 'seagrass' && random.chance(0.125) ? one('wheat_seeds') : []
  }
  if (name === 'gravel') return one(random.chance(0.1) ? 'flint' : 'gravel')
  if (name === 'snow') return one('snowball', properties.layers + 1)
  if (name.endsWith('_bed')) return properties.part === 'head' ? one(name) : []
  if (name.endsWith('_door') || name === 'sunflower' || name === 'lilac' || name === 'rose_bush' || name === 'peony') {
    return properties.half === 'lower' ? one(name) : []
  }
  if (name.endsWith('_slab') && properties.type === 'double') return one(name, 2)
  if (name.startsWith('potted_')) return [...one('flower_pot'), ...one(name.slice(7))]
  if (MANY[name]) return one(MANY[name][0], random.between(MANY[name][1], MANY[name][2]))
  const item = OTHER[name] ?? name.replace('_wall_sign', '_sign').replace('_wall_banner', '_banner')
  return items.has(item) ? one(item) : []
}

/**
 * @param {[string, string, number]} crops @param {number} age @param {Random} random
 * @param {(item: string, count?: number) => Stack[]} one
 */
function cropDrops ([crop, seed, ripe], age, random, one) {
  if (age < ripe) return one(seed)
  let seeds = crop === seed ? 1 : 0
  for (let i = 0; i < 3; i++) if (random.chance(0.5714286)) seeds++
  return crop === seed ? one(crop, seeds + 1) : [...one(crop), ...one(seed, seeds)]
}

/**
 * @param {string} name @param {string} tool @param {Random} random
 * @param {(item: string, count?: number) => Stack[]} one
 */
function leafDrops (name, tool, random, one) {
  if (tool === 'shears') return one(name)
  const kind = name.slice(0, -'_leaves'.length)
  const found = []
  if (random.chance(kind === 'jungle' ? 0.025 : 0.05)) found.push(...one(`${kind}_sapling`))
  if (random.chance(0.02)) found.push(...one('stick', random.between(1, 2)))
  if ((kind === 'oak' || kind === 'dark_oak') && random.chance(0.005)) found.push(...one('apple'))
  return found
}

module.exports = { drops }
