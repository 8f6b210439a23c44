//: collectWoodAnyKind
// wild
// has LOG=1
// says Collected
async function collectWoodAnyKind(bot) {
  const kinds = ["oak_log", "birch_log", "spruce_log", "jungle_log", "acacia_log", "dark_oak_log", "mangrove_log"];
  const find = () => bot.findBlock({ matching: kinds.map(name => mcData.blocksByName[name] && mcData.blocksByName[name].id).filter(id => id !== undefined), maxDistance: 32 });
  const block = find() || await exploreUntil(bot, new Vec3(1, 0, 1), 60, find);
  if (!block) {
    bot.chat("No tree anywhere.");
    return;
  }
  await mineBlock(bot, block.name, 1);
  bot.chat(`Collected ${bot.inventory.items().filter(item => item.name.endsWith("_log")).reduce((sum, item) => sum + item.count, 0)} log(s).`);
}

//: ensureCobblestone
// wild
// gives wooden_pickaxe=1
// has cobblestone=3
async function ensureCobblestone(bot, count = 3) {
  while (true) {
    const have = bot.inventory.count(mcData.itemsByName.cobblestone.id);
    if (have >= 3) break;
    await mineBlock(bot, "stone", 3 - have);
  }
}
async function mineCobblestoneForTools(bot) {
  await ensureCobblestone(bot);
  bot.chat("Enough cobblestone.");
}

//: tunnelDown
// wild
// gives stone_pickaxe=1
// value true
async function tunnelDown(bot) {
  const startY = bot.entity.position.y;
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.stone_pickaxe.id), "hand");
  for (let i = 0; i < 3; i++) {
    const below = bot.blockAt(bot.entity.position.offset(0, -1, 0));
    if (below && below.diggable) await bot.dig(below);
    await bot.waitForTicks(15);
  }
  return bot.entity.position.y < startY;
}

//: exploreReturnsBlock
// wild
// value true
async function exploreReturnsBlock(bot) {
  const stone = await exploreUntil(bot, new Vec3(0, -1, 0), 60, () => {
    const stone = bot.findBlock({ matching: mcData.blocksByName.stone.id, maxDistance: 32 });
    return stone;
  });
  return Boolean(stone) && stone.name === "stone" && stone.position.distanceTo(bot.entity.position) <= 33;
}

//: exploreInAnyDirection
// wild
// value true
async function exploreInAnyDirection(bot) {
  const pick = () => Math.floor(Math.random() * 3) - 1;
  let direction = new Vec3(0, 0, 0);
  while (direction.x === 0 && direction.z === 0) direction = new Vec3(pick(), 0, pick());
  const found = await exploreUntil(bot, direction, 5, () => bot.nearestEntity(e => e.name === "ender_dragon"));
  return found === null;
}

//: biomeLook
// wild
// value true
async function biomeLook(bot) {
  const biome = bot.blockAt(bot.entity.position).biome;
  const known = mcData.biomes[biome.id];
  bot.chat(`In ${biome.name}, ${known && known.name}`);
  return typeof biome.name === "string";
}

//: digUnderMe
// before /setblock {x} {y} {z} dirt
// has dirt=1
async function digUnderMe(bot) {
  const [position] = bot.findBlocks({ matching: mcData.blocksByName.dirt.id, maxDistance: 10, count: 1 });
  const block = bot.blockAt(position);
  if (!bot.canDigBlock(block)) await bot.pathfinder.goto(new GoalLookAtBlock(position, bot.world));
  await bot.dig(block, true);
  await bot.waitForTicks(20);
  await bot.pathfinder.goto(new GoalBlock(position.x, position.y, position.z));
  await bot.waitForTicks(10);
}

//: pickUpDrops
// before /setblock {x} {y} {z} dirt
// has dirt=1
async function pickUpDrops(bot) {
  await mineBlock(bot, "dirt", 1);
  const drop = bot.nearestEntity(e => e.name === "item");
  if (drop) await bot.pathfinder.goto(new GoalBlock(Math.floor(drop.position.x), Math.floor(drop.position.y), Math.floor(drop.position.z)));
}

//: sortedBlocks
// before /setblock {x} {y} {z} gold_ore
// before /setblock {x} {above} {z} gold_ore
// value [2, true]
async function sortedBlocks(bot) {
  const places = bot.findBlocks({ matching: block => block.name.includes("gold"), maxDistance: 32, count: 100 });
  places.sort((a, b) => b.y - a.y);
  return [places.length, places[0].y > places[1].y];
}

//: lavaBucket
// gives bucket=1 cobblestone=2
// value true
async function lavaBucket(bot) {
  const lava = bot.findBlock({ matching: mcData.blocksByName["lava"].id, maxDistance: 32 });
  return lava === null;
}

//: fillBucket
// gives bucket=1
// before POOL
// has water_bucket=1
async function fillBucket(bot) {
  const water = bot.findBlock({ matching: mcData.blocksByName.water.id, maxDistance: 32 });
  await bot.pathfinder.goto(new GoalGetToBlock(water.position.x, water.position.y, water.position.z));
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.bucket.id), "hand");
  await bot.lookAt(water.position.offset(0.5, 1, 0.5));
  await bot.activateItem();
  bot.chat("Filled.");
}

//: catchTwoFish
// gives fishing_rod=1
// before POOL
// value true
async function catchTwoFish(bot) {
  const rod = bot.inventory.findInventoryItem(mcData.itemsByName.fishing_rod.id);
  const water = bot.findBlock({ matching: block => block.name === "water" && bot.blockAt(block.position.offset(0, 1, 0)).name === "air", maxDistance: 32 });
  await bot.pathfinder.goto(new GoalNear(water.position.x, water.position.y + 1, water.position.z, 2));
  await bot.lookAt(water.position);
  await bot.equip(rod, "hand");
  const before = bot.inventory.items().length;
  for (let i = 0; i < 2; i++) {
    try {
      await bot.fish();
    } catch (error) {
      if (error.message === "Fishing cancelled") continue;
      throw error;
    }
  }
  return bot.inventory.items().length > before || bot.inventory.inventoryStart === 9;
}
