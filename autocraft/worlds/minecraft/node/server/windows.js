'use strict'
/** Build windows: rows of places that a player can click. A place reads and writes one slot of something. */

/**
 * Return the place of one slot of a list.
 * @param {(Stack | null)[]} list @param {number} index @param {Partial<Place>} [more] @returns {Place}
 */
function place (list, index, more = {}) {
  return { get: () => list[index], set: (stack) => { list[index] = stack }, ...more }
}

const ARMOR = ['helmet', 'chestplate', 'leggings', 'boots']

/**
 * Return the player's own window: result, 2 x 2 grid, armor, inventory, quick bar, off hand. The slots are those of the
 * protocol, 0 to 45.
 * @param {Player} player @param {Place} result of what the grid makes @returns {GameWindow}
 */
function ownWindow (player, result) {
  const places = [result]
  for (let i = 0; i < 4; i++) places.push(place(player.grid, i))
  for (let i = 0; i < 4; i++) {
    places.push(
      place(player.slots, 5 + i, {
        most: 1,
        fits: ({ name }) => name.endsWith(ARMOR[i]) || (i === 0 && name === 'carved_pumpkin')
      })
    )
  }
  for (let i = 9; i < 45; i++) places.push(place(player.slots, i))
  places.push(place(player.slots, 45))
  return { id: 0, places, own: 9, inventory: [9, 45], quick: 36, grid: [1, 5] }
}

/**
 * Return a window over something else: first its places, then the player's inventory.
 * @param {Player} player @param {WindowParts & {id: number}} parts @returns {GameWindow}
 */
function boxWindow (player, { places, ...parts }) {
  const all = [...places]
  for (let i = 9; i < 45; i++) all.push(place(player.slots, i))
  const own = places.length
  return { ...parts, places: all, own, inventory: [own, own + 36], quick: own + 27 }
}

module.exports = { place, ownWindow, boxWindow }
