/**
 * Connect the parts of the page: they show what the link in the address names, and each action changes the link.
 * @param {Data} data
 */
function startPage (data) {
  /** @type {Episode[]} */
  let shown = []
  /** @type {Episode} */
  let episode
  let step = 0
  const browser = elementOf('browser')

  const list = () => {
    shown = selection(data)
    showList(shown, data.episodes.length)
    mark(false)
  }
  /** @param {boolean} scroll */
  const mark = (scroll) => {
    const box = elementOf('list')
    for (const old of /** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll("[tabindex='0']"))) {
      old.tabIndex = -1
      old.removeAttribute('aria-current')
    }
    const link = /** @type {HTMLElement | null | undefined} */ (
      box.children[shown.indexOf(episode)]?.firstElementChild
    );
    (link ?? box.querySelector('a'))?.setAttribute('tabindex', '0')
    if (!link) return
    link.setAttribute('aria-current', 'true')
    if (scroll) keepInSight(box, link)
    if (scroll && box.contains(document.activeElement)) link.focus({ preventScroll: true })
  }
  /** @param {Episode} nextEpisode @param {number} nextStep */
  const show = (nextEpisode, nextStep) => {
    const fresh = nextEpisode !== episode
    episode = nextEpisode
    step = nextStep
    if (fresh) showEpisode(data, episode)
    showStep(data, episode, step)
    if (fresh) mark(true)
  }
  /** @param {Episode} nextEpisode @param {number} nextStep */
  const go = (nextEpisode, nextStep) => {
    show(nextEpisode, nextStep)
    try {
      history.replaceState(null, '', linkTo(episode, step))
    } catch {
      // the page works without its address, and some browsers limit how often it may change
    }
  }
  /** @param {number} by */
  const turn = (by) => episode && go(episode, Math.min(Math.max(step + by, 0), episode.steps.length))
  /** @param {number} by @param {number} [from] */
  const leaf = (by, from) => {
    if (shown.length === 0) return
    const at = from ?? shown.indexOf(episode)
    go(shown[at < 0 ? 0 : Math.min(Math.max(at + by, 0), shown.length - 1)], 0)
  }
  const follow = () => {
    const found = linkTarget(data, location.hash)
    if (found) show(found.episode, found.step)
    return Boolean(found)
  }

  /** @type {ReturnType<typeof setTimeout>} */
  let waiting
  elementOf('search').addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(list, 150)
  })
  elementOf('filters').addEventListener('change', list)
  elementOf('filters').addEventListener('submit', (event) => event.preventDefault())
  const slider = elementOf('slider')
  slider.addEventListener('input', () => go(episode, Number(slider.value)))
  elementOf('previous').addEventListener('click', () => turn(-1))
  elementOf('next').addEventListener('click', () => turn(1))
  document.addEventListener('keydown', (event) => onKey(event, turn, leaf))
  window.addEventListener('hashchange', follow)

  offerFilters(data)
  browser.hidden = false
  list()
  if (follow()) elementOf('episode').scrollIntoView({ behavior: 'instant' })
  else show(shown[0], 0)
}

/**
 * Handle a key: left and right change the step; j and k, and up and down inside the list, change the episode.
 * @param {KeyboardEvent} event @param {(by: number) => void} turn @param {(by: number, from?: number) => void} leaf
 */
function onKey (event, turn, leaf) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return
  const target = /** @type {HTMLElement} */ (event.target)
  const typing = target.closest('input:not([type=range]), select, textarea')
  const keeps = target.closest('input, pre, .scroll')
  const item = target.closest('#list li')
  const place = item?.parentElement ? [...item.parentElement.children].indexOf(item) : undefined
  /** @type {Record<string, (() => void) | false | null>} */
  const keys = {
    ArrowLeft: !keeps && (() => turn(-1)),
    ArrowRight: !keeps && (() => turn(1)),
    ArrowDown: item && (() => leaf(1, place)),
    ArrowUp: item && (() => leaf(-1, place)),
    j: () => leaf(1),
    k: () => leaf(-1)
  }
  const does = keys[event.key]
  if (typing || !does) return
  event.preventDefault()
  does()
}

/**
 * Scroll `box`, but not the page, and only if `element` is out of sight in it.
 * @param {HTMLElement} box @param {HTMLElement} element
 */
function keepInSight (box, element) {
  const above = element.offsetTop - box.offsetTop
  if (above < box.scrollTop) box.scrollTop = above
  else if (above + element.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = above + element.offsetHeight - box.clientHeight
  }
}

/** Unpack the episodes and show them, or show why that is not possible. */
async function main () {
  const notice = elementOf('notice')
  try {
    notice.textContent = 'Unpacking the episodes…'
    const data = await unpack()
    notice.textContent = data.episodes.length ? '' : 'There are no episodes in this evaluation.'
    if (data.episodes.length) startPage(data)
  } catch (error) {
    notice.textContent = `The episodes cannot be shown: ${error.message}. A browser of 2023 or newer is needed.`
  }
}

void main()
