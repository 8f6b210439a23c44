/** The list of episodes: filters, search and order. */

const ORDERS = {
  "as played": () => 0,
  id: (one, other) => compare(one.id, other.id) || one.seed - other.seed,
  level: (one, other) => levelRank(one) - levelRank(other) || one.index - other.index,
  "failures first": (one, other) => one.success - other.success || one.index - other.index,
  "most turns": (one, other) => other.turns - one.turns || one.index - other.index,
  "most actions over the minimum": (one, other) => extra(other) - extra(one) || one.index - other.index,
  "most tokens": (one, other) => tokens(other) - tokens(one) || one.index - other.index,
};
const RANKS = ["easy", "medium", "hard", "impossible"];

const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
const levelRank = (episode) => (RANKS.indexOf(episode.level) + RANKS.length + 1) % (RANKS.length + 1);
const extra = (episode) => (episode.success && episode.minimum !== null ? episode.actions - episode.minimum : -Infinity);
const tokens = (episode) => episode.tokens[0] + episode.tokens[1];

/** Offer the levels and outcomes that occur. */
function offerFilters(data) {
  const add = (id, names) => document.getElementById(id).append(...names.map((name) => make("option", { value: name }, name)));
  const found = (field) => [...new Set(data.episodes.map((episode) => episode[field]))];
  add("level", found("level").sort((one, other) => levelRank({ level: one }) - levelRank({ level: other })));
  add("outcome", [...new Set(["solved", "not solved", ...found("outcome").sort()])]);
  add("sort", Object.keys(ORDERS));
}

/** The episodes that the filters let through, in the order chosen. */
function chosen(data) {
  const value = (id) => document.getElementById(id).value;
  const words = value("search").trim().toLowerCase();
  const said = words ? saying(data, words) : null;
  return data.episodes
    .filter((episode) => !value("level") || episode.level === value("level"))
    .filter((episode) => fits(episode, value("outcome")))
    .filter((episode) => !words || mentions(episode, words, said))
    .sort(ORDERS[value("sort")] ?? ORDERS["as played"]);
}

function fits(episode, outcome) {
  if (outcome === "not solved") return !episode.success && episode.outcome !== "void";
  return !outcome || episode.outcome === outcome;
}

/** The numbers of the texts that hold `words`. */
function saying(data, words) {
  const found = new Set();
  data.strings.forEach((text, number) => {
    if ((typeof text === "string" ? text : text[0]).toLowerCase().includes(words)) found.add(number);
  });
  return found;
}

function mentions(episode, words, said) {
  const name = `${episode.key} ${episode.target} ${episode.target.replaceAll("_", " ")} ${episode.type}`.toLowerCase();
  return name.includes(words) || said.has(episode.error)
    || episode.steps.some((step) => said.has(step.action) || said.has(step.answer) || said.has(step.text));
}

/** A link for each episode; the browser lays out only those in sight, and Tab reaches only the one that is shown. */
function showList(episodes, all) {
  fill("list", episodes.map((episode) => make("li", {},
    make("a", { href: linkTo(episode), tabindex: -1, class: episode.success ? "solved" : episode.outcome === "void" ? "void" : "failed" },
      make("span", { class: "id" }, episode.key),
      make("bdi", { class: "target" }, episode.target),
      make("span", { class: "level" }, episode.level),
      make("span", { class: "outcome" }, episode.outcome),
      make("span", { class: "actions" }, actionsText(episode))))));
  const count = document.getElementById("count");
  count.textContent = `${episodes.length.toLocaleString("en")} of ${all.toLocaleString("en")} episodes`;
}

function actionsText(episode) {
  const least = episode.minimum === null ? "" : ` / ${episode.minimum}`;
  return episode.actions || least ? `${episode.actions}${least}` : "";
}

/** "#TEST0018-0", or "#TEST0018-0:7" for its seventh step. */
function linkTo(episode, step = 0) {
  return `#${encodeURIComponent(episode.key)}${step ? `:${step}` : ""}`;
}

/** The episode and step that a link names; null when it names none. */
function linked(data, hash) {
  let key;
  try {
    key = decodeURIComponent(hash.replace(/^#/, ""));
  } catch {
    return null;
  }
  const byKey = (name) => data.episodes.find((episode) => episode.key === name);
  const whole = byKey(key);
  if (whole) return { episode: whole, step: 0 };
  const parts = /^(.*):(\d+)$/s.exec(key);
  const episode = parts && byKey(parts[1]);
  return episode ? { episode, step: Math.min(Number(parts[2]), episode.steps.length) } : null;
}
