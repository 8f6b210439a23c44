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
 * Name the parts of each step, and work out the slots after it from what it changed.
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
 * `slots` (number -> {item, count}) after flat `changes`: slot, item, count, and so on; a count of 0 empties it.
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
 * The element of this id, which the template has.
 * @template {string} T @param {T} id @returns {T extends keyof Parts ? Parts[T] : HTMLElement}
 */
function elementOf (id) {
  return /** @type {any} */ (document.getElementById(id))
}

/** The element of this id, emptied and filled anew. @param {string} id @param {...Child} children */
function fill (id, ...children) {
  const element = elementOf(id)
  element.replaceChildren(.../** @type {(Node | string)[]} */ (children.flat()))
  return element
}
