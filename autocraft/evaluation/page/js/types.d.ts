/** What the scripts of the page pass around; `pack.py` makes it. `make lint-js` reads this, the page does not. */

/** A text as it is, or its beginning with how many characters were left out. */
type Wording = string | [string, number]

interface Data {
  /** Every text once; the rest names them by number. */
  strings: Wording[]
  episodes: Episode[]
}

interface Stack {
  item: string
  count: number
}

/** What is in each slot, by its number. */
type Slots = Map<number, Stack>

interface Episode {
  key: string
  id: string
  seed: number
  target: string
  level: string
  type: string
  success: boolean
  outcome: string
  turns: number
  actions: number
  minimum: number | null
  proven: boolean
  package: number | null
  tokens: [number, number]
  cost: number | null
  seconds: number
  error: number
  start: (number | string)[]
  steps: Step[]
  dialogue: [string, number][]
  /** Its place in the evaluation, and the slots before and after each step; worked out by `unpack.js`. */
  index: number
  slots: Slots[]
}

interface Step {
  kind: string
  ok: boolean
  action: number
  answer: number
  text: number
  moves: number
}

/** The elements of the template that are more than an HTMLElement, by id. */
interface Parts {
  search: HTMLInputElement
  slider: HTMLInputElement
  level: HTMLSelectElement
  outcome: HTMLSelectElement
  sort: HTMLSelectElement
  previous: HTMLButtonElement
  next: HTMLButtonElement
}
