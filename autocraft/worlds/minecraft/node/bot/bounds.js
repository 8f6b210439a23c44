'use strict'
/**
 * What the bot may do at all, whatever a command, a program or the pathfinder wants: every packet that digs, places,
 * uses or attacks passes here last, so nothing above can get around it. Movement is bounded by `movement.js`, and what
 * drifts out is stopped here.
 */
const need = require('./need')
const { Fault } = require('./fault')
const { ahead } = require('./sight')
const { place } = require('./words')

/** @param {any} bot */
module.exports = function bounds (bot) {
  const { Vec3 } = need('vec3')
  const set = bot.options_.bounds || {}
  const fence = set.fence || null // [x1, z1, x2, z2]
  const [low, high] = set.heights || [-Infinity, Infinity]
  const spared = (set.protected || []).map(pattern)
  const peaceful = (set.never_attack || []).map(pattern)
  const faces = [[0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]].map((way) => new Vec3(...way))

  /** Why this place is out of bounds; '' when it is inside. */
  const outside = (at) => {
    const [x, y, z] = [Math.floor(at.x), Math.floor(at.y), Math.floor(at.z)]
    if (fence && (x < fence[0] || x > fence[2] || z < fence[1] || z > fence[3])) return `${place(at)} is outside the fence`
    if (y < low || y > high) return `${place(at)} is outside the heights ${low} to ${high}`
    return ''
  }

  /** Why this block may not be broken; ''. */
  const keep = (block) => {
    if (!block) return ''
    const far = outside(block.position)
    if (far) return far
    const own = bot.journal && bot.journal.placed(block.position)
    return !own && spared.some((each) => each.test(block.name)) ? `${block.name} at ${place(block.position)} is protected` : ''
  }

  /** Why this entity may not be attacked; ''. */
  const spare = (entity) => {
    if (!entity) return ''
    const name = entity.type === 'player' ? 'player' : entity.name
    const who = [name, entity.type === 'player' ? `player:${entity.username}` : name]
    if (peaceful.some((each) => who.some((one) => each.test(one)))) return `${entity.username || name} is never attacked`
    return outside(entity.position)
  }

  /** Whether something stands in the world when this item is used on a block. */
  const becomesBlock = (name) => name in bot.registry.blocksByName || /_bucket$|_seeds$|^(carrot|potato|redstone|string)$/.test(name)

  const refuse = (why) => {
    if (!why) return
    bot.tell({ event: 'refused', why })
    throw new Fault(`Out of bounds: ${why}`, 'bounds')
  }

  const judge = {
    block_dig (packet) { // 0 starts and 2 ends digging; 3 to 6 are about the hands
      if (packet.status === 0 || packet.status === 2) refuse(keep(bot.blockAt(new Vec3(packet.location.x, packet.location.y, packet.location.z))) || outside(packet.location))
    },
    block_place (packet) {
      if (!packet.location || packet.direction === -1) return
      const at = new Vec3(packet.location.x, packet.location.y, packet.location.z)
      const target = faces[packet.direction] ? at.plus(faces[packet.direction]) : at
      refuse(outside(at) || (bot.heldItem && becomesBlock(bot.heldItem.name) ? outside(target) : ''))
    },
    use_item () { // what a bucket does, it does where the bot looks
      if (!bot.heldItem || !/bucket$/.test(bot.heldItem.name)) return
      const liquid = ahead(bot, 6, (block) => block.boundingBox !== 'empty' || /water|lava/.test(block.name))
      const solid = ahead(bot, 6)
      if (liquid) refuse(outside(liquid.position))
      if (solid) refuse(outside(solid.position) || outside(solid.position.plus(faces[solid.face] || new Vec3(0, 0, 0))))
    },
    use_entity (packet) {
      if (packet.mouse === 1) refuse(spare(bot.entities[packet.target]))
    },
    chat (packet) { slash(packet.message) },
    chat_message (packet) { slash(packet.message) },
    chat_command (packet) { slash(`/${packet.command}`) },
    chat_command_signed (packet) { slash(`/${packet.command}`) }
  }

  function slash (text) {
    if (typeof text !== 'string' || !text.startsWith('/')) return
    if (!set.cheats) refuse('server commands are switched off (--cheats switches them on)')
    bot.tell({ event: 'cheat', text })
  }

  const write = bot._client.write.bind(bot._client)
  bot._client.write = (name, packet) => {
    if (judge[name]) judge[name](packet)
    return write(name, packet)
  }

  bot.bounds = { outside, keep, spare, fence, low, high }
}

/** A name with * as a pattern. @param {string} name */
function pattern (name) {
  return new RegExp(`^${name.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`)
}
