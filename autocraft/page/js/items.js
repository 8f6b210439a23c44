/**
 * Draw our own picture of an item: a tile in a colour that its name suggests, with letters of the name. The upper part
 * takes its colour from the material (oak, iron, red), the stripe below from the last word (planks, stairs). So items
 * of one material look similar, but not the same.
 */

/** @type {Record<string, number[]>} */
const MATERIALS = {
  white: [0, 0, 92], light_gray: [0, 0, 70], gray: [0, 0, 42], black: [240, 8, 18], brown: [25, 50, 32],
  red: [2, 65, 45], orange: [26, 90, 53], yellow: [48, 92, 58], lime: [86, 65, 45], green: [95, 50, 30],
  cyan: [186, 70, 37], light_blue: [199, 75, 62], blue: [226, 55, 42], purple: [278, 55, 44],
  magenta: [308, 50, 52], pink: [340, 70, 76],
  dark_oak: [26, 50, 22], oak: [37, 42, 54], spruce: [28, 42, 34], birch: [46, 48, 72], jungle: [22, 42, 54],
  acacia: [18, 62, 46], crimson: [338, 45, 36], warped: [176, 50, 36], bamboo: [78, 55, 42], stick: [30, 45, 38],
  blackstone: [260, 8, 20], sandstone: [47, 45, 72], red_sand: [24, 65, 48], sand: [47, 45, 72],
  glowstone: [42, 75, 62], redstone: [2, 85, 42], netherite: [300, 8, 26], nether: [355, 45, 26],
  end_stone: [60, 45, 76], cobblestone: [0, 0, 50], andesite: [100, 2, 56], granite: [16, 32, 52], diorite: [0, 0, 82],
  stone: [0, 0, 56], iron: [20, 12, 80], golden: [48, 92, 56], gold: [48, 92, 56], diamond: [176, 70, 62],
  emerald: [142, 68, 46], lapis: [222, 65, 42], quartz: [24, 22, 88], coal: [0, 0, 18], prismarine: [166, 32, 46],
  purpur: [300, 26, 60], obsidian: [262, 35, 16], brick: [10, 45, 44], clay: [220, 14, 66], leather: [20, 58, 42],
  ice: [208, 75, 78], snow: [200, 30, 95], wheat: [46, 58, 52], bone: [48, 22, 86], glass: [196, 38, 86]
}

/**
 * Return the colour [hue, saturation, lightness] of an item: that of its longest material, or one computed from its
 * name.
 * @param {string} item
 */
function colourOf (item) {
  let best = ''
  for (const name of Object.keys(MATERIALS)) {
    if (name.length > best.length && `_${item}_`.includes(`_${name}`)) best = name
  }
  return best ? MATERIALS[best] : [hashOf(item) % 360, 40, 50]
}

/** @param {string} text */
function hashOf (text) {
  let hash = 7
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0
  return hash
}

/**
 * Return the letters for an item: "oak_planks" -> "OP", "stick" -> "St", "stripped_dark_oak_log" -> "SDL".
 * @param {string} item
 */
function lettersOf (item) {
  const words = item.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  if (words.length === 0) return '?'
  if (words.length === 1) return [...words[0]].slice(0, 2).join('').replace(/^./u, (char) => char.toUpperCase())
  const first = words.map((word) => [...word][0].toUpperCase())
  return (first.length > 3 ? [first[0], first[1], first.at(-1)] : first).join('')
}

/**
 * Return the tile of `count` items, 16 units wide, with its corner at (x, y).
 * @param {string} item @param {number} count @param {number} x @param {number} y
 */
function tile (item, count, x, y) {
  const [hue, saturation, lightness] = colourOf(item)
  const stripe = hashOf(item.split('_').at(-1) ?? '') % 360
  const dark = lightness < 52
  const letters = lettersOf(item)
  return make('g', { transform: `translate(${x} ${y})`, class: 'item' },
    make('rect', { width: 16, height: 16, rx: 2, fill: `hsl(${hue} ${saturation}% ${lightness}%)` }),
    make('rect', { x: 1, y: 1, width: 14, height: 1.6, rx: 0.8, fill: `hsl(${stripe} 60% ${dark ? 68 : 38}%)` }),
    make('text', { x: 8, y: 9.4, 'text-anchor': 'middle', 'font-size': letters.length > 2 ? 5.8 : 7,
      class: 'letters', fill: dark ? '#fff' : '#111' }, letters),
    count > 1 ? make('text', { x: 15.6, y: 15.4, 'text-anchor': 'end', class: 'count' }, count) : [])
}

/**
 * Return the row of a list for `count` items: picture, name and count.
 * @param {string} item @param {number} count
 */
function itemRow (item, count) {
  const picture = make('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, tile(item, 1, 0, 0))
  return make('li', {}, picture, make('span', {}, item), make('span', { class: 'number' }, count))
}
