/** Define mcData: the tables of the game by name and id. An entry is read at its first use. */
const TABLES = [
  'itemsByName', 'items', 'blocksByName', 'blocks', 'foodsByName', 'foods', 'entitiesByName', 'entities', 'recipes',
  'biomes', 'biomesByName', 'enchantmentsByName', 'effectsByName', 'materials'
]
const LISTS = {
  itemsArray: 'items', blocksArray: 'blocks', foodsArray: 'foods', entitiesArray: 'entities', biomesArray: 'biomes'
}

/** Return one table. It is read completely only if a program lists its names. */
function table (name) {
  const entries = new Map()
  const one = (key) => {
    if (typeof key !== 'string' || key === 'then' || key === 'toJSON') return undefined
    if (!entries.has(key)) {
      const found = fact('data', name, key)
      entries.set(key, found === null ? undefined : found)
    }
    if (entries.get(key) === undefined) {
      absent = () => `mcData.${name}.${key} in Minecraft ${mcData.version.minecraftVersion}`
    }
    return entries.get(key)
  }
  return new Proxy({}, {
    get: (target, key) => (key in target ? target[key] : one(key)),
    has: (target, key) => one(key) !== undefined,
    ownKeys (target) {
      const whole = fact('table', name)
      for (const key of Object.keys(whole)) if (!entries.has(key)) entries.set(key, whole[key])
      return [...new Set([...Object.keys(whole), ...Reflect.ownKeys(target)])]
    },
    getOwnPropertyDescriptor (target, key) {
      const value = key in target ? target[key] : one(key)
      return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: true }
    }
  })
}

const mcData = Object.create(noting('mcData'))
for (const name of TABLES) lazily(mcData, name, () => table(name))
for (const [name, of] of Object.entries(LISTS)) lazily(mcData, name, () => Object.values(fact('table', of)))
lazily(mcData, 'version', () => fact('version'))
mcData.findItemOrBlockByName = (name) => mcData.itemsByName[name] || mcData.blocksByName[name]
mcData.findItemOrBlockById = (id) => mcData.items[String(id)] || mcData.blocks[String(id)]
mcData.isNewerOrEqualTo = (version) => compare(mcData.version.minecraftVersion, version) >= 0
mcData.isOlderThan = (version) => compare(mcData.version.minecraftVersion, version) < 0

/** Define a property whose value is computed at its first read. */
function lazily (target, name, make) {
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get () {
      const value = make()
      Object.defineProperty(target, name, { value, writable: true, enumerable: true })
      return value
    }
  })
}

function compare (a, b) {
  const [left, right] = [a, b].map((each) => String(each).split('.').map(Number))
  for (let i = 0; i < 3; i++) if ((left[i] || 0) !== (right[i] || 0)) return (left[i] || 0) - (right[i] || 0)
  return 0
}

/** Return the id of a name, an id, or an item. */
function itemId (value) {
  if (value && typeof value === 'object') return value.type !== undefined ? value.type : value.id
  if (typeof value === 'string') { const item = mcData.itemsByName[value]; return item ? item.id : -1 }
  return value
}

/** Return the name of an id, a name, or an item. */
function itemName (value) {
  if (value && typeof value === 'object' && value.name) return value.name
  if (typeof value === 'string') return value
  const item = mcData.items[String(itemId(value))]
  if (!item) throw new Error(`there is no item with the id ${value}`)
  return item.name
}
