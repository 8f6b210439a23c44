'use strict'
/**
 * Limit what the bot may do, whatever a command, a program or the pathfinder asks for. Every packet that digs, places,
 * uses or attacks is judged here just before it is sent, so nothing can avoid it. `movement.js` limits walking, and
 * stops a bot that is carried out of its bounds.
 */
const need = require('../shared/need')
const { checkBounds } = require('../shared/fault')
const { matching } = require('../shared/matching')
const { kindOf, ways } = require('./flight')
const { isUsed } = require('./nature')
const { judgePackets } = require('./patches/packets')
const { SIDES } = require('./sides')
const { ahead } = require('./sight')
const { place } = require('./words')

/** Items that act only on the block or the creature itself. All other items are judged by where they may act. */
const TOOL = new RegExp(
  '_(pickaxe|axe|shovel|hoe|sword|helmet|chestplate|leggings|boots)$|^(shears|shield|elytra|spyglass|goat_horn)$'
)
const DRUNK = /^(potion|milk_bucket|honey_bottle|ominous_bottle)$/
/** What animals are fed with, in addition to what the bot itself can eat. */
const FODDER = /^(wheat|bone|sugar|hay_block|seagrass|bamboo|slime_ball|cactus)$|_seeds$/
const BURNS = /^(lava_bucket|flint_and_steel|fire_charge|tnt|end_crystal)$/
/** Blocks that no walk breaks, beside those that are used. */
const STAYS = /^(farmland|wheat|carrots|potatoes|spawner)$/
const CREATURES = new Set(['player', 'mob', 'animal', 'passive', 'hostile', 'water_creature', 'ambient'])
const NEAR = 1 // blocks beside its computed way that a shot may hit, since no shot flies quite straight
const FIRE = 3 // blocks that a fire reaches at once
/** @type {Record<string, number>} */
const BURSTS = { tnt: 8, end_crystal: 12 } // blocks that an explosion reaches
const LEAP = 8 // blocks along each axis that a chorus fruit may move the bot

/** @param {Bot} bot */
module.exports = function bounds (bot) {
  const { Vec3 } = need('vec3')
  const set = bot.autocraft.options.bounds || {}
  const fence = set.fence || null // [x1, z1, x2, z2]
  const [low, high] = set.heights || [-Infinity, Infinity]
  const spared = (set.protected || []).map((name) => matching([name]))
  const peaceful = (set.never_attack || []).map((name) => matching([name]))

  /** Return why a place is out of bounds, or '' if it is inside. @param {Vec3} at */
  const outside = (at) => {
    const [x, y, z] = [Math.floor(at.x), Math.floor(at.y), Math.floor(at.z)]
    if (fence && (x < fence[0] || x > fence[2] || z < fence[1] || z > fence[3])) {
      return `${place(at)} is outside the fence`
    }
    if (y < low || y > high) return `${place(at)} is outside the heights ${low} to ${high}`
    return ''
  }

  /** Return why a block may not be broken, or '' if it may be. @param {Block | null | undefined} block */
  const keep = (block) => {
    if (!block) return ''
    const far = outside(block.position)
    if (far) return far
    const own = bot.autocraft.journal && bot.autocraft.journal.placed(block.position)
    return !own && spared.some((each) => each.test(block.name))
      ? `${block.name} at ${place(block.position)} is protected`
      : ''
  }

  /**
   * Return why a block stays unless a command names it, or '' if a walk or a shelter may break it.
   * @param {Block} block
   */
  const stays = (block) => {
    const { journal } = bot.autocraft
    const work = journal?.work(block.position)
    const used = (isUsed(block.name) || STAYS.test(block.name)) && !journal?.isStation(block.position)
    const why = work ? 'a command placed' : used ? 'no walk breaks' : ''
    return keep(block) || (why && `${why} ${block.name} at ${place(block.position)}`)
  }

  /** @param {...string} names */
  const listed = (...names) => peaceful.some((each) => names.some((one) => each.test(one)))

  /** Return why an entity is never attacked, or '' if it may be attacked. @param {Entity} entity */
  const friend = (entity) => {
    const player = entity.type === 'player'
    const on = player ? listed('player', `player:${entity.username}`) : listed(entity.name || '')
    return on ? `${entity.username || entity.name} is never attacked` : ''
  }

  /**
   * Tell whether a place that is not loaded may hold a friend (somebody of `never_attack`), or be out of bounds.
   * Creatures may be anywhere; players only if they are online.
   */
  const unseen = () =>
    Boolean(fence || set.heights) ||
    (set.never_attack || []).some((each) => !/^player(:|$)/.test(each)) ||
    Object.keys(bot.players).some((name) => name !== bot.username && listed('player', `player:${name}`))

  /** Return why an entity may not be attacked, or '' if it may be. @param {Entity | null | undefined} entity */
  const spare = (entity) => entity ? friend(entity) || outside(entity.position) : ''

  /**
   * Return why nothing may be used on an entity, or '' if something may be. The fence counts. A friend may be fed,
   * ridden and talked to.
   * @param {Entity | undefined} entity @param {Item | null} item
   */
  const touch = (entity, item) => {
    if (!entity) return ''
    const kind = CREATURES.has(entity.type) && (!item || eaten(item) || FODDER.test(item.name))
    return kind ? outside(entity.position) : spare(entity)
  }

  /** @param {Item} item */
  const eaten = (item) => Boolean(bot.registry.foodsByName && bot.registry.foodsByName[item.name])

  /** Return the friends that something that flies or burns could hurt. */
  const friends = () =>
    Object.values(bot.entities).filter((each) => each !== bot.entity && each.position && friend(each))

  /**
   * Return who must not have anything so near to a point, or ''.
   * @param {Vec3} at @param {number} around @param {Entity[]} all
   */
  const meets = (at, around, all) => {
    const hit = all.find(({ position: p, width = 0.6, height = 1.8 }) =>
      Math.hypot(at.x - p.x, at.z - p.z) <= around + width / 2 && at.y >= p.y - around && at.y <= p.y + height + around)
    return hit ? friend(hit) : ''
  }

  /**
   * Return why an item may not be thrown or shot now, or ''. Every point of every way that it may take is judged.
   * @param {Item} item @param {Flight} kind
   */
  const flight = (item, kind) => {
    if (!fence && !set.heights && !peaceful.length) return ''
    const all = friends()
    for (const { points, ends } of ways(bot, kind)) {
      for (const at of points) {
        const why = outside(at) || meets(at, NEAR, all)
        if (why) return why
      }
      if (!ends && unseen()) return `it is not known where this ${item.name} would land`
      const why = meets(points[points.length - 1], kind.around, all)
      if (why) return why
    }
    return ''
  }

  /** Return why an item may not act on a place, or ''. @param {Item} item @param {Vec3} at */
  const reach = (item, at) => {
    const far = BURSTS[item.name] || 0
    return outside(at) || (far && around(at, far)) ||
      (BURNS.test(item.name) ? meets(at.offset(0.5, 0.5, 0.5), far || FIRE, friends()) : '')
  }

  /** Return why nothing may act within so many blocks of a place, or ''. @param {Vec3} at @param {number} far */
  const around = (at, far) => outside(at.offset(-far, -far, -far)) || outside(at.offset(far, far, far))

  /**
   * Return why the held item may not be used on what the bot looks at, or '': to pour, to scoop, or to launch a boat.
   * @param {Item} item
   */
  const point = (item) => {
    const liquid = ahead(bot, 6, (block) => block.boundingBox !== 'empty' || /water|lava/.test(block.name))
    const solid = ahead(bot, 6)
    return (
      (liquid && reach(item, liquid.position)) ||
      (solid &&
        (reach(item, solid.position) || reach(item, solid.position.plus(SIDES[solid.face] || new Vec3(0, 0, 0))))) ||
        ''
    )
  }

  /**
   * Return why an item may not be used where the bot looks, or ''. A bow and a trident shoot when they are released.
   * @param {Item | null} item
   */
  const use = (item) => {
    if (item && item.name === 'chorus_fruit') return around(bot.entity.position, LEAP)
    if (!item || TOOL.test(item.name) || eaten(item)) return ''
    const kind = kindOf(item)
    if (kind) return /^(bow|trident)$/.test(item.name) ? '' : flight(item, kind)
    return DRUNK.test(item.name) ? '' : point(item)
  }

  let using = 0 // the number of the hand whose item is in use
  /** @param {number} hand */
  const inHand = (hand) => hand === 1 ? bot.inventory.slots[45] : bot.heldItem

  /** @param {string} why */
  const refuse = (why) => {
    if (why) bot.autocraft.tell({ event: 'refused', why })
    checkBounds(why)
  }

  /** Judges a packet, by its name. Throws a Fault to refuse it. @type {Record<string, (packet: any) => void>} */
  const judge = {
    /** @param {any} packet */
    block_dig (packet) { // 0 starts and 2 ends digging; 3 to 6 are about the hands
      const item = packet.status === 5 ? inHand(using) : null // the item that is released
      const kind = item && /^(bow|trident)$/.test(item.name) ? kindOf(item) : null
      if (item && kind) refuse(flight(item, kind))
      if (packet.status === 0 || packet.status === 2) {
        refuse(
          keep(bot.blockAt(new Vec3(packet.location.x, packet.location.y, packet.location.z))) ||
          outside(packet.location)
        )
      }
    },
    /** @param {any} packet */
    block_place (packet) {
      if (!packet.location || packet.direction === -1) { // before 1.9 an item was used in this way
        using = 0
        return refuse(use(bot.heldItem))
      }
      const at = new Vec3(packet.location.x, packet.location.y, packet.location.z)
      const target = SIDES[packet.direction] ? at.plus(SIDES[packet.direction]) : at
      const item = inHand(packet.hand)
      refuse(outside(at) || (item && !TOOL.test(item.name) ? reach(item, target) : ''))
    },
    /** @param {any} packet */
    use_item (packet) {
      using = packet.hand || 0
      refuse(use(inHand(using)))
    },
    /** @param {any} packet */
    use_entity (packet) {
      const entity = bot.entities[packet.target]
      refuse(packet.mouse === 1 ? spare(entity) : touch(entity, inHand(packet.hand)))
    },
    /** @param {any} packet */
    chat (packet) { slash(packet.message) },
    /** @param {any} packet */
    chat_message (packet) { slash(packet.message) },
    /** @param {any} packet */
    chat_command (packet) { slash(`/${packet.command}`) },
    /** @param {any} packet */
    chat_command_signed (packet) { slash(`/${packet.command}`) }
  }

  /** @param {string} text */
  function slash (text) {
    if (typeof text !== 'string' || !text.startsWith('/')) return
    if (!set.cheats) refuse('server commands are switched off (--cheats switches them on)')
    bot.autocraft.tell({ event: 'cheat', text })
  }

  judgePackets(bot, judge)
  bot.autocraft.bounds = { outside, keep, stays, spare, fence, low, high }
}
