/** What autocraft, mineflayer and mineflayer-pathfinder use of minecraft-data 3: only its shape, none of its 430 MB. */
declare namespace minecraftData {
  interface Item {
    id: number
    name: string
    displayName: string
    stackSize: number
    maxDurability?: number
    repairWith?: string[]
  }

  interface StateProperty {
    name: string
    type: 'enum' | 'bool' | 'int' | 'direction'
    num_values: number
    values?: string[]
  }

  interface IndexedBlock {
    id: number
    name: string
    displayName: string
    hardness: number | null
    resistance: number
    stackSize: number
    diggable: boolean
    boundingBox: 'block' | 'empty'
    material?: string
    transparent: boolean
    filterLight: number
    emitLight: number
    harvestTools?: { [id: string]: boolean }
    drops: number[]
    minStateId: number
    maxStateId: number
    defaultState: number
    states: StateProperty[]
    variations?: { metadata: number, displayName: string }[]
  }

  interface Food {
    id: number
    name: string
    foodPoints: number
    saturation: number
  }

  interface Entity {
    id: number
    name: string
    displayName: string
    width: number
    height: number
    type: string
    category?: string
  }

  interface Biome { id: number, name: string }

  interface Particle { id: number, name: string }

  interface Enchantment { id: number, name: string }

  type RecipeItem = number | null | { id: number, metadata?: number, count?: number }

  interface Recipe {
    result: { id: number, metadata?: number, count: number }
    inShape?: RecipeItem[][]
    ingredients?: RecipeItem[]
  }

  interface Version {
    version: number
    minecraftVersion: string
    majorVersion: string
    type: 'pc' | 'bedrock'
    '>' (other: string): boolean
    '>=' (other: string): boolean
    '<' (other: string): boolean
    '<=' (other: string): boolean
    '==' (other: string): boolean
  }

  interface IndexedData {
    isOlderThan (version: string): boolean
    isNewerOrEqualTo (version: string): boolean
    version: Version
    type: 'pc' | 'bedrock'
    blocks: { [id: number]: IndexedBlock }
    blocksByName: { [name: string]: IndexedBlock }
    blocksByStateId: { [id: number]: IndexedBlock }
    blocksArray: IndexedBlock[]
    items: { [id: number]: Item }
    itemsByName: { [name: string]: Item }
    itemsArray: Item[]
    foods: { [id: number]: Food }
    foodsByName: { [name: string]: Food }
    biomes: { [id: number]: Biome }
    entitiesByName: { [name: string]: Entity }
    enchantmentsByName: { [name: string]: Enchantment }
    particlesByName: { [name: string]: Particle }
    recipes: { [id: number]: Recipe[] }
    language: { [key: string]: string }
    loginPacket: { [field: string]: any }
    supportFeature: (key: string) => any
  }

  /** The items and blocks of before 1.13 with their names of today, by "number:kind". */
  const legacy: { pc: { items: { [id: string]: string }, blocks: { [id: string]: string } } }
}

declare function minecraftData (version: string | number): minecraftData.IndexedData
export = minecraftData
