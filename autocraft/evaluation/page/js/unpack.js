/**
 * Unpack the episodes from the packed block of this page; `pack.py` made it and has its format.
 *
 * Everything in it is untrusted: `make` of `autocraft/page` puts it into text nodes,
 * and it is never parsed as markup.
 */

/** @returns {Promise<Data>} */
async function unpack () {
  const packed = atob(elementOf('packed').textContent)
  const bytes = new Uint8Array(packed.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = packed.charCodeAt(at)
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  const data = JSON.parse(await new Response(stream).text())
  data.episodes.forEach(read)
  return data
}

/**
 * Name the parts of each step, and compute the slots after it from its changes.
 * @param {any} episode as it was packed, an Episode afterwards @param {number} index
 */
function read (episode, index) {
  episode.index = index
  let slots = changed(new Map(), episode.start)
  episode.slots = [slots]
  episode.steps = episode.steps.map((/** @type {any[]} */ [kind, ok, action, answer, text, moves, changes]) => {
    slots = changed(slots, changes)
    episode.slots.push(slots)
    return { kind, ok: Boolean(ok), action, answer, text, moves }
  })
}

/**
 * Return `slots` (number -> {item, count}) after changes: a flat list of slot, item and count. A count of 0 empties a
 * slot.
 * @param {Slots} slots @param {any[]} changes @returns {Slots}
 */
function changed (slots, changes) {
  const after = new Map(slots)
  for (let at = 0; at < changes.length; at += 3) {
    const [slot, item, count] = changes.slice(at, at + 3)
    if (count) after.set(slot, { item, count })
    else after.delete(slot)
  }
  return after
}

/**
 * Return the element with this id. The template contains it.
 * @template {string} T @param {T} id @returns {T extends keyof Parts ? Parts[T] : HTMLElement}
 */
function elementOf (id) {
  return /** @type {any} */ (document.getElementById(id))
}

/**
 * Replace the children of the element with this id, and return the element.
 * @param {string} id @param {...Child} children
 */
function fill (id, ...children) {
  const element = elementOf(id)
  element.replaceChildren(.../** @type {(Node | string)[]} */ (children.flat()))
  return element
}
