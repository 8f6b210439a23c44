/**
 * Draw our own picture of an item, eight pixels wide. Its form comes from the last words of its name (planks, pickaxe),
 * its colour from the material (oak, iron, red). An item of no known form is a tile with letters of its name.
 */

/**
 * Form -> its eight rows. a is the colour of the material, b and c are darker and lighter, h is wood, s is stone,
 * d is dark, f is fire, l is leaves, and w is white.
 * @type {Record<string, string>}
 */
const FORMS = {
  pickaxe: '.caaaa.. ...dhaa. ...hhbaa ..hh.dba .hh...ba hh....ba h......b ........',
  axe: '..caa... .caaah.. .aaahh.. .aabha.. .b.hh... ..hh.... .hh..... hh......',
  shovel: '.....caa ....caab ....hab. ...hhb.. ..hh.... .hh..... hhh..... .h......',
  hoe: '..caaa.. ..b.hab. ...hhb.. ...hh... ..hh.... .hh..... hh...... h.......',
  sword: '......ca .....cab ....cab. b..cab.. bbcab... .bab.... hhbb.... hh......',
  stick: '........ ......a. .....ab. ....ab.. ...ab... ..ab.... .ab..... ........',
  log: '.cccccc. cabbbbac babaabab babbabab babaabab bcabbacb bbaaaabb .bbbbbb.',
  wood: 'abaababa abaababa abbababa aababbaa abababba abababab aababbab abaababa',
  planks: 'aaaacaaa aaaabaaa bbbbbbbb caaaaaac aaaaaaab bbbbbbbb aacaaaaa bbbbbbbb',
  crafting_table: '.hhhhhh. hchchchh hhhhhhhh hbbhhbbh hbhhhhbh hbbhhbhh hhhhhhhh h.h..h.h',
  furnace: 'ssssssss sddddds. sdsssdss ssssssss sddddddd sdffffds sdfffffs ssssssss',
  chest: '........ hhhhhhhh hbbbbbbh hhhwwhhh dddwwddd hbbbbbbh hbbbbbbh hhhhhhhh',
  barrel: '.hhhhhh. hbhbbhbh ssssssss hbhbbhbh hbhbbhbh ssssssss hbhbbhbh .hhhhhh.',
  torch: '........ ...ff... ...ff... ...hh... ...hh... ...hh... ...hh... ...hh...',
  ladder: 'h......h hhhhhhhh h......h hhhhhhhh h......h hhhhhhhh h......h h......h',
  slab: '........ ........ ........ ........ cccccccc aaaaaaaa aabaaaba bbbbbbbb',
  stairs: 'cccc.... aaaa.... abaa.... aaab.... aaaacccc abaaaaaa aaaabaab bbbbbbbb',
  fence: '.cc..cc. .aa..aa. cccccccc aaaaaaaa .aa..aa. cccccccc aaaaaaaa .aa..aa.',
  fence_gate: 'cc....cc aa....aa aaccccaa aaaaaaaa aab..baa aaccccaa aaaaaaaa aa....aa',
  wall: '........ ..cccc.. ..aaaa.. ccaaaacc aaabaaaa abaaaaba aaaabaaa bbbbbbbb',
  door: '.aaaaaa. .awaawa. .abaaba. .aaaaaa. .aaaada. .abaaba. .abaaba. .aaaaaa.',
  trapdoor: '........ aaaaaaaa a.aaaa.a a.a..a.a aaaaaaaa a.a..a.a a.aaaa.a aaaaaaaa',
  pressure_plate: '........ ........ ........ ........ ........ .cccccc. aaaaaaaa bbbbbbbb',
  button: '........ ........ ........ ..cccc.. ..aaaa.. ..bbbb.. ........ ........',
  sign: 'aaaaaaaa abbbbaba aaaaaaaa abbabbba aaaaaaaa ...hh... ...hh... ...hh...',
  boat: '........ ........ a......a ab....ba aabbbbaa caaaaaac .caaaac. ........',
  bed: '........ ........ ........ wwwaaaaa wwwaaaaa hhhhhhhh h......h h......h',
  ore: 'ssssssss saasssss sabsssas ssssaabs sasssbss sabsaass sssssabs ssssssss',
  cobblestone: 'aaabcaab acabaaab aaabbbba bbbcaaba caabaabb aaabbbca abbcaabc bcaaabaa',
  stone: 'aaaaaaca acaaaaaa aaabbaaa aaaaaaaa baaaacca aaaaaaaa aaccaaba aaaaaaaa',
  bricks: 'aaabaaaa aaabaaaa bbbbbbbb aaaaaaba aaaaaaba bbbbbbbb aabaaaaa bbbbbbbb',
  sand: 'cacaaaca aaacabaa abaaaaac acaacaaa aaabaaba caaaacaa aabaaaca acaacaaa',
  block: 'cccccccb caaaaaab caaaaaab caacaaab caaaaaab caaaaaab caaaaaab bbbbbbbb',
  wool: 'acaacaac caacaaca aabaabaa acaacaac baabaaba caacaaca aabaabaa acaacaac',
  carpet: '........ ........ ........ ........ ........ acaacaac aabaabaa bbbbbbbb',
  glass: 'aaaaaaaa a.c....a ac.....a a.....ca a....c.a a......a a......a aaaaaaaa',
  glass_pane: '...aa... ...aa... ...ca... ...aa... ...aa... ...ac... ...aa... ...aa...',
  sapling: '...ll... ..llll.. .lllldl. .lldlll. ..lhhl.. ...hh... ...hh... ...h....',
  leaves: 'lldlllld dlllldll lldllldl ldlldlll llllldld dlldllll lldllldl llldllld',
  ingot: '........ ........ ...ccca. .ccaaab. caaaabb. aaabbb.. bbb..... ........',
  nugget: '........ ........ ...ca... ..caab.. ..aaab.. ...bb... ........ ........',
  gem: '........ ..cccc.. .cacaab. caaaaaab .aacaab. ..aaab.. ...ab... ........',
  lump: '........ ..caa... .caaaab. .aaabab. caabaaab aaaaabb. .abbbb.. ........',
  dust: '........ ........ ....c... ..a..a.. ...caa.. .a.aaba. .aaabaab ........',
  bucket: '.wwwwww. wwaaaaww swwwwwws .swwwws. .swwwws. .swwwws. ..ssss.. ........',
  bowl: '........ ........ ........ hhhhhhhh hbbbbbbh .hbbbbh. ..hhhh.. ........',
  helmet: '........ .cccccc. caaaaaab caaaaaab ca....ab bb....bb ........ ........',
  chestplate: 'ca....ab caa..aab caaaaaab .caaaab. .caaaab. .caaaab. .caaaab. .bbbbbb.',
  leggings: '.cccccc. .caaaab. .caaaab. .cab.cab .cab.cab .cab.cab .bbb.bbb ........',
  boots: '........ ca...ca. ca...ca. ca...ca. caa..caa caab.cab bbbb.bbb ........',
  shield: 'hhhsshhh hbbssbbh hbbssbbh hhhsshhh hbbssbbh .hbssbh. ..hssh.. ...ss...',
  bow: '..hhh... .w..hh.. .w...hh. .w....h. .w....h. .w...hh. .w..hh.. ..hhh...',
  arrow: '......ss .....sss ....hss. ...hh... ..hh.... w.h..... ww...... .ww.....',
  string: '......w. .....w.. ....w... ....ww.. ..ww.... .w...... w....... ........',
  meat: '........ ..caa... .caaaab. caaaaaab caacaaab .aaaaabw ..bbb.ww ........',
  apple: '....h... ....hl.. ..aaaa.. .acaaaa. .acaaab. .aaaaab. ..aabb.. ........',
  bread: '........ .....ca. ...caaab ..caacab .caaaab. caacab.. aaabb... .bb.....',
  flower: '..aaa... .aacaa.. .acwca.. .aacaa.. ..aal... ...l.l.. ...ll... ...l....',
  seeds: '........ ..l..... .....a.. ...a.... .a....l. ....l... ..a...a. ........',
  paper: '........ .wwwwww. .wsssww. .wwwwww. .wssssw. .wwwwww. .wsswww. .wwwwww.',
  book: '.aaaaaa. aaaaaaab aaccccab aaaaaaab aaaaaaab awwwwwwb awwwwwwb .bbbbbb.'
}

/**
 * Item, or its last words -> the form that it has.
 * @type {Record<string, string>}
 */
const LIKE = {
  coal: 'lump', charcoal: 'lump', flint: 'lump', clay_ball: 'lump', leather: 'lump', diamond: 'gem', emerald: 'gem',
  quartz: 'gem', lapis_lazuli: 'gem', redstone: 'dust', dust: 'dust', dye: 'dust', powder: 'dust', gunpowder: 'dust',
  sugar: 'dust', bone_meal: 'dust', bone: 'stick', rod: 'stick', dirt: 'sand', gravel: 'cobblestone',
  andesite: 'stone', granite: 'stone', diorite: 'stone', obsidian: 'stone', netherrack: 'cobblestone', stem: 'log',
  hyphae: 'wood', beef: 'meat', porkchop: 'meat', mutton: 'meat', chicken: 'meat', rabbit: 'meat', cod: 'meat',
  salmon: 'meat', rotten_flesh: 'meat', wheat_seeds: 'seeds', tulip: 'flower', poppy: 'flower', dandelion: 'flower',
  rose: 'flower', concrete: 'block', terracotta: 'block', lantern: 'torch', sandstone: 'bricks'
}

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
  ice: [208, 75, 78], snow: [200, 30, 95], wheat: [46, 58, 52], bone: [48, 22, 86], glass: [196, 38, 86],
  wooden: [30, 45, 38], chest: [30, 45, 38], crafting: [30, 45, 50], barrel: [30, 45, 38], bowl: [28, 40, 30],
  dirt: [24, 40, 36], gravel: [20, 5, 50], flint: [0, 0, 22], gunpowder: [0, 0, 40], sugar: [0, 0, 94],
  charcoal: [20, 15, 18], copper: [18, 60, 52], water: [215, 70, 50], lava: [20, 90, 50], bucket: [0, 0, 40],
  apple: [2, 75, 48], bread: [34, 60, 46], beef: [5, 60, 42], porkchop: [350, 50, 68], chicken: [32, 50, 70],
  mutton: [8, 55, 48], rabbit: [24, 45, 55], cod: [32, 35, 60], salmon: [8, 60, 58], seeds: [90, 40, 40],
  dandelion: [50, 92, 55], poppy: [2, 75, 48], tulip: [350, 70, 60], string: [0, 0, 92], arrow: [0, 0, 60]
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

/** @type {Record<string, string>} */
const COLOURS = {
  h: 'hsl(30 40% 36%)', s: 'hsl(0 0% 56%)', d: 'hsl(0 0% 20%)', f: 'hsl(42 95% 58%)', l: 'hsl(105 42% 38%)',
  w: 'hsl(40 20% 92%)'
}

/**
 * Return the rows of the form of an item: that of the longest end of its name. Return '' for an unknown one.
 * @param {string} item
 */
function formOf (item) {
  const words = item.split('_')
  const ends = words.map((_, at) => words.slice(at).join('_'))
  const known = ends.find((end) => Object.hasOwn(FORMS, end) || Object.hasOwn(LIKE, end))
  return known === undefined ? '' : FORMS[known] ?? FORMS[LIKE[known]]
}

/**
 * Return the pixels of a form, one path for each colour, over an outline that shows them on any ground.
 * @param {string} form @param {string} item
 */
function pixels (form, item) {
  const [hue, saturation, lightness] = colourOf(item)
  const shades = { a: lightness, b: Math.max(6, lightness - 14), c: Math.min(96, lightness + 12) }
  /** @type {Record<string, string>} */
  const paths = { outline: '' }
  for (const [y, row] of form.split(' ').entries()) {
    for (const { 0: run, index: x } of row.matchAll(/([^.])\1*/g)) {
      const path = `M${x * 2} ${y * 2}h${run.length * 2}v2h-${run.length * 2}z`
      paths.outline += path
      paths[run[0]] = (paths[run[0]] ?? '') + path
    }
  }
  const own = Object.fromEntries(Object.entries(shades).map(([name, light]) =>
    [name, `hsl(${hue} ${saturation}% ${light}%)`]))
  return Object.entries(paths).map(([name, d]) => make('path', name === 'outline'
    ? { d, class: 'outline' }
    : { d, fill: own[name] ?? COLOURS[name], 'shape-rendering': 'crispEdges' }))
}

/**
 * Return a square with letters of the name, for an item of no known form.
 * @param {string} item
 */
function lettered (item) {
  const [hue, saturation, lightness] = colourOf(item)
  const stripe = hashOf(item.split('_').at(-1) ?? '') % 360
  const dark = lightness < 52
  const letters = lettersOf(item)
  return [make('rect', { width: 16, height: 16, rx: 2, fill: `hsl(${hue} ${saturation}% ${lightness}%)` }),
    make('rect', { x: 1, y: 1, width: 14, height: 1.6, rx: 0.8, fill: `hsl(${stripe} 60% ${dark ? 68 : 38}%)` }),
    make('text', { x: 8, y: 9.4, 'text-anchor': 'middle', textLength: letters.length > 2 ? 14 : null,
      lengthAdjust: 'spacingAndGlyphs', class: 'letters', fill: dark ? '#fff' : '#111' }, letters)]
}

/**
 * Return the picture of `count` items, 16 units wide, with its corner at (x, y).
 * @param {string} item @param {number} count @param {number} x @param {number} y
 */
function tile (item, count, x, y) {
  const form = formOf(item)
  return make('g', { transform: `translate(${x} ${y})`, class: 'item' }, form ? pixels(form, item) : lettered(item),
    count > 1 ? make('text', { x: 15.6, y: 15.4, 'text-anchor': 'end', class: 'count' }, count) : [])
}

/**
 * Return the row of a list for `count` items: picture, name and count.
 * @param {string} item @param {number} [count]
 */
function itemRow (item, count) {
  const picture = make('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, tile(item, 1, 0, 0))
  const name = item.split(/(?<=_)/).flatMap((part) => [make('wbr'), part]) // it may break after each word
  return make('li', {}, picture, make('span', {}, name),
    count === undefined ? [] : make('span', { class: 'number' }, count))
}

/**
 * Put the picture of its item over each point of a graph of items.
 * @param {ParentNode} graph
 */
function drawItems (graph) {
  for (const point of graph.querySelectorAll('circle[data-item]')) {
    const [x, y] = ['cx', 'cy'].map((side) => Number(point.getAttribute(side)) - 8)
    const picture = tile(point.getAttribute('data-item') ?? '', 1, x, y)
    picture.setAttribute('data-when', point.getAttribute('data-when') ?? '')
    picture.append(...point.children)
    point.replaceWith(picture)
  }
}

/**
 * Show of a graph of items what was held after a turn, and what was new then. Without a turn show it whole.
 * @param {ParentNode} graph @param {number} [turn]
 */
function growItems (graph, turn) {
  const parts = [...graph.querySelectorAll('[data-when]')]
  const moments = parts.map((each) => Number(each.getAttribute('data-when')))
  turn ??= Math.max(...moments)
  for (const [place, each] of parts.entries()) {
    const when = moments[place]
    each.classList.toggle('later', when > turn)
    each.classList.toggle('new', when === turn)
  }
}
