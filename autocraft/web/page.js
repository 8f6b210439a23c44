/** Update the live page: show the parts of a run when they change, and send the person's answers. */

/**
 * @typedef {{value: string, line: string, label: string}} Choice
 * @typedef {{id: number, wants: 'decision' | 'words' | 'arguments', text: string, default: string,
 *   choices: Choice[], unseen: number}} Question
 * @typedef {{name: string, attributes: Record<string, string>, text: string, title: string | null}} Shape
 * @typedef {{name: string, title: string, said: string, width: number, height: number, shapes: Shape[]}} Plot
 * @typedef {{iteration: number, task: string, reached: boolean, outcome: string, why: string, items: string[]}} Attempt
 * @typedef {{who: string, call: string, ok: boolean, text: string, seconds: string}} Effect
 * @typedef {{kind: string, agent: string, turn: number, after: string, text: string, thoughts: [string, string][],
 *   error: string, command: string, stage: string, tokens: string, reasoning: string,
 *   decisions: [string, string, string][], effects: Effect[]}} Step
 */

const LABELS = {
  decision: 'Words to the agent: sent alone they refuse this, with yes they are a remark',
  words: 'Your answer',
  arguments: 'Arguments'
}
/** The page that draws the world may run its scripts, but it can neither leave its frame nor open another page. */
const FRAME = {
  title: 'What the player sees', sandbox: 'allow-scripts allow-same-origin', referrerpolicy: 'no-referrer'
}
/** @type {Question | null} */
let question = null
let about = { session: '', goal: '' }
/** The id of the question that this page has answered. */
let answered = 0

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
function part (id, kind) {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page lacks ${id}`)
  return found
}

/** @param {string} id */
const box = (id) => part(id, HTMLElement)
const words = part('words', HTMLTextAreaElement)
const turns = part('turns', HTMLInputElement)
const programs = part('programs', HTMLInputElement)
const remark = part('remark', HTMLInputElement)
const sent = part('answer', HTMLFormElement)

/** @param {string} word @param {string} [kind] */
const badge = (word, kind = '') => make('span', { class: `badge ${kind}` }, word)

/** @param {Step} step */
function stepRow (step) {
  if (step.kind !== 'turn') return make('li', {}, badge(step.kind), ` ${step.text}`)
  const about = [step.after, step.tokens && `${step.tokens} tokens`, step.stage && `read by ${step.stage}`]
  const whose = step.agent ? ` of ${step.agent}` : ''
  const thoughts = step.thoughts.filter(([name]) => name !== 'plan') // the newest plan is shown in a separate box
  const said = thoughts.map(([name, text]) => make('div', {}, make('dt', {}, name), make('dd', {}, text)))
  return make('li', { class: 'turn' },
    make('h3', {}, `Turn ${step.turn}${whose} `, make('span', { class: 'quiet' }, about.filter(Boolean).join(', '))),
    said.length ? make('dl', { class: 'thoughts' }, said) : [],
    step.error ? make('p', {}, badge('no command', 'bad'), ` ${step.error}`) : [],
    step.command ? make('p', { class: 'action' }, make('code', {}, step.command)) : [],
    step.decisions.map(([word, by, why]) =>
      make('p', {}, badge(word, word === 'allowed' ? '' : 'bad'), ` ${by}${why && `: ${why}`}`)),
    step.effects.map(effectRow))
}

/** @param {Effect} effect */
function effectRow (effect) {
  const who = effect.who ? ` ${effect.who}: ${effect.call}` : ''
  return make('div', { class: 'effect' }, badge(effect.ok ? 'done' : 'failed', effect.ok ? 'good' : 'bad'),
    make('span', { class: 'quiet' }, `${who} ${effect.seconds}`), make('pre', {}, effect.text))
}

/** @param {Shape} shape */
function shapeOf (shape) {
  return make(shape.name, shape.attributes, shape.title === null ? [] : make('title', {}, shape.title), shape.text)
}

/**
 * Return the drawing of a plot, as `parts.html` writes it.
 * @param {Plot} plot
 */
function plotOf ({ name, title, said, width, height, shapes }) {
  const about = { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}. ${said}` }
  return make('figure', { class: 'plot', id: `plot-${name}` }, make('h3', {}, title),
    make('svg', about, shapes.map(shapeOf)), make('figcaption', {}, said))
}

/** @param {Attempt} attempt */
function attemptRow ({ iteration, task, reached, outcome, why, items }) {
  const title = make('p', {}, badge(outcome, reached ? 'good' : 'bad'), ` ${iteration}: ${task}`)
  const about = { class: 'held', 'aria-label': 'Held for the first time' }
  return make('li', {}, title, why ? make('p', { class: 'quiet' }, why) : [],
    items.length ? make('ul', about, items.map((item) => itemRow(item))) : [])
}

/** Name the goal in the title, so that the tabs of several runs differ. */
function setTitle () {
  document.title = `${question ? 'waiting for you: ' : ''}${about.goal || 'autocraft'}`
}

/** @param {boolean} enabled */
function setButtons (enabled) {
  for (const button of sent.querySelectorAll('button')) button.disabled = !enabled
}

/** @param {Choice} choice */
function choiceButton ({ value, line, label }) {
  const key = line.length === 1 && line
  const about = { type: 'button', value, class: value === 'run' && 'yes', 'aria-keyshortcuts': key, 'data-key': key }
  return make('button', about, `${line}: ${label}`)
}

/**
 * Press the button of a key. A key that is held down, and one that belongs to a text, press nothing.
 * @param {KeyboardEvent} event
 */
function pressKey (event) {
  const writes = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
  if (writes || event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return
  const key = event.key.toLowerCase()
  const buttons = [...box('decision').querySelectorAll('button')]
  if (question !== null) buttons.find((each) => each.dataset.key === key && !each.disabled)?.click()
}

/** @param {Question | null} asked */
function ask (asked) {
  const known = asked !== null && asked.id === question?.id // this page already showed the question
  const elsewhere = question !== null && !known && question.id !== answered
  if (elsewhere) box('said').textContent = 'The last question was answered elsewhere, or withdrawn.'
  question = asked
  sent.hidden = asked === null
  box('quiet').hidden = asked !== null
  beside.hidden = asked !== null
  setTitle()
  if (asked === null || known) return
  pause.disabled = false
  setTimeout(() => { if (question?.id === asked.id) setButtons(true) }, asked.unseen)
  box('asked').textContent = asked.text
  box('decision').replaceChildren(...asked.choices.filter(({ value }) => value !== 'remark').map(choiceButton))
  box('budget').hidden = !asked.choices.some(({ value }) => value === 'more')
  box('words-label').textContent = LABELS[asked.wants]
  setButtons(false)
  words.value = asked.default
  words.rows = asked.default ? 6 : 2
  if (!elsewhere) box('said').textContent = ''
}

/** @type {Record<string, (value: any) => void>} */
const SHOW = {
  goal: ({ session, goals, visible, opens }) => {
    const first = !about.session
    about = { session, goal: goals.join('; ') }
    box('eyes').hidden = !visible
    if (first && visible && opens) view.click()
    setTitle()
    box('goals').replaceChildren(...goals.map((/** @type {string} */ goal) => make('p', { class: 'goal' }, goal)))
  },
  fetching: (said) => { if (said) box('view-said').textContent = said },
  figures: (rows) => box('figures').replaceChildren(...rows.map((/** @type {[string, string]} */ [name, value]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, value)))),
  plan: (steps) => box('plan').replaceChildren(...steps.map((/** @type {string} */ step) => make('li', {}, step))),
  inventory: (/** @type {[string, number][]} */ rows) =>
    box('held').replaceChildren(...rows.map((row) => itemRow(...row))),
  steps: (steps) => box('steps').replaceChildren(...steps.map(stepRow)),
  plots: (plots) => {
    box('plots').replaceChildren(...plots.map(plotOf))
    drawItems(box('plots'))
    growItems(box('plots'))
  },
  learned: (learned) => {
    box('learned').hidden = learned === null
    if (learned === null) return
    box('task').textContent = learned.task
    box('attempts').replaceChildren(...learned.attempts.map(attemptRow))
  },
  end: (end) => {
    box('end').hidden = end === null
    if (end !== null) box('end').replaceChildren(badge(end.word, end.good ? 'good' : ''), ` ${end.why}`)
  },
  status: (status) => { box('status').textContent = status },
  incoming: (text) => {
    box('thinking').hidden = !text
    box('incoming').textContent = text
  },
  question: ask
}

/** @param {string} text */
async function digest (text) {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * @param {string} path
 * @param {object} body
 */
async function post (path, body) {
  const headers = { 'Content-Type': 'application/json' }
  try {
    const reply = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const said = (await reply.text()).trim()
    box('said').textContent = reply.ok && path === '/answer' ? '' : said
    return reply.ok
  } catch {
    box('said').textContent = 'The run does not answer; this did not reach it.'
    return false
  }
}

/**
 * Answer the open question. Send its id and the exact text that the page shows.
 * @param {object} answer
 */
async function reply (answer) {
  if (question === null) return
  const { id } = question
  setButtons(false)
  answered = id
  const counts = await post('/answer', { id, digest: await digest(box('asked').textContent ?? ''), ...answer })
  if (counts || question?.id !== id) return
  answered = 0
  setButtons(true)
}

sent.addEventListener('click', (event) => {
  if (!(event.target instanceof HTMLButtonElement) || question === null) return
  const kind = event.target.value
  const text = words.value
  const yes = text.trim() ? { kind: 'remark', text } : { kind }
  if (kind === 'run') void reply(yes)
  else if (kind === 'more') void reply({ ...yes, turns: turns.valueAsNumber, programs: programs.checked })
  else if (kind !== 'words') void reply({ kind })
  else void reply({ kind: question.wants === 'arguments' ? 'arguments' : 'words', text })
})
sent.addEventListener('submit', (event) => event.preventDefault())
document.addEventListener('keydown', pressKey)
const beside = part('beside', HTMLFormElement)
beside.addEventListener('submit', (event) => {
  event.preventDefault()
  void post('/say', { kind: 'words', text: remark.value }).then((noted) => { if (noted) remark.value = '' })
})
const pause = part('pause', HTMLButtonElement)
pause.addEventListener('click', () => {
  pause.disabled = true // until the next question is there
  void post('/say', { kind: 'pause' })
})

/** Show the other runs that are served now. */
async function showRuns () {
  const reply = await fetch('/runs').catch(() => null)
  if (!reply?.ok) return
  /** @type {{session: string, goals: string[], waiting: boolean}[]} */
  const runs = await reply.json()
  box('others').hidden = runs.length === 0
  box('runs').replaceChildren(...runs.map(({ session, goals, waiting }) => {
    const place = { href: `/runs/${encodeURIComponent(session)}`, target: '_blank', rel: 'noopener' }
    const title = goals.join('; ') || session
    return make('li', {}, make('a', place, title), waiting ? [' ', badge('waits for you')] : [])
  }))
}
void showRuns()
const looking = setInterval(() => void showRuns(), 5000)

const view = part('view', HTMLButtonElement)
view.addEventListener('click', () => {
  view.disabled = true
  box('view-said').textContent = 'It starts. The first time it fetches 75 MB.'
  void show()
})

/**
 * Show the world through the player's eyes. The page that draws it has another origin, so it cannot answer a question
 * here.
 */
async function show () {
  try {
    const reply = await fetch('/view', { method: 'POST' })
    const said = (await reply.text()).trim()
    box('view-said').textContent = reply.ok ? '' : said
    box('eyes').querySelector('iframe')?.remove()
    if (reply.ok) box('view-said').before(make('iframe', { src: said, ...FRAME }))
    view.textContent = 'Show again'
  } catch {
    box('view-said').textContent = 'The run does not answer.'
  }
  view.disabled = false
}

history.replaceState(null, '', '/')
const source = new EventSource('/events')
for (const [name, show] of Object.entries(SHOW)) {
  source.addEventListener(name, (event) => show(JSON.parse(event.data)))
}
source.addEventListener('over', () => {
  source.close()
  clearInterval(looking)
  ask(null)
  beside.hidden = true
  box('quiet').textContent = `The run is over. autocraft report ${about.session} --html FILE writes it as a page.`
})
source.onerror = () => { box('status').textContent = 'The run does not answer; trying again …' }
