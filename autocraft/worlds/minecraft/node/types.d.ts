/**
 * Declare the types that bot and practice server share, as global names. Nothing here exists at run time.
 * `make lint-js` checks every file against them.
 */
import type { EventEmitter } from 'node:events'

declare global {
  type Vec3 = import('vec3').Vec3
  /** Three numbers, such as a Vec3. */
  type Point = { x: number, y: number, z: number }
  /** Counts of items by name. */
  type Counts = Record<string, number>
  type Registry = import('minecraft-data').IndexedData
  type ItemKind = import('minecraft-data').Item
  type BlockKind = import('minecraft-data').IndexedBlock

  /** `require` for npm packages, with the types of those that we use. */
  interface Need {
    (name: 'mineflayer'): { createBot (options: BotOptions): Bot }
    (name: 'mineflayer-pathfinder'): Pathfinding
    (name: 'mineflayer-pathfinder/lib/move'): new (
      x: number, y: number, z: number, remainingBlocks: number, cost: number
    ) => PathMove
    (name: 'minecraft-data'): typeof import('minecraft-data')
    (name: 'minecraft-protocol'): Protocol
    (name: 'vec3'): typeof import('vec3')
    (name: 'prismarine-block'): (registry: Registry) => BlockClass
    (name: 'prismarine-item'): (registry: Registry) => typeof import('prismarine-item').Item
    (name: 'prismarine-nbt'): typeof import('prismarine-nbt')
    /** Packages that have no types of their own. */
    (name: string): any
  }

  /** The part of minecraft-protocol that we use. It has no types of its own. */
  interface Protocol {
    ping (options: object): Promise<{ version?: { name: string, protocol: number } }>
    createServer (options: object): any
  }

  /** An EventEmitter whose events carry any values. */
  interface Emitter extends Omit<EventEmitter, 'on' | 'once' | 'prependOnceListener' | 'emit'> {
    emit (event: string, ...args: any[]): boolean
    on (event: string, listener: (...args: any[]) => void): this
    once (event: string, listener: (...args: any[]) => void): this
    prependOnceListener (event: string, listener: (...args: any[]) => void): this
  }

  /** One line from Python, as `shared/lines.js` reads it. */
  interface Request {
    id: number
    method: string
    params: any
    /** Seconds of the game that a command may take. */
    seconds?: number
  }

  // ---------------------------------------------------------------- the bot

  /** A command that answers at once. */
  type Look = (bot: Bot, params: any) => unknown
  /** A command that takes time of the game. It returns a text that says what was done. */
  type Act = (bot: Bot, params: any, task: Task) => Promise<string | void>

  type Fault = import('./shared/fault').Fault
  type Task = import('./bot/task').Task
  type Item = import('prismarine-item').Item
  type Recipe = import('prismarine-recipe').Recipe
  /** A goal of mineflayer-pathfinder, which asks it about a place or a step. */
  interface Goal {
    heuristic (at: Point): number
    isEnd (at: Point): boolean
  }

  /** A change of a block, as Python keeps it. */
  type Change = Point & { before: string, after: string }
  /** How an item flies, computed by `flight.js`. */
  interface Flight {
    speeds: number[]
    fall: number
    drag: number
    /** Degrees above the look, and beside it. */
    above: number
    beside: number[]
    /** Blocks around its end within which it acts. */
    around: number
    swims: boolean
  }

  interface Block extends Omit<import('prismarine-block').Block, 'digTime' | 'biome'> {
    stackSize: number
    biome: { id: number, name: string, temperature: number, rainfall: number }
    digTime (
      tool: number | null, creative: boolean, inWater: boolean, notOnGround: boolean, enchantments?: object[],
      effects?: object
    ): number
  }

  type BlockClass = (new (type: number, biome: number, metadata: number) => Block) & {
    fromStateId (state: number, biome: number): Block
  }

  interface Entity extends Omit<import('prismarine-entity').Entity, 'type'> {
    /** Differs between versions: player, mob, animal, hostile, … */
    type: string
    eyeHeight?: number
    isInWater?: boolean
    isInLava?: boolean
  }

  interface Goals extends Omit<typeof import('mineflayer-pathfinder').goals, keyof GoalChanges>, GoalChanges {}

  /** Replaces types of mineflayer that are too narrow. */
  interface GoalChanges {
    GoalFollow: new (entity: Entity, range: number) => Goal
    GoalPlaceBlock: new (at: Vec3, world: World, options: { range: number }) => Goal
    GoalInvert: new (goal: Goal) => Goal
    GoalCompositeAll: new (goals: Goal[]) => Goal
    GoalCompositeAny: new (goals: Goal[]) => Goal
  }

  /** What mineflayer-pathfinder exports, with the parts of Movements that its own types leave out. */
  interface Pathfinding extends Omit<typeof import('mineflayer-pathfinder'), 'Movements' | 'goals'> {
    goals: Goals
    Movements: new (bot: Bot) => PathMovements
  }

  interface PathMovements extends Omit<import('mineflayer-pathfinder').Movements, keyof PathChanges>, PathChanges {}

  /** Adds what its own types leave out. */
  interface PathChanges {
    bot: Bot
    liquidCost: number
    countScaffoldingItems (): number
    getScaffoldingItem (): Item | null
    getNeighbors (node: PathMove): PathMove[]
    getMoveUp (node: PathMove, found: PathMove[]): void
    getMoveDown (node: PathMove, found: PathMove[]): void
    getMoveJumpUp (node: PathMove, dir: { x: number, z: number }, found: PathMove[]): void
    getMoveDiagonal (node: PathMove, dir: { x: number, z: number }, found: PathMove[]): void
    getBlock (at: Point, dx: number, dy: number, dz: number): PathBlock
    safeOrBreak (block: PathBlock, toBreak: Vec3[]): number
    exclusionAreasStep: ((block: Block) => number)[]
    exclusionAreasBreak: ((block: Block) => number)[]
    exclusionAreasPlace: ((block: Block) => number)[]
  }

  interface Pathfinder extends Omit<import('mineflayer-pathfinder').Pathfinder, keyof PathfinderChanges>,
    PathfinderChanges {}

  interface PathfinderChanges {
    searchRadius: number
    getPathTo: (...args: any[]) => any
    setMovements (movements: PathMovements): void
    setGoal (goal: Goal | null, dynamic?: boolean): void
    goto (goal: Goal): Promise<void>
  }

  /** A block in a search for a path. */
  interface PathBlock extends Block {
    height: number
    liquid: boolean
    safe: boolean
    physical: boolean
    /** The axis along which the bot passes it if it is a door, else ''. */
    door?: string
    /** Whether it is a hatch for the bot: a trapdoor on top of a ladder. */
    hatch?: boolean
    climbable?: boolean
    /** The cost of passing the block, and what is broken for that, once they are computed. */
    breaking?: { cost: number, places: Vec3[] }
  }

  interface PathMove extends Vec3 {
    remainingBlocks: number
    parkour: boolean
    /** The doorway to which this step leads. */
    door?: Vec3
    /** The hatch that this step passes. */
    hatch?: Vec3
    /** The blocks to place before this step. */
    toPlace: (Point & { dx: number, dy: number, dz: number })[]
  }

  /** `version: false` asks the server for its version; `onMsaCode` gets the address of the sign-in. */
  interface BotOptions extends Omit<import('mineflayer').BotOptions, 'version'> {
    version?: string | false
  }

  /** What Python sends with `join`. */
  interface JoinOptions {
    host: string
    port: number
    /** The version, or '' to ask the server. */
    version?: string
    username: string
    auth?: 'offline' | 'microsoft'
    /** The folder for the tokens of an account. */
    profiles?: string
    bounds?: BoundsOptions
    /** Which blocks the bot knows of: those that were in its view, or all that the server sent. */
    sight?: 'seen' | 'loaded'
    reflexes?: { air?: boolean, fire?: boolean, eat?: boolean, fight?: 'off' | 'back' | 'flee' }
    /** The contents of chests that were found before, by place. */
    chests?: Record<string, Counts | string>
    /** Where the bot died last, unless it has been there again, and where it has died before. */
    grave?: Grave | null
    deaths?: Death[]
    places?: Remembered
    /** Kinds of items that the bot has held before. */
    held?: string[]
    /** The places of blocks that the bot itself has placed, each with what for. */
    placed?: Record<string, Purpose>
    /** The same of the other bots of the run, and their names. */
    shared?: Record<string, Purpose>
    team?: string[]
    /** The items that the bot does not know how to make. */
    unknown?: string[]
    lockstep?: boolean
    hold?: boolean
    /** Whether somebody looks at the page that shows what the bot sees. */
    view?: boolean
    /** Kinds of items that the bot neither eats nor lays in its way, because a task wants them. */
    spared?: string[]
    seed?: number
  }

  interface BoundsOptions {
    /** x1, z1, x2, z2 */
    fence?: [number, number, number, number]
    /** The lowest and the highest y. */
    heights?: [number, number]
    /** Names of blocks that must not be broken; * stands for anything. */
    protected?: string[]
    never_attack?: string[]
    cheats?: boolean
  }

  /** The functions of `bounds.js`. Each returns a reason in words, or '' if there is none. */
  interface Bounds {
    outside (at: Point): string
    keep (block: Block | null | undefined): string
    stays (block: Block): string
    spare (entity: Entity | null | undefined): string
    fence: [number, number, number, number] | null
    low: number
    high: number
  }

  /** What `sightings.js` remembers. */
  interface Sightings {
    blocks: Set<string>
    chests: Map<string, Counts | string>
    /** Where the bot died last and its items lie, or null if it has been there again. */
    grave: Grave | null
    deaths: Death[]
    /** Whether the last death has left items, in words. */
    loss: string
    /** Remember the contents of a chest (counts, 'Unknown' or 'Invalid'), or forget it. */
    chest (at: Point, content: Counts | string): void
    /** Kinds of items that were ever in the inventory. */
    held: Set<string>
    /** Ids of items that the bot has thrown away, which it does not pick up on purpose. */
    thrown: Set<number>
    /** Return the latest message of the server itself as the end of a sentence, or ''. */
    reply (): string
  }

  /** Where the bot died; `age` is that of the world in ticks. */
  interface Death extends Point {
    age: number
  }

  /** Places by dimension and block, and the world in which they are, as its server identifies it. */
  interface Remembered {
    world: string
    all: Record<string, Record<string, number[][]>>
  }

  /** What `places.js` adds to the bot. */
  interface Places {
    readonly all: Remembered
    /** Return the nearest remembered place of a block within a distance and within the bounds, or null. */
    near (name: string, far?: number): Vec3 | null
    remember (name: string, at: number[]): void
    /** Give a place a name. */
    name (name: string, at: number[]): void
    /** Forget blocks that are no longer where they were. */
    forget (): void
    /** Forget one place, to which there is no way. */
    drop (name: string, at: Point): void
  }

  interface Grave extends Death {
    items: Counts
    /** It is missing in what an older autocraft stored. */
    dimension?: string
  }

  interface WalkChange {
    what: 'broke' | 'placed'
    name: string
  }

  /** What a bot has placed a block for: '' is the work of a command. */
  type Purpose = '' | 'walk' | 'shelter' | 'station'

  /** What `journal.js` adds to the bot. */
  interface Journal {
    /** Tell whether the bot, or another one of the run, has placed a block. */
    placed (at: Point): boolean
    /** Return the places of the blocks that are no work of a command: those of the bot alone, or of all of the run. */
    aids (mine: boolean): Vec3[]
    /** Tell whether a command has placed a block, and not a walk or a shelter for a night. */
    work (at: Point): boolean
    /** Tell whether the bot has put a table or a furnace there for one command, and could not take it up. */
    isStation (at: Point): boolean
    /** Make an own block the work of a command from now on. */
    keep (at: Point): void
    /** Note what another bot has placed there, and what for; null if it is gone. */
    share (at: string, why: Purpose | null): void
    /** Remember for what the blocks are placed and broken until `act` ends. */
    during<T> (what: Purpose, act: () => Promise<T>): Promise<T>
    /** The blocks that walks placed and that still stand, by place. */
    scaffold: Map<string, Vec3>
    /** The first and the last change by walks at each place since the newest command began. */
    walked: Map<string, { first: WalkChange, last: WalkChange }>
    broken: { name: string, at: Vec3, harvests?: boolean, by: Purpose, own: boolean }[]
    /** The food that the bot ate by itself, one entry a piece. */
    ate: string[]
    /** Note that a command begins. */
    begin (): void
    /** Return the blocks that were broken since the newest command began, or since the last call. */
    news (): { name: string, at: Vec3 }[]
    /** How many blocks the bot has placed. */
    put: number
    /** How many blocks the server did not let the bot break, and a text about the last one. */
    refused: number
    refusal: string
  }

  /** What `hands.js` adds to the bot. */
  interface Hands {
    readonly interruptions: number
    flights: number
    unanswered: number
    readonly reflex: Promise<void> | null
    readonly free: boolean
    readonly ready: boolean
    rest (task: Task): Promise<void>
    use<T> (task: Task, act: () => Promise<T>): Promise<T>
    keep<T> (task: Task, act: () => Promise<T>): Promise<T>
    readonly told: Promise<void> | null
    ended<T> (task: Task, work: Promise<T>, seconds: number, what?: string): Promise<T>
    clicks<T> (task: Task, work: Promise<T>, seconds: number, what?: string): Promise<T>
    interrupt<T> (act: () => Promise<T>): Promise<T>
  }

  /** Our own parts of the bot: `bot.autocraft`, filled by `join.js` and the plug-ins. */
  interface Autocraft {
    options: JoinOptions
    /** Send Python an event. */
    tell (event: { event: string, [field: string]: unknown }): void
    /** Why the connection ended, or null while it lasts. */
    ending: (Fault & { replaced?: boolean }) | null
    bounds: Bounds
    hands: Hands
    sightings: Sightings
    places: Places
    lava: import('./bot/lava').Lava
    eyes: { know: (x: number, y: number, z: number) => boolean }
    /** Sends what the bot sees while somebody looks, or null if nobody does. */
    view?: import('./bot/view').View | null
    /** Kinds of items that the bot neither eats nor lays in its way. */
    spared?: string[]
    /** Kinds of items that the last plan needs. The bot eats none of them while it is well. */
    planned?: string[]
    journal: Journal
    /**
     * When the bot last struck each entity, how often it fled from it (`still` times in a row at the same place), by
     * its id, the ids of those it killed, and when it last struck anything.
     */
    prey: {
      struck: Map<number, number>
      fled: Map<number, { times: number, still: number, at: Vec3 }>
      killed: Set<number>
      blow: number
    }
    /** The columns of the world in which the bot was. */
    explored?: Set<string>
    /** Report what was mined since the last call. */
    reportMined (): void
    /** What failed lately, for the planner. */
    failures: import('./bot/plan/failures').Failures
    /** Walk to a goal, in legs if it is far. Throws a Fault that says what is in the way. */
    travel (
      goal: Goal, task: Task, target?: { x: number, y?: number, z: number }, until?: () => unknown
    ): Promise<void>
    /** Walk by the rules of a program until `act` ends. */
    byRules<T> (rules: Record<string, any>, act: () => Promise<T>): Promise<T>
    /** Makes what walks have changed as it was, and tells what is left of it. */
    traces: import('./bot/traces').Traces
    /** A place that no way may fill, since something else will be placed there. */
    freePlace: Vec3 | null
  }

  /** The bot of mineflayer, with our own parts. */
  interface Bot extends Corrected, Omit<import('mineflayer').Bot, keyof Corrected> {
    autocraft: Autocraft
  }

  /** Replaces types of mineflayer that leave something out or are too narrow. */
  interface Corrected {
    entity: Entity
    entities: { [id: string]: Entity }
    registry: Registry
    isAlive: boolean
    game: import('mineflayer').GameState & { minY?: number, height?: number }
    inventory: Inventory
    experience: import('mineflayer').Experience
    targetDigBlock: Block | null
    pathfinder: Pathfinder
    _client: Client
    world: World
    removeListener (event: string, listener: (...args: any[]) => void): this
    blockAt (at: Point, extra?: boolean): Block | null
    blockAtCursor (far?: number): Block | null
    findBlocks (options: {
      matching: number[] | ((block: Block) => boolean)
      maxDistance?: number
      count?: number
      point?: Vec3
    }): Vec3[]
    canSeeBlock (block: Block): boolean
    dig (block: Block, ...rest: any[]): Promise<void>
    digTime (block: Block): number
    placeBlock (reference: Block, face: Vec3, aim?: import('./bot/patches/blocks').Aim): Promise<void>
    _placeBlockWithOptions (reference: Block, face: Vec3, options: object): Promise<void>
    activateBlock (block: Block): Promise<void>
    openContainer (block: Block): Promise<import('mineflayer').Chest>
    openFurnace (block: Block): Promise<import('mineflayer').Furnace>
    sleep (bed: Block): Promise<void>
    craft (recipe: Recipe, count?: number, table?: Block | null): Promise<void>
    attack (entity: Entity): void
    useOn (entity: Entity): void
    getEquipmentDestSlot (name: string): number
    equip (item: Item | number, destination: string): Promise<void>
    unequip (destination: string): Promise<void>
    setControlState (control: string, on: boolean): void
    acceptResourcePack (): void
    _syncWindow (window: Inventory): Promise<void>
    putSelectedItemRange (start: number, end: number, window: Inventory, slot: number | null): Promise<void>
    on (event: string, listener: (...args: any[]) => void): this
    once (event: string, listener: (...args: any[]) => void): this
    emit (event: string, ...args: any[]): boolean
    loadPlugin (plugin: (bot: any, options?: any) => void): void
  }

  interface Inventory extends Omit<import('prismarine-windows').Window, 'count' | 'items'> {
    count (type: number, metadata?: number | null): number
    items (): Item[]
  }

  /** A connection of minecraft-protocol. Packets differ from version to version. */
  interface Client extends Emitter {
    state: string
    socket: import('node:net').Socket
    uuid: string
    username: string
    protocolVersion: number
    write (name: string, fields: any): void
    end (reason?: string, full?: string): void
  }

  interface World extends Omit<import('prismarine-world').world.WorldSync, 'raycast' | 'getColumn'> {
    getBlockStateId (at: Point): number
    getBiome (at: Point): number
    getColumn (x: number, z: number): any
    raycast (
      from: Vec3, direction: Vec3, range: number, matcher?: ((block: Block) => boolean) | null
    ): (Block & { face: number, intersect: Vec3 }) | null
  }

  // ---------------------------------------------------------------- the practice server

  type Random = import('./server/random').Random
  type States = ReturnType<typeof import('./server/states').createStates>
  type Stacks = ReturnType<typeof import('./server/stacks').createStacks>
  /** Properties of a block's state. An integer is a number, everything else a text. */
  type Properties = Record<string, any>
  type Land = ReturnType<typeof import('./server/generator/land').createLand>
  type Mob = typeof import('./server/tables/mobs').MOBS[string]

  /** The options with which the server starts. */
  interface ServerOptions {
    port: number
    seed: number
    speed: number
    folder: string | null
    freeze: boolean
    cheats: boolean
    mobs: boolean
    distance: number
  }

  interface Stack {
    name: string
    count: number
    wear?: number
  }

  /** One place of a window. It reads and writes one slot of something. */
  interface Place {
    get (): Stack | null
    set (stack: Stack | null): void
    fits? (stack: Stack): boolean
    most?: number
    /** Take what a recipe makes, and use up its ingredients. */
    take? (): void
    /** A result that can be taken only once. */
    once?: boolean
    output?: boolean
  }

  interface GameWindow {
    id: number
    places: Place[]
    /** How many of the places do not belong to the player's inventory. */
    own: number
    inventory: number[]
    quick: number
    grid?: number[]
    gridList?: (Stack | null)[]
    type?: number
    title?: string
    at?: Vec3
    block?: string
    furnace?: Furnace
    opened?: () => void
    closed?: () => void
  }

  type WindowParts = Omit<GameWindow, 'id' | 'own' | 'inventory' | 'quick'>

  /** The contents of a block, by its kind. */
  interface Thing extends Point {
    kind: string
    slots?: (Stack | null)[]
  }

  interface Furnace extends Thing {
    slots: (Stack | null)[]
    fuel: number
    fuelWhole: number
    cooked: number
  }

  interface Column {
    cx: number
    cz: number
    states: Uint16Array
    biomes: Uint8Array | number[]
    changed: boolean
    /** Whether a save under way has it. */
    saving: boolean
  }

  interface ServerWorld {
    seed: number
    generator: ReturnType<typeof import('./server/generator').createGenerator>
    columns: Map<string, Column>
    things: Map<string, any>
    solid: Uint8Array
    opaque: Uint8Array
    load (cx: number, cz: number): Uint16Array | null
    column (cx: number, cz: number): Column
    get (x: number, y: number, z: number): number
    name (x: number, y: number, z: number): string
    solidAt (x: number, y: number, z: number): boolean
    underSky (x: number, y: number, z: number): boolean
    set (x: number, y: number, z: number, state: number): void
  }

  /** Something that moves and is not a player. The tracker shows it to players who are near. */
  interface Being {
    id: number
    uuid: string
    kind: string
    type?: undefined
    name: string
    username?: undefined
    typeId: number
    position: Vec3
    velocity: Vec3
    width: number
    height: number
    yaw: number
    pitch: number
    onGround: boolean
    age: number
    world: string
    stack?: Stack
    owner?: number
  }

  /** An item on the ground. */
  interface Drop extends Being {
    stack: Stack
    /** Ticks until it can be picked up. */
    wait: number
  }

  /** An animal or a monster. A name that ends in At or Until is a tick. */
  interface Creature extends Being {
    health: number
    heading: number | null
    pace: number
    turnAt: number
    strikeAt: number
    unhurtUntil: number
    frightUntil: number
    hurtBy?: Creature | Player
    fuse: number
    burning: number
    fallen: number
    diesAt?: number
  }

  interface Bobber extends Being {
    owner: number
    bitesAt: number
    bitten?: number
  }

  interface Player extends Emitter {
    _client: Client
    type: string
    kind?: undefined
    name?: undefined
    id: number
    username: string
    uuid: string
    world: string
    gameMode: number
    position: Vec3
    velocity?: undefined
    yaw: number
    pitch: number
    onGround: boolean
    width: number
    height: number
    inbox: import('./server/inbox').Inbox
    /** The last tick that this lockstep client has answered. It is undefined for other clients. */
    answered?: number
    // inventory.js
    slots: (Stack | null)[]
    grid: (Stack | null)[]
    cursor: Stack | null
    held: number
    ownWindow: GameWindow
    window: GameWindow
    lastWindowId: number
    drag?: { one: boolean, places: Place[] }
    inHand (): Stack | null
    sendInventory (): void
    showChanges (): void
    setSlot (slot: number, stack: Stack | null): void
    give (stack: Stack): number
    giveOrDrop (stack: Stack): void
    spendHeld (n?: number): void
    openWindow (parts: WindowParts): void
    closeWindow (tell?: boolean): void
    // health.js
    health: number
    food: number
    saturation: number
    exhaustion: number
    fallen: number
    breath: number
    burning: number
    healing: number
    starving: number
    unhurt: number
    lastHurt: number
    sendHealth (): void
    hurt (amount: number, how: string, by?: Creature | Player | null): boolean
    // movement.js
    sprinting: boolean
    crouching: boolean
    sendOwnPosition (): void
    teleport (position: Vec3): void
    // columns.js
    columns: Set<string>
    viewCentre: string | null
    columnsWhole: boolean
    sendColumns (reach: number, most: number): void
    sendFirstColumns (): void
    // frame.js
    say (parts: (string | object)[]): void
    system (text: string): void
    writeOthers (name: string, fields: object): void
    // the others
    seen: Map<number, Point & { yaw: number }>
    bed?: Point
    asleep: number
    bobber: Bobber | null
    struckAt: number
    using: { name: string, since: number } | null
    continueUsing (): void
    continueDigging (): void
  }

  type UseBlock = (player: Player, at: Vec3) => void
  type UseItem = (player: Player, at: Vec3, face: number) => boolean

  /** A command that a player types after a slash. Its answer is shown to that player. */
  interface Command {
    base: string
    usage: string
    action: (text: string, context: { player: Player }) => string | void
  }

  interface Commands {
    add (command: Command): void
    usages (): string[]
    use (line: string, context: { player: Player }): string | void
  }

  /** The server object of `frame.js`, with what our plug-ins add. */
  interface Serv extends Emitter {
    on (
      event: 'newPlayer' | 'joined' | 'left' | 'leaving' | 'inventoryChanged' | 'clicked',
      listener: (player: Player) => void
    ): this
    on (event: 'keepPlayer' | 'restorePlayer', listener: (player: Player, kept: any) => void): this
    on (event: 'blockChanged', listener: (x: number, y: number, z: number, before: number, after: number) => void): this
    on (event: 'column', listener: (column: Column) => void): this
    on (event: 'error' | 'notSaved', listener: (error: Error) => void): this
    /** The socket with which minecraft-protocol listens. */
    protocol: any
    writeAll (name: string, fields: object): void
    broadcast (text: string): void
    commands: Commands
    equip (player: Player): void
    registry: Registry
    listeningPort: number
    log (text: string): void
    onTick (action: (tick: number) => void): void
    clock: import('./server/clock').Clock
    players: Player[]
    uuidToPlayer: Record<string, Player>
    getPlayer (name: string): Player | null
    entities: Record<string, any>
    lastId: number
    /** Players who have left, by uuid. */
    kept: Record<string, any>
    keepPlayer (player: Player): void
    spawn: Vec3
    world: ServerWorld
    states: States
    stacks: Stacks
    key (x: number, y: number, z: number): string
    dimensionNames: Record<number, string>
    random (name: string): Random
    streams: Record<string, Random>
    /** Store the world of this moment. */
    save (): Promise<void>
    restore? (): void
    playersReady (): boolean
    sendTick (tick: number): void
    day: number
    time: number
    age: number
    sendTime (player: Player): void
    setTime (time: number): void
    isNight (): boolean
    addEntity<T extends Pick<Being, 'kind' | 'name' | 'position' | 'velocity'>> (parts: T): T & Being
    removeEntity (entity: Being): void
    tellNear (entity: Being | Player, packet: string, fields: object): void
    showEntities (): void
    dropItem (at: Point, stack: Stack): Drop
    throwItem (player: Player, stack: Stack): void
    onUse (block: string, action: UseBlock): unknown
    onUseItem (item: string, action: UseItem): unknown
    craftingResult (list: (Stack | null)[], width: number): Place
    joinChest (x: number, y: number, z: number): void
    mayStand (name: string, x: number, y: number, z: number, properties: Properties): boolean
    breakBlock (x: number, y: number, z: number, how?: { tool?: Stack | null, dropping?: boolean }): void
    wearHeld (player: Player, points: number): void
    blockAtEyes (player: Player): string
    tire (player: Player, amount: number): void
    respawnPlace (player: Player): Vec3
    lookOf (player: Player): Vec3
    useRod (player: Player): void
    shootBow (player: Player, drawn: number): void
    strike (victim: any, damage: number, by: Creature | Player): boolean
    killMob (mob: Creature): void
    spawnMob (name: string, position: Vec3): Creature
    settled: Set<string>
    growNow (x: number, y: number, z: number): boolean
    fallingLeaves: (Point & { at: number })[]
  }
}
