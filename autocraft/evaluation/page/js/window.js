/** Draw the inventory window: crafting grid, arrow, output, inventory and hotbar; and write the same as text. */

const CELL = 18
const PLACES = new Map()
PLACES.set(0, [129, 32])
for (let at = 0; at < 9; at += 1) PLACES.set(1 + at, [35 + (at % 3) * CELL, 14 + Math.floor(at / 3) * CELL])
for (let at = 0; at < 36; at += 1) {
  PLACES.set(10 + at, [9 + (at % 9) * CELL, 84 + Math.floor(at / 9) * CELL + (at >= 27 ? 4 : 0)])
}

/** Return the name of a slot: 0 -> "0", 1 -> "A1", 10 -> "I1". @param {number} slot */
function slotName (slot) {
  if (slot === 0) return '0'
  return slot < 10 ? 'ABC'[Math.floor((slot - 1) / 3)] + (((slot - 1) % 3) + 1) : `I${slot - 9}`
}

/** Return a slot as text, such as "[I1] 4 oak_log". @param {number} slot @param {Stack | undefined} stack */
function stackText (slot, stack) {
  return `[${slotName(slot)}] ${stack ? `${stack.count} ${stack.item}` : 'empty'}`
}

/** Return the slots in which two states differ. @param {Slots} before @param {Slots} after */
function differences (before, after) {
  /** @param {any} one @param {any} other */
  const same = (one, other) => one?.item === other?.item && one?.count === other?.count
  return new Set([...PLACES.keys()].filter((slot) => !same(before.get(slot), after.get(slot))))
}

/** Draw `slots`, mark what differs from `before`, and list it below. @param {Slots} before @param {Slots} slots */
function showWindow (before, slots) {
  const marked = differences(before, slots)
  const cells = [...PLACES].map(([slot, [x, y]]) => drawSlot(slot, x, y, slots.get(slot), before.get(slot), marked))
  const svg = make(
    'svg',
    { viewBox: '0 0 180 167', role: 'img', 'aria-label': 'Inventory window; its contents are listed below' },
    make('rect', { width: 180, height: 167, rx: 4, class: 'panel' }),
    make('text', { x: 35, y: 10, class: 'caption' }, 'Crafting'),
    make('text', { x: 9, y: 80, class: 'caption' }, 'Inventory'),
    make('path', { d: 'M96 39h14v-4l9 7l-9 7v-4h-14z', class: 'arrow' }),
    cells
  )
  fill('window', svg)
  const filled = [...PLACES.keys()].filter((slot) => slots.has(slot) || marked.has(slot))
  fill('contents', make('h4', {}, 'In the slots'), filled.length
    ? make('ul', {}, filled.map((slot) => listRow(slot, slots.get(slot), before.get(slot), marked.has(slot))))
    : make('p', { class: 'quiet' }, 'Every slot is empty.'))
}

/**
 * @param {number} slot @param {number} x @param {number} y @param {Stack | undefined} stack
 * @param {Stack | undefined} was @param {Set<number>} marked
 */
function drawSlot (slot, x, y, stack, was, marked) {
  const big = slot === 0 ? 3 : 0
  const hint =
    stackText(slot, stack) + (marked.has(slot) ? ` (before: ${was ? `${was.count} ${was.item}` : 'empty'})` : '')
  const cell = make('g', { class: marked.has(slot) ? 'slot changed' : 'slot' },
    make('title', {}, hint),
    make('rect', { x: x - big, y: y - big, width: CELL + 2 * big - 1, height: CELL + 2 * big - 1, class: 'well' }),
    stack ? tile(stack.item, stack.count, x + 0.5, y + 0.5)
      : make('text', { x: x + 8.5, y: y + 10.5, 'text-anchor': 'middle', class: 'empty' }, slotName(slot)))
  cell.addEventListener('pointerenter', () => fill('hint', hint))
  return cell
}

/** @param {number} slot @param {Stack | undefined} stack @param {Stack | undefined} was @param {boolean} isMarked */
function listRow (slot, stack, was, isMarked) {
  if (!isMarked) return make('li', {}, stackText(slot, stack))
  return make('li', { class: 'changed' }, make('strong', {}, stackText(slot, stack)),
    ` (before: ${was ? `${was.count} ${was.item}` : 'empty'})`)
}
