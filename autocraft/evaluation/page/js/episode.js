/** Show one episode step by step: its facts, its window, and what was said. */

/** Show all of `episode` that does not depend on the step. @param {Data} data @param {Episode} episode */
function showEpisode (data, episode) {
  fill('episode-name', make('span', { class: 'id' }, episode.key), ' craft ', make('bdi', {}, episode.target))
  const error = textOf(data, episode.error)
  fill(
    'verdict',
    make(
      'span',
      { class: `badge ${episode.success ? 'good' : episode.outcome === 'void' ? 'gray' : 'bad'}` },
      episode.outcome
    ),
    ` ${episode.level}${episode.type && episode.type !== episode.level ? `, ${episode.type}` : ''}`,
    error.length ? [make('br'), ...error] : []
  )
  fill('facts', facts(episode).map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))))
  const slider = elementOf('slider')
  slider.max = String(episode.steps.length)
  fill('track', Array.from({ length: episode.steps.length + 1 }, (_, step) => {
    const look = step === 0 ? 'start' : stepLook(episode.steps[step - 1])
    return make(
      'li',
      {},
      make(
        'a',
        { href: linkTo(episode, step), class: look, tabindex: -1, title: trackTitle(data, episode, step) },
        step === 0 ? 'start' : step
      )
    )
  }))
  fill(
    'messages',
    episode.dialogue.map(([role, content]) => make('li', {}, make('h5', {}, role || '?'), block(data, content)))
  )
  elementOf('dialogue').hidden = episode.dialogue.length === 0
}

/** @param {Episode} episode */
function facts (episode) {
  const least =
    episode.minimum === null ? 'none' : `${episode.minimum}${episode.proven ? ', proven' : ', fewest known'}`
  const rows = [['actions', episode.actions], ['minimum', least]]
  if (episode.package !== null) rows.push(["plancraft's planner", episode.package])
  rows.push(['turns', episode.turns])
  rows.push(['tokens in / out', `${comma(episode.tokens[0])} / ${comma(episode.tokens[1])}`])
  if (episode.cost !== null) rows.push(['cost', `$${episode.cost.toFixed(4)}`])
  rows.push(['time', `${episode.seconds.toFixed(1)} s`])
  return rows
}

/** @param {number} count */
const comma = (count) => count.toLocaleString('en')

/** @param {Step} step */
function stepLook (step) {
  if (step.kind === 'unreadable') return 'unreadable'
  return step.ok ? (step.moves ? 'legal' : 'said') : 'illegal'
}

/** @param {Data} data @param {Episode} episode @param {number} step */
function trackTitle (data, episode, step) {
  if (step === 0) return 'before the first step'
  return `step ${step}: ${plainText(data, episode.steps[step - 1].action) || 'unreadable'}`
}

/**
 * Show the state after step number `at`; 0 is the state before the first step.
 * @param {Data} data @param {Episode} episode @param {number} at
 */
function showStep (data, episode, at) {
  const total = episode.steps.length
  const step = at ? episode.steps[at - 1] : null
  const slider = elementOf('slider')
  slider.value = String(at)
  slider.setAttribute('aria-valuetext', trackTitle(data, episode, at))
  fill('place', `${at} of ${total}`)
  elementOf('previous').disabled = at === 0
  elementOf('next').disabled = at === total
  document.querySelectorAll('#track a').forEach((link, index) => {
    if (index === at) link.setAttribute('aria-current', 'step')
    else link.removeAttribute('aria-current')
  })
  fill('hint', 'Point at a slot for its name.')
  showWindow(at ? episode.slots[at - 1] : episode.slots[0], episode.slots[at])
  fill('step', step ? stepDetails(data, step, at) : start(episode))
}

/** @param {Episode} episode */
function start (episode) {
  return [make('h4', {}, 'Before the first step'),
    make('p', {}, 'The goal: hold at least one ', make('bdi', {}, episode.target), ' outside [0].')]
}

/** @param {Data} data @param {Step} step @param {number} at */
function stepDetails (data, step, at) {
  const look = stepLook(step)
  /** @type {Record<string, string>} */
  const words = {
    legal: 'legal', said: 'no action', illegal: 'illegal, nothing changed', unreadable: 'unreadable, nothing changed'
  }
  /** @type {Record<string, string>} */
  const colours = { legal: 'good', said: 'gray' }
  const action = plainText(data, step.action)
  return [
    make('h4', {}, `Step ${at}`, ' ', make('span', { class: `badge ${colours[look] ?? 'bad'}` }, words[look])),
    action ? make('p', { class: 'action' }, make('code', {}, action)) : [],
    step.moves > 1 ? make('p', { class: 'quiet' }, `${step.moves} slot actions`) : [],
    make('h5', {}, 'The model answered'), block(data, step.answer),
    make('h5', {}, 'It was told'), block(data, step.text)
  ].flat()
}

/**
 * Return an element with a text of the model or the world, unchanged, and a note if this page has only its beginning.
 * @param {Data} data @param {number} number
 */
function block (data, number) {
  const parts = textOf(data, number)
  return make('pre', { tabindex: 0 }, parts.length ? parts : make('span', { class: 'quiet' }, '(nothing)'))
}

/** @param {Data} data @param {number} number */
function textOf (data, number) {
  const text = data.strings[number]
  if (typeof text === 'string') return text ? [text] : []
  return [text[0], make('em', { class: 'cut' }, `${comma(text[1])} more characters are not in this page`)]
}

/** @param {Data} data @param {number} number */
function plainText (data, number) {
  const text = data.strings[number]
  return (typeof text === 'string' ? text : text[0]).slice(0, 300)
}
