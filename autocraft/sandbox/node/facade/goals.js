/**
 * Define goals of walking, as mineflayer-pathfinder has them. They are plain values. The bot's own pathfinder walks.
 */

const whole = Math.floor
const at3 = (x, y, z) => (isPlace(x) ? [whole(x.x), whole(x.y), whole(x.z)] : [whole(x), whole(y), whole(z)])

class Goal {
  /** Return the goal as text for the bot, such as "near 1 64 -3 2". */
  text () {
    throw new TypeError(
      'the bot does not know this goal: use GoalNear, GoalBlock, GoalXZ or another of mineflayer-pathfinder'
    )
  }
}

/** Define a goal that has only numbers. @param {string} kind @param {(...args: any[]) => number[]} numbersOf */
function goal (kind, fields, numbersOf) {
  return class extends Goal {
    constructor (...args) {
      super()
      const numbers = numbersOf(...args)
      fields.forEach((name, index) => { this[name] = numbers[index] })
    }

    text () {
      const numbers = fields.map((name) => this[name])
      if (!numbers.every(Number.isFinite)) throw new TypeError(`${kind} needs numbers for ${fields.join(', ')}`)
      return [kind, ...numbers].join(' ')
    }
  }
}

const XYZ = ['x', 'y', 'z']
const GoalBlock = goal('block', XYZ, at3)
const GoalGetToBlock = goal('beside', XYZ, at3)
const GoalNear = goal('near', [...XYZ, 'range'], (x, y, z, range) =>
  isPlace(x) ? [...at3(x), y ?? 1] : [...at3(x, y, z), range ?? 1]
)
const GoalXZ = goal('xz', ['x', 'z'], (x, z) => [whole(x), whole(z)])
const GoalNearXZ = goal('nearxz', ['x', 'z', 'range'], (x, z, range) => [whole(x), whole(z), range ?? 1])
const GoalY = goal('y', ['y'], (y) => [whole(y)])
const GoalLookAtBlock = goal('look', XYZ, at3)
const GoalBreakBlock = GoalLookAtBlock
const GoalPlaceBlock = goal('place', XYZ, at3)

/** Follow a creature, or walk to its last place. */
class GoalFollow extends Goal {
  constructor (entity, range = 1) { super(); this.entity = entity; this.range = range }
  text () {
    if (!this.entity || !isPlace(this.entity.position)) throw new TypeError('GoalFollow needs an entity')
    return new GoalNear(this.entity.position, this.range).text()
  }
}

class GoalInvert extends Goal {
  constructor (inner) { super(); this.goal = inner }
  text () { return `not ${this.goal.text()}` }
}

class GoalCompositeAny extends Goal {
  constructor (goals = []) { super(); this.goals = goals }
  push (inner) { this.goals.push(inner) }
  text () { return this.goals.map((each) => each.text()).join(' or ') }
}

class GoalCompositeAll extends GoalCompositeAny {
  text () { return this.goals.map((each) => each.text()).join(' and ') }
}

const goals = {
  Goal, GoalBlock, GoalBreakBlock, GoalCompositeAll, GoalCompositeAny, GoalFollow, GoalGetToBlock, GoalInvert,
  GoalLookAtBlock, GoalNear, GoalNearXZ, GoalPlaceBlock, GoalXZ, GoalY
}

/** How a program wants to walk by `bot.pathfinder`. The bot heeds these fields, and refuses all others. */
class Movements {
  canDig = true
  canOpenDoors = true
  digCost = 1
  placeCost = 1
  liquidCost = 1
  maxDropDown = 4
  allow1by1towers = true
  allowParkour = true
  allowSprinting = true
  scafoldingBlocks = ['dirt', 'cobblestone'].map((name) => mcData.itemsByName[name]?.id)
  blocksCantBreak = new Set()
  blocksToAvoid = new Set()

  /** Return the fields that the program changed as JSON, or undefined if there are none. */
  text () {
    const plain = (value) => (typeof value === 'object' ? [...new Set(value)].sort() : value)
    const changed = Object.entries(new Movements()).filter(([name, usual]) =>
      String(plain(this[name])) !== String(plain(usual)))
    return changed.length
      ? JSON.stringify(Object.fromEntries(changed.map(([name]) => [name, plain(this[name])])))
      : undefined
  }
}

const refuseField = (target, name) => {
  if (name in target || typeof name === 'symbol' || name === 'then' || name === 'toJSON') return target[name]
  throw new Error(`Movements.${name} is not offered to programs; there are ${Object.keys(new Movements()).join(', ')}`)
}
Object.setPrototypeOf(Movements.prototype, new Proxy({}, { get: refuseField, set: refuseField }))
