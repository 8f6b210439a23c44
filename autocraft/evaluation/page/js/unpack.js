/**
 * The episodes, from the packed block of this page; `pack.py` made it and has its format.
 *
 * Everything in it is untrusted: it is only ever put into text nodes (`make` below), never parsed as markup.
 */

/** @returns {Promise<object>} {strings, episodes} */
async function unpack() {
  const packed = atob(document.getElementById("packed").textContent);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = packed.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(stream).text());
  data.episodes.forEach((episode, index) => read(episode, index));
  return data;
}

/** Name the parts of each step, and work out the slots after it from what it changed. */
function read(episode, index) {
  episode.index = index;
  episode.slots = [changed(new Map(), episode.start)];
  episode.steps = episode.steps.map(([kind, ok, action, answer, text, moves, changes]) => {
    episode.slots.push(changed(episode.slots.at(-1), changes));
    return { kind, ok: Boolean(ok), action, answer, text, moves };
  });
}

/** `slots` (number -> {item, count}) after flat `changes`: slot, item, count, and so on; a count of 0 empties it. */
function changed(slots, changes) {
  const after = new Map(slots);
  for (let at = 0; at < changes.length; at += 3) {
    const [slot, item, count] = changes.slice(at, at + 3);
    if (count) after.set(slot, { item, count });
    else after.delete(slot);
  }
  return after;
}

const SVG = new Set(["svg", "g", "rect", "text", "title", "path"]);

/** An element with attributes and children; a child that is a string becomes a text node. */
function make(name, attributes = {}, ...children) {
  const element = SVG.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/** The element of this id, emptied and filled anew. */
function fill(id, ...children) {
  const element = document.getElementById(id);
  element.replaceChildren(...children.flat());
  return element;
}
