//: makePlanksFromWhatIsThere
// gives birch_log=2 oak_log=1
// has birch_planks=8
async function makePlanksFromWhatIsThere(bot) {
  const log = bot.inventory.items().find(item => /_log$/.test(item.name) && item.count > 1);
  const plank = log.name.replace("_log", "_planks");
  await craftItem(bot, plank, bot.inventory.count(mcData.itemsByName[log.name].id));
  bot.chat(`${plank}: ${bot.inventory.count(mcData.itemsByName[plank].id)}`);
}

//: craftTableAndTools
// gives oak_log=4 cobblestone=8
// has stone_sword=1 stone_axe=1
// says Made stone_sword
async function craftTableAndTools(bot) {
  async function near(name, craft) {
    const found = bot.findBlock({ matching: mcData.blocksByName[name].id, maxDistance: 32 });
    if (found) return found.position;
    if (!bot.inventory.findInventoryItem(mcData.itemsByName[name].id)) await craft();
    const position = bot.entity.position.offset(1, 0, 0);
    await placeItem(bot, name, position);
    return position;
  }
  await craftItem(bot, "oak_planks", 4);
  await near("crafting_table", () => craftItem(bot, "crafting_table", 1));
  await craftItem(bot, "stick", 2);
  for (const tool of ["stone_sword", "stone_axe"]) {
    await craftItem(bot, tool, 1);
    bot.chat(`Made ${tool}`);
  }
}

//: smeltWithChosenFuel
// gives furnace=1 iron_ore=2 oak_planks=3
// has iron_ingot=2
async function smeltWithChosenFuel(bot) {
  const fuels = ["coal", "charcoal", "oak_planks"];
  const fuel = fuels.find(name => bot.inventory.count(mcData.itemsByName[name].id) > 0);
  const position = bot.entity.position.offset(0, 0, 1);
  await placeItem(bot, "furnace", position);
  await smeltItem(bot, "raw_iron", fuel, 2);
}

//: smeltSand
// gives furnace=1 sand=3 coal=1
// has glass=3
async function smeltSand(bot) {
  let furnace = bot.findBlock({ matching: mcData.blocksByName["furnace"].id, maxDistance: 32 });
  if (!furnace) await placeItem(bot, "furnace", bot.entity.position.offset(1, 0, 0));
  const sand = bot.inventory.findInventoryItem(mcData.itemsByName["sand"].id);
  await smeltItem(bot, "sand", "coal", sand.count);
  const glassCount = bot.inventory.count(mcData.itemsByName["glass"].id);
  if (glassCount < 3) throw new Error("too little glass");
}

//: countByName
// gives stick=3
// value [3,3,0,true]
async function countByName(bot) {
  const id = mcData.itemsByName["stick"].id;
  return [bot.inventory.count(id), bot.inventory.findInventoryItem(id).count, bot.inventory.count(mcData.itemsByName.coal.id), bot.inventory.findInventoryItem(mcData.itemsByName.coal.id) === null];
}

//: craftByRecipe
// gives oak_log=1
// has oak_planks=4
async function craftByRecipe(bot) {
  const recipes = bot.recipesFor(mcData.itemsByName.oak_planks.id, null, 1, null);
  if (recipes.length === 0) throw new Error("no recipe");
  await bot.craft(recipes[0], 1, null);
}

//: craftAtTable
// gives crafting_table=1 oak_planks=3 stick=2
// has wooden_pickaxe=1
async function craftAtTable(bot) {
  const position = bot.entity.position.offset(1, 0, 1);
  await placeItem(bot, "crafting_table", position);
  const table = bot.blockAt(position);
  const recipe = bot.recipesFor(mcData.itemsByName.wooden_pickaxe.id, null, 1, table)[0];
  await bot.craft(recipe, 1, table);
}

//: craftLots
// gives sugar_cane=3 crafting_table=1
// has paper=3
async function craftLots(bot) {
  await placeItem(bot, "crafting_table", bot.entity.position.offset(1, 0, 0));
  await craftItem(bot, "paper", 1);
}

//: catchAndCarryOn
// gives oak_log=1
// has oak_planks=4
// says That failed
async function catchAndCarryOn(bot) {
  try {
    await craftItem(bot, "diamond_hammer", 1);
  } catch (error) {
    bot.chat("That failed: " + error.message);
  } finally {
    await craftItem(bot, "oak_planks");
  }
}

//: promiseAll
// gives oak_log=2
// has oak_planks=4
async function promiseAll(bot) {
  await Promise.all([craftItem(bot, "oak_planks", 1), bot.lookAt(bot.entity.position.offset(1, 1, 1)), bot.waitForTicks(2)]);
}

//: opensFurnace
// gives furnace=1 iron_ore=2 coal=1
// value 2
async function opensFurnace(bot) {
  await placeItem(bot, "furnace", bot.entity.position.offset(1, 0, 0));
  const furnace = await bot.openFurnace(bot.findBlock({ matching: mcData.blocksByName.furnace.id, maxDistance: 8 }));
  await furnace.putFuel(mcData.itemsByName.coal.id, null, 1);
  await furnace.putInput(mcData.itemsByName.iron_ore.id, null, 2);
  await bot.waitForTicks(20 * 22);
  await furnace.takeOutput();
  furnace.close();
  return bot.inventory.count(mcData.itemsByName.iron_ingot.id);
}

//: chestInAndOut
// gives chest=1 dirt=4 stick=2
// has dirt=2
// says Took
async function chestInAndOut(bot) {
  const position = bot.entity.position.offset(2, 0, 0).floored();
  await placeItem(bot, "chest", position);
  await depositItemIntoChest(bot, position, { dirt: 4, stick: 2 });
  await checkItemInsideChest(bot, position);
  await getItemFromChest(bot, position, { dirt: 2 });
  bot.chat("Took dirt.");
}

//: chestByWindow
// gives chest=1 coal=5
// value [5,2]
async function chestByWindow(bot) {
  await placeItem(bot, "chest", bot.entity.position.offset(1, 0, 0));
  const block = bot.findBlock({ matching: mcData.blocksByName.chest.id, maxDistance: 32 });
  const chest = await bot.openContainer(block);
  await chest.deposit(mcData.itemsByName.coal.id, null, 5);
  const inside = chest.containerItems().find(item => item.name === "coal").count;
  await chest.withdraw(mcData.itemsByName.coal.id, null, 2);
  await chest.close();
  return [inside, bot.inventory.count(mcData.itemsByName.coal.id)];
}

//: depositEverythingElse
// gives chest=1 dirt=4 stick=2 iron_pickaxe=1 gravel=7
// lacks dirt gravel
// has iron_pickaxe=1
async function depositEverythingElse(bot) {
  const keep = new Set(["iron_pickaxe", "stick"]);
  const spot = bot.entity.position.offset(-1, 0, 0);
  await placeItem(bot, "chest", spot);
  const useless = {};
  bot.inventory.items().forEach(item => {
    if (!keep.has(item.name)) useless[item.name] = (useless[item.name] || 0) + item.count;
  });
  await depositItemIntoChest(bot, spot, useless);
}

//: tossJunk
// gives dirt=4 stick=1
// risk destroy
// has dirt=1
async function tossJunk(bot) {
  const item = bot.inventory.findInventoryItem(mcData.itemsByName.dirt.id);
  await bot.toss(item.type, null, item.count - 1);
  await bot.tossStack(bot.inventory.items().find(i => i.name === "stick"));
}

//: missingMaterials
// gives crafting_table=1
// says I cannot make iron_pickaxe because I need:
async function missingMaterials(bot) {
  await placeItem(bot, "crafting_table", bot.entity.position.offset(1, 0, 0));
  await craftItem(bot, "iron_pickaxe", 1);
}
