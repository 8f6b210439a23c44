/** The live page: shows the parts of a run as they come, and sends the person's answers. */

/**
 * @typedef {{id: number, wants: 'decision' | 'words' | 'arguments', text: string, default: string}} Question
 * @typedef {{name: string, attributes: Record<string, string>, text: string, title: string | null}} Shape
 * @typedef {{who: string, call: string, ok: boolean, text: string, seconds: string}} Effect
 * @typedef {{kind: string, agent: string, turn: number, after: string, text: string, thoughts: [string, string][],
 *   error: string, command: string, stage: string, tokens: string, reasoning: string,
 *   decisions: [string, string, string][], effects: Effect[]}} Step
 */

const SVG = 'http://www.w3.org/2000/svg'
const LABELS = {
  decision: 'Or words: they go to the agent, and refuse this', words: 'Your answer', arguments: 'Arguments'
}
/** Milliseconds in which a new question takes no click, since it may be meant for the one before. */
const UNSEEN = 500
/** @type {Question | null} */
let question = null

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
const remark = part('remark', HTMLInputElement)
const sent = part('answer', HTMLFormElement)

/**
 * @param {string} name
 * @param {string} [text]
 * @param {string} [kind]
 * @param {...(Node | string)} inside
 */
function made (name, text = '', kind = '', ...inside) {
  const element = document.createElement(name)
  element.textContent = text
  if (kind) element.className = kind
  element.append(...inside)
  return element
}

/** @param {Step} step */
function stepRow (step) {
  if (step.kind !== 'turn') {
    return made('li', '', step.kind, made('span', step.kind, 'badge'), ` ${step.text}`)
  }
  const about = [step.after, step.tokens && `${step.tokens} tokens`, step.stage && `read by ${step.stage}`]
  const whose = step.agent ? ` of ${step.agent}` : ''
  const head = made('h3', `Turn ${step.turn}${whose} `, '', made('span', about.filter(Boolean).join(', '), 'quiet'))
  const row = made('li', '', 'turn', head)
  const said = step.thoughts.map(([name, text]) => made('div', '', '', made('dt', name), made('dd', text)))
  if (said.length) row.append(made('dl', '', 'thoughts', ...said))
  if (step.error) row.append(made('p', '', '', made('span', 'no command', 'badge bad'), ` ${step.error}`))
  if (step.command) row.append(made('p', '', 'action', made('code', step.command)))
  for (const [word, by, why] of step.decisions) {
    const badge = made('span', word, word === 'allowed' ? 'badge' : 'badge bad')
    row.append(made('p', '', '', badge, ` ${by}${why && `: ${why}`}`))
  }
  for (const effect of step.effects) {
    const badge = made('span', effect.ok ? 'done' : 'failed', effect.ok ? 'badge good' : 'badge bad')
    const who = effect.who ? ` ${effect.who}: ${effect.call}` : ''
    const line = made('span', `${who} ${effect.seconds}`, 'quiet')
    row.append(made('div', '', 'effect', badge, line, made('pre', effect.text)))
  }
  return row
}

/** @param {Shape} shape */
function drawn (shape) {
  const element = document.createElementNS(SVG, shape.name)
  for (const [name, value] of Object.entries(shape.attributes)) element.setAttribute(name, value)
  element.textContent = shape.text
  if (shape.title !== null) {
    const title = document.createElementNS(SVG, 'title')
    title.textContent = shape.title
    element.prepend(title)
  }
  return element
}

/** @param {boolean} enabled */
function setButtons (enabled) {
  for (const button of sent.querySelectorAll('button')) button.disabled = !enabled
}

/** @param {Question | null} asked */
function ask (asked) {
  const known = asked !== null && asked.id === question?.id // the page came back to it
  question = asked
  sent.hidden = asked === null
  box('quiet').hidden = asked !== null
  box('beside').hidden = asked !== null
  document.title = asked ? 'waiting for you: autocraft' : 'autocraft'
  if (asked === null || known) return
  setButtons(false)
  setTimeout(() => setButtons(true), UNSEEN)
  box('asked').textContent = asked.text
  box('decision').hidden = asked.wants !== 'decision'
  box('words-label').textContent = LABELS[asked.wants]
  words.value = asked.default
  words.rows = asked.default ? 6 : 2
  box('said').textContent = ''
}

/** @type {Record<string, (value: any) => void>} */
const SHOW = {
  goal: ({ goals }) => box('goals').replaceChildren(
    ...goals.map((/** @type {string} */ goal) => made('p', goal, 'goal'))),
  figures: (rows) => box('figures').replaceChildren(...rows.map((/** @type {[string, string]} */ [name, value]) =>
    made('div', '', '', made('dt', name), made('dd', value)))),
  plan: (steps) => box('plan').replaceChildren(...steps.map((/** @type {string} */ step) => made('li', step))),
  inventory: (rows) => box('held').replaceChildren(...rows.map((/** @type {[string, number]} */ [item, count]) =>
    made('li', item, '', made('span', String(count), 'number')))),
  steps: (steps) => box('steps').replaceChildren(...steps.map(stepRow)),
  map: (way) => {
    box('way').hidden = way === null
    box('way').querySelector('svg')?.remove()
    if (way === null) return
    const picture = document.createElementNS(SVG, 'svg')
    picture.setAttribute('viewBox', '0 0 430 414')
    picture.setAttribute('role', 'img')
    picture.setAttribute('aria-label', way.said)
    picture.append(...way.shapes.map(drawn))
    box('way-said').before(picture)
    box('way-said').textContent = way.said
  },
  end: (end) => {
    box('end').hidden = end === null
    if (end === null) return
    const badge = made('span', end.word, end.good ? 'badge good' : 'badge')
    box('end').replaceChildren(badge, ` ${end.why}`)
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
  const reply = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  box('said').textContent = (await reply.text()).trim()
  return reply.ok
}

/**
 * Answer the question that stands, naming it and the very text that is on the page.
 * @param {object} answer
 */
async function reply (answer) {
  if (question === null) return
  const { id } = question
  await post('/answer', { id, digest: await digest(box('asked').textContent ?? ''), ...answer })
}

sent.addEventListener('click', (event) => {
  if (!(event.target instanceof HTMLButtonElement) || question === null) return
  const kind = event.target.value
  if (kind === 'more') void reply({ kind: 'run', turns: turns.valueAsNumber })
  else if (kind !== 'words') void reply({ kind })
  else void reply({ kind: question.wants === 'arguments' ? 'arguments' : 'words', text: words.value })
})
sent.addEventListener('submit', (event) => event.preventDefault())
part('beside', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault()
  void post('/say', { kind: 'words', text: remark.value }).then((noted) => { if (noted) remark.value = '' })
})
box('pause').addEventListener('click', () => void post('/say', { kind: 'pause' }))

history.replaceState(null, '', '/')
const source = new EventSource('/events')
for (const [name, show] of Object.entries(SHOW)) {
  source.addEventListener(name, (event) => show(JSON.parse(event.data)))
}
source.addEventListener('over', () => {
  source.close()
  ask(null)
  box('beside').hidden = true
  box('quiet').textContent = 'The run is over.'
})
source.onerror = () => { box('status').textContent = 'The run does not answer; trying again …' }
