/** Show the list of episodes, with filters, search and order. */

/** @type {Record<string, (one: Episode, other: Episode) => number>} */
const ORDERS = {
  'as played': () => 0,
  /** @param {any} one @param {any} other */
  id: (one, other) => compare(one.id, other.id) || one.seed - other.seed,
  /** @param {any} one @param {any} other */
  level: (one, other) => levelRank(one) - levelRank(other) || one.index - other.index,
  /** @param {any} one @param {any} other */
  'failures first': (one, other) => Number(one.success) - Number(other.success) || one.index - other.index,
  /** @param {any} one @param {any} other */
  'most turns': (one, other) => other.turns - one.turns || one.index - other.index,
  /** @param {any} one @param {any} other */
  'most actions over the minimum': (one, other) => extra(other) - extra(one) || one.index - other.index,
  /** @param {any} one @param {any} other */
  'most tokens': (one, other) => tokens(other) - tokens(one) || one.index - other.index
}
const RANKS = ['easy', 'medium', 'hard', 'impossible']

/** @param {any} one @param {any} other */
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0)
/** @param {{level: string}} episode */
const levelRank = (episode) => (RANKS.indexOf(episode.level) + RANKS.length + 1) % (RANKS.length + 1)
/** @param {Episode} episode */
const extra = (episode) => (episode.success && episode.minimum !== null ? episode.actions - episode.minimum : -Infinity)
/** @param {Episode} episode */
const tokens = (episode) => episode.tokens[0] + episode.tokens[1]

/** Offer the levels and outcomes that occur as filters. @param {Data} data */
function offerFilters (data) {
  /** @param {string} id @param {string[]} names */
  const add = (id, names) => elementOf(id).append(...names.map((name) => make('option', { value: name }, name)))
  /** @param {'level' | 'outcome'} field */
  const found = (field) => [...new Set(data.episodes.map((episode) => episode[field]))]
  add('level', found('level').sort((one, other) => levelRank({ level: one }) - levelRank({ level: other })))
  add('outcome', [...new Set(['solved', 'not solved', ...found('outcome').sort()])])
  add('sort', Object.keys(ORDERS))
}

/** Return the episodes that pass the filters, in the chosen order. @param {Data} data */
function selection (data) {
  /** @param {'search' | 'level' | 'outcome' | 'sort'} id */
  const value = (id) => elementOf(id).value
  const words = value('search').trim().toLowerCase()
  /** @type {Set<number>} */
  const texts = words ? textsWith(data, words) : new Set()
  return data.episodes
    .filter((episode) => !value('level') || episode.level === value('level'))
    .filter((episode) => fits(episode, value('outcome')))
    .filter((episode) => !words || mentions(episode, words, texts))
    .sort(ORDERS[value('sort')] ?? ORDERS['as played'])
}

/** @param {Episode} episode @param {string} outcome */
function fits (episode, outcome) {
  if (outcome === 'not solved') return !episode.success && episode.outcome !== 'void'
  return !outcome || episode.outcome === outcome
}

/** Return the numbers of the texts that contain `words`. @param {Data} data @param {string} words */
function textsWith (data, words) {
  const found = new Set()
  data.strings.forEach((text, number) => {
    if ((typeof text === 'string' ? text : text[0]).toLowerCase().includes(words)) found.add(number)
  })
  return found
}

/** @param {Episode} episode @param {string} words @param {Set<number>} texts */
function mentions (episode, words, texts) {
  const name = `${episode.key} ${episode.target} ${episode.target.replaceAll('_', ' ')} ${episode.type}`.toLowerCase()
  return name.includes(words) || texts.has(episode.error) ||
    episode.steps.some((step) => texts.has(step.action) || texts.has(step.answer) || texts.has(step.text))
}

/**
 * Show a link for each episode. The browser lays out only the links in sight, and Tab reaches only the link of the
 * episode that is shown.
 * @param {Episode[]} episodes @param {number} all
 */
function showList (episodes, all) {
  fill(
    'list',
    episodes.map((episode) =>
      make(
        'li',
        {},
        make(
          'a',
          {
            href: linkTo(episode),
            tabindex: -1,
            class: episode.success ? 'solved' : episode.outcome === 'void' ? 'void' : 'failed'
          },
          make('span', { class: 'id' }, episode.key),
          make('bdi', { class: 'target' }, episode.target),
          make('span', { class: 'level' }, episode.level),
          make('span', { class: 'outcome' }, episode.outcome),
          make('span', { class: 'actions' }, actionsText(episode))
        )
      )
    )
  )
  const count = elementOf('count')
  count.textContent = `${episodes.length.toLocaleString('en')} of ${all.toLocaleString('en')} episodes`
}

/** @param {Episode} episode */
function actionsText (episode) {
  const least = episode.minimum === null ? '' : ` / ${episode.minimum}`
  return episode.actions || least ? `${episode.actions}${least}` : ''
}

/**
 * Return the link to an episode, such as "#TEST0018-0", or to one of its steps, such as "#TEST0018-0:7".
 * @param {Episode} episode
 */
function linkTo (episode, step = 0) {
  return `#${encodeURIComponent(episode.key)}${step ? `:${step}` : ''}`
}

/**
 * Return the episode and the step that a link names, or null if it names none.
 * @param {Data} data @param {string} hash
 */
function linkTarget (data, hash) {
  let key
  try {
    key = decodeURIComponent(hash.replace(/^#/, ''))
  } catch {
    return null
  }
  /** @param {string} name */
  const byKey = (name) => data.episodes.find((episode) => episode.key === name)
  const whole = byKey(key)
  if (whole) return { episode: whole, step: 0 }
  const parts = /^(.*):(\d+)$/s.exec(key)
  const episode = parts && byKey(parts[1])
  return episode ? { episode, step: Math.min(Number(parts[2]), episode.steps.length) } : null
}
