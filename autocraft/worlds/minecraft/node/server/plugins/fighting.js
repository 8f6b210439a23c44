'use strict'
/**
 * Let players hit mobs and each other, and shoot with a bow. An arrow hits at once, at the end of its straight line.
 */
const { blowOf } = require('../../shared/weapons')
const { sees } = require('../body')
const { less } = require('../stacks')
const { MOBS } = require('../tables/mobs')

const REACH = 6 // blocks from the eyes to the middle, as a Minecraft server allows
const REACH_UNSEEN = 3
const BOW_REACH = 40
const EYES = 1.62

/** @param {Serv} serv */
module.exports = function inject (serv) {
  const random = serv.random('fighting')

  serv.on('newPlayer', (player) => {
    player.struckAt = -100

    player._client.on('use_entity', ({ target, mouse }) => {
      const victim = serv.entities[target]
      if (
        mouse !== 1 ||
        !victim ||
        victim === player ||
        (victim.type !== 'player' && victim.kind !== 'mob') ||
        player.health <= 0
      ) {
        return
      }
      const eyes = player.position.offset(0, EYES, 0)
      const middle = victim.position.offset(0, victim.height / 2, 0)
      if (eyes.distanceTo(middle) > (sees(serv.world, eyes, middle) ? REACH : REACH_UNSEEN)) return
      const { damage, speed } = blowOf(player.inHand()?.name ?? '')
      const charged = Math.min(1, (serv.clock.tick - player.struckAt + 0.5) / (20 / speed))
      player.struckAt = serv.clock.tick
      const falling = player.fallen > 0 && !player.onGround && charged > 0.9
      const hit = serv.strike(victim, damage * (0.2 + charged * charged * 0.8) * (falling ? 1.5 : 1), player)
      if (!hit) return
      serv.tire(player, 0.1)
      const name = player.inHand()?.name ?? ''
      serv.wearHeld(player, name.endsWith('_sword') ? 1 : /_(axe|pickaxe|shovel)$/.test(name) ? 2 : 0)
    })
  })

  /** Hurt a mob or a player. @returns {boolean} whether it counted */
  serv.strike = (victim, damage, by) => {
    if (victim.type === 'player') return victim.hurt(damage, `was slain by ${by.username ?? by.name}`, by)
    if (victim.health <= 0 || serv.clock.tick < victim.unhurtUntil) return false
    victim.health -= damage
    victim.unhurtUntil = serv.clock.tick + 10
    victim.hurtBy = by
    victim.frightUntil = serv.clock.tick + 100
    const away = victim.position.minus(by.position)
    const length = Math.hypot(away.x, away.z) || 1
    victim.velocity.x += away.x / length * 0.4
    victim.velocity.z += away.z / length * 0.4
    victim.velocity.y = 0.36
    serv.tellNear(victim, 'entity_status', { entityId: victim.id, entityStatus: victim.health > 0 ? 2 : 3 })
    if (victim.health <= 0) serv.killMob(victim)
    return true
  }

  /** Kill a mob: its items drop now, and it vanishes a second later. */
  serv.killMob = (mob) => {
    mob.diesAt = serv.clock.tick + 20
    for (const [name, fewest, most, chance] of MOBS[mob.name].drops) {
      const count = random.chance(chance) ? random.between(fewest, most) : 0
      const item = mob.burning > 0 && serv.registry.itemsByName[`cooked_${name}`] ? `cooked_${name}` : name
      if (count > 0) serv.dropItem(mob.position.offset(0, 0.3, 0), { name: item, count })
    }
  }

  /** Shoot an arrow. @param {number} drawn ticks */
  serv.shootBow = (player, drawn) => {
    const slot = player.slots.findIndex((stack) => stack?.name === 'arrow')
    const t = drawn / 20
    const power = Math.min(1, (t * t + 2 * t) / 3)
    if (slot < 0 || power < 0.1) return
    const arrows = player.slots[slot]
    if (arrows) player.setSlot(slot, less(arrows))
    serv.wearHeld(player, 1)
    const from = player.position.offset(0, EYES, 0)
    const look = serv.lookOf(player)
    for (let d = 0.5; d < BOW_REACH * power; d += 0.2) {
      const p = from.plus(look.scaled(d))
      if (serv.world.solidAt(Math.floor(p.x), Math.floor(p.y), Math.floor(p.z))) return
      const victim = Object.values(serv.entities).find(
        (e) =>
          e !== player &&
          e.kind !== 'item' &&
          e.health > 0 &&
          Math.abs(e.position.x - p.x) < e.width / 2 + 0.3 &&
          Math.abs(e.position.z - p.z) < e.width / 2 + 0.3 &&
          p.y > e.position.y - 0.3 &&
          p.y < e.position.y + e.height + 0.3
      )
      if (victim) return serv.strike(victim, Math.ceil(power * 6), player)
    }
  }
}
