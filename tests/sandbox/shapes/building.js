//: buildFloor
// gives cobblestone=9
// value 9
async function buildFloor(bot) {
  const origin = bot.entity.position.floored().offset(2, 0, 2);
  let placed = 0;
  for (let x = 0; x < 3; x++) {
    for (let z = 0; z < 3; z++) {
      await placeItem(bot, "cobblestone", origin.offset(x, 0, z));
      if (bot.blockAt(origin.offset(x, 0, z)).name === "cobblestone") placed++;
    }
  }
  return placed;
}

//: buildDoorway
// gives oak_planks=6
// value 4
async function buildDoorway(bot) {
  const base = new Vec3(Math.floor(bot.entity.position.x) + 2, Math.floor(bot.entity.position.y), Math.floor(bot.entity.position.z));
  const spots = [[0, 0, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0]].map(([x, y, z]) => base.plus(new Vec3(x, y, z)));
  for (const spot of spots) await placeItem(bot, "oak_planks", spot);
  return spots.filter(spot => bot.blockAt(spot)?.name === "oak_planks").length;
}

//: placeBlockByHand
// gives dirt=1
// value "dirt"
async function placeBlockByHand(bot) {
  const under = bot.blockAt(bot.entity.position.offset(1, -1, 0));
  const dirt = bot.inventory.findInventoryItem(mcData.itemsByName.dirt.id, null, false);
  await bot.equip(dirt, "hand");
  await bot.placeBlock(under, new Vec3(0, 1, 0));
  return bot.blockAt(under.position.offset(0, 1, 0)).name;
}

//: plantSapling
// gives oak_sapling=1
// before /setblock {x} {under} {z} grass_block
// value "oak_sapling"
async function plantSapling(bot) {
  const grass = bot.findBlock({
    matching: block => block.name === "grass_block" && bot.blockAt(block.position.offset(0, 1, 0)).name === "air",
    maxDistance: 10
  });
  const spot = grass.position.offset(0, 1, 0);
  await placeItem(bot, "oak_sapling", spot);
  return bot.blockAt(spot).name;
}

//: tillAndPlant
// gives iron_hoe=1 carrot=1
// before /setblock {x} {under} {z} dirt
// value "carrots"
async function tillAndPlant(bot) {
  const ground = bot.findBlock({ matching: [mcData.blocksByName.dirt.id, mcData.blocksByName.grass_block.id], maxDistance: 10 });
  await bot.pathfinder.goto(new GoalNear(ground.position.x, ground.position.y + 1, ground.position.z, 1));
  await bot.equip(bot.inventory.items().find(item => item.name.includes("hoe")), "hand");
  await bot.activateBlock(ground);
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.carrot.id), "hand");
  await bot.activateBlock(bot.blockAt(ground.position));
  await bot.waitForTicks(5);
  return bot.blockAt(ground.position.offset(0, 1, 0)).name;
}

//: lightUpTheDark
// gives torch=2
// value 2
async function lightUpTheDark(bot) {
  let count = 0;
  for (const dx of [-2, 2]) {
    const at = bot.entity.position.offset(dx, 0, 0);
    await placeItem(bot, "torch", at);
    if (bot.blockAt(at).name === "torch") count += 1;
  }
  return count;
}

//: placeFloating
// gives dirt=1
// says No block to place
async function placeFloating(bot) {
  await placeItem(bot, "dirt", bot.entity.position.offset(0, 4, 0));
}

//: placeNothing
// says No dirt in inventory
async function placeNothing(bot) {
  await placeItem(bot, "dirt", bot.entity.position.offset(1, 0, 0));
}
