/** Joins the parts: what is shown follows the link in the address, and the link follows what is done. */

function startPage(data) {
  let shown = [];
  let episode = null;
  let step = 0;
  const browser = document.getElementById("browser");

  const list = () => {
    shown = chosen(data);
    showList(shown, data.episodes.length);
    mark(false);
  };
  const mark = (scroll) => {
    const box = document.getElementById("list");
    for (const old of box.querySelectorAll("[tabindex='0']")) {
      old.tabIndex = -1;
      old.removeAttribute("aria-current");
    }
    const link = box.children[shown.indexOf(episode)]?.firstElementChild;
    (link ?? box.querySelector("a"))?.setAttribute("tabindex", "0");
    if (!link) return;
    link.setAttribute("aria-current", "true");
    if (scroll) keepInSight(box, link);
    if (scroll && box.contains(document.activeElement)) link.focus({ preventScroll: true });
  };
  const show = (nextEpisode, nextStep) => {
    const fresh = nextEpisode !== episode;
    episode = nextEpisode;
    step = nextStep;
    if (fresh) showEpisode(data, episode);
    showStep(data, episode, step);
    if (fresh) mark(true);
  };
  const go = (nextEpisode, nextStep) => {
    show(nextEpisode, nextStep);
    try {
      history.replaceState(null, "", linkTo(episode, step));
    } catch {
      // the address is a convenience; some browsers limit how often it may change
    }
  };
  const turn = (by) => episode && go(episode, Math.min(Math.max(step + by, 0), episode.steps.length));
  const leaf = (by, from) => {
    if (shown.length === 0) return;
    const at = from ?? shown.indexOf(episode);
    go(shown[at < 0 ? 0 : Math.min(Math.max(at + by, 0), shown.length - 1)], 0);
  };
  const follow = () => {
    const found = linked(data, location.hash);
    if (found) show(found.episode, found.step);
    return Boolean(found);
  };

  let waiting = 0;
  document.getElementById("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(list, 150);
  });
  document.getElementById("filters").addEventListener("change", list);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("slider").addEventListener("input", (event) => go(episode, Number(event.target.value)));
  document.getElementById("previous").addEventListener("click", () => turn(-1));
  document.getElementById("next").addEventListener("click", () => turn(1));
  document.addEventListener("keydown", (event) => onKey(event, turn, leaf));
  window.addEventListener("hashchange", follow);

  offerFilters(data);
  browser.hidden = false;
  list();
  if (follow()) document.getElementById("episode").scrollIntoView({ behavior: "instant" });
  else show(shown[0], 0);
}

/** Left and right step; j and k, and up and down inside the list, change the episode. */
function onKey(event, turn, leaf) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const typing = event.target.closest("input:not([type=range]), select, textarea");
  const keeps = event.target.closest("input, pre, .scroll");
  const item = event.target.closest("#list li");
  const place = item ? [...item.parentNode.children].indexOf(item) : undefined;
  const does = {
    ArrowLeft: !keeps && (() => turn(-1)),
    ArrowRight: !keeps && (() => turn(1)),
    ArrowDown: item && (() => leaf(1, place)),
    ArrowUp: item && (() => leaf(-1, place)),
    j: () => leaf(1),
    k: () => leaf(-1),
  }[event.key];
  if (typing || !does) return;
  event.preventDefault();
  does();
}

/** Scroll `box` alone, and only if `element` is out of sight in it. */
function keepInSight(box, element) {
  const above = element.offsetTop - box.offsetTop;
  if (above < box.scrollTop) box.scrollTop = above;
  else if (above + element.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = above + element.offsetHeight - box.clientHeight;
  }
}

const notice = document.getElementById("notice");
try {
  notice.textContent = "Unpacking the episodes…";
  const data = await unpack();
  notice.textContent = data.episodes.length ? "" : "There are no episodes in this evaluation.";
  if (data.episodes.length) startPage(data);
} catch (error) {
  notice.textContent = `The episodes cannot be shown: ${error.message}. A browser of 2023 or newer is needed.`;
}
