/** What Node has and its types leave out. `make lint-js` reads this; nothing here exists while a program runs. */
declare namespace WebAssembly {
  class Memory {
    constructor (limits: { initial: number, maximum?: number })
    readonly buffer: ArrayBuffer
  }
}
