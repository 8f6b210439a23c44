/** Plays a run again, one turn at a time, and finds steps in the timeline. Every part is in the page already. */

/**
 * One turn as `moments` in page.py writes it. `at` is its place in units of the map, or null.
 * @typedef {{ turn: number, after: string, command: string, items: [string, number][], at: Place | null }} Turn
 * @typedef {[number, number]} Place
 */

/** @param {string} id */
function byId (id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no ${id}`)
  return found
}

const PACE = 700 // milliseconds for a turn while it plays
/** @type {{ plays: boolean, ends: [number, number], turns: Turn[] }} */
const { plays, ends, turns } = JSON.parse(byId('moments').textContent ?? '')
const last = turns.at(-1)?.turn ?? 0
const moment = /** @type {HTMLInputElement} */ (byId('moment'))
const find = /** @type {HTMLInputElement} */ (byId('find'))
const kind = /** @type {HTMLSelectElement} */ (byId('kind'))
const steps = [...document.querySelectorAll('.timeline > li')]
const map = document.querySelector('#plot-map svg')
const here = make('circle', { r: 7, class: 'here' })
/** @type {ReturnType<typeof setInterval> | undefined} */
let timer

/** Show the turn that the slider is at. */
function show () {
  const { turn, after, command, items, at } = turns[moment.valueAsNumber]
  byId('turn').textContent = `${turn} of ${last}, after ${after}`
  byId('command').textContent = command
  byId('held').replaceChildren(...items.map((row) => itemRow(...row)))
  growItems(document, turn)
  if (at === null) return here.remove()
  here.setAttribute('cx', String(at[0]))
  here.setAttribute('cy', String(at[1]))
  map?.append(here)
}

/** @param {number} index */
function goTo (index) {
  moment.valueAsNumber = index
  show()
}

function stop () {
  clearInterval(timer)
  timer = undefined
  byId('playing').textContent = 'Play'
}

function play () {
  if (timer !== undefined) return stop()
  if (moment.valueAsNumber === turns.length - 1) goTo(0)
  byId('playing').textContent = 'Pause'
  timer = setInterval(() => {
    goTo(moment.valueAsNumber + 1)
    if (moment.valueAsNumber === turns.length - 1) stop()
  }, PACE)
}

/**
 * Go to the turn that a click on a curve means.
 * @param {Event} event
 */
function clicked (event) {
  const { currentTarget: drawing, clientX } = /** @type {MouseEvent & { currentTarget: SVGSVGElement }} */ (event)
  const box = drawing.getBoundingClientRect()
  const x = (clientX - box.left) / box.width * drawing.viewBox.baseVal.width
  const turn = (x - ends[0]) / (ends[1] - ends[0]) * last
  const after = turns.findIndex((each) => each.turn >= turn)
  goTo(after < 0 ? turns.length - 1 : after)
  byId('play').scrollIntoView()
}

/** Hide the steps that do not hold the words or are not of the kind. */
function filter () {
  const words = find.value.trim().toLowerCase()
  let shown = 0
  for (const step of steps) {
    const fits = step.matches(`li${kind.value}`) && (step.textContent ?? '').toLowerCase().includes(words)
    step.toggleAttribute('hidden', !fits)
    shown += Number(fits)
  }
  byId('shown').textContent = `${shown} of ${steps.length} steps`
}

/**
 * Let a slider show a building at each moment of its work.
 * @param {Element} drawing
 */
function showBuilding (drawing) {
  const parts = [...drawing.querySelectorAll('[data-since]')].map((part) => {
    const [since, until] = ['data-since', 'data-until'].map((name) => part.getAttribute(name) || 'Infinity').map(Number)
    return { part, since, until }
  })
  const moments = parts.flatMap(({ since, until }) => [since, until]).filter(Number.isFinite)
  const most = Math.max(0, ...moments)
  if (most === 0) return
  const slider = make('input', { type: 'range', min: 0, max: most, value: most, 'aria-label': 'How it was built' })
  slider.addEventListener('input', () => {
    const now = Number(/** @type {HTMLInputElement} */ (slider).value)
    for (const { part, since, until } of parts) part.classList.toggle('later', now < since || now >= until)
  })
  drawing.after(make('div', { class: 'buttons' }, slider))
}

for (const drawing of document.querySelectorAll('#buildings svg')) showBuilding(drawing)
drawItems(document)
if (turns.length > 0) {
  moment.max = String(turns.length - 1)
  byId('player').hidden = false
  moment.addEventListener('input', () => { stop(); show() })
  byId('playing').addEventListener('click', play)
  byId('show').addEventListener('click', () => {
    find.value = kind.value = ''
    filter()
    document.querySelector(`[data-turn="${turns[moment.valueAsNumber].turn}"]`)?.scrollIntoView()
  })
  for (const name of ['tokens', 'money', 'inventory']) {
    document.querySelector(`#plot-${name} svg`)?.addEventListener('click', clicked)
  }
  goTo(plays ? 0 : turns.length - 1)
  if (plays) {
    byId('play').scrollIntoView()
    play()
  }
}
byId('search').hidden = false
find.addEventListener('input', filter)
kind.addEventListener('change', filter)
filter()
