/**
 * What the parts of the facade find when they run: `host` of inside.js, and the name of the world.
 * `make lint-js` reads this; nothing here exists while a program runs.
 */

/** What inside.js gives; it is taken away before the program runs. */
declare const host: {
  /** Asks and waits for the answer; no effect. Throws an Error with the reason. */
  read (name: string, ...args: unknown[]): any
  /** Asks for an effect; its text when it is done. */
  act (name: string, ...args: unknown[]): Promise<string>
  /** Whether this was thrown because an effect was refused. */
  refused (error: unknown): boolean
  atEnd (run: () => void): void
  explain (run: (message: string) => string): void
  say (text: string): void
  /** Reports that a saved skill was entered. */
  enter (name: string): void
  /** Reports that an error left a saved skill; `caller` is the stack of its call. */
  leave (error: unknown, name: string, caller: unknown): void
}

/** Which world the program runs in. */
declare const WORLD: 'crafting' | 'minecraft'

// What the classes of values.js take from rows, beyond what their bodies show.

interface Item {
  type: number
  count: number
  metadata: number
  slot: number | null
  name: string
  displayName: string
  stackSize: number
  maxDurability?: number
  durabilityUsed: number
  customName: string | null
}

interface Entity {
  id: number
  type: string
  name: string
  username?: string
  label?: string
  /** The row of the item that lies there. */
  dropped: any[] | null
  isValid: boolean
}

interface Recipe {
  result: { id: number, count: number, metadata: null }
  requiresTable: boolean
  delta: { id: number, count: number, metadata: null }[]
}
