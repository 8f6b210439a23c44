//: smeltWithoutFurnace
// gives iron_ore=1 coal=1
// throws No furnace nearby
async function smeltWithoutFurnace(bot) {
  await smeltItem(bot, "iron_ore", "coal", 1);
}

//: craftUnknownItem
// throws unobtainium
async function craftUnknownItem(bot) {
  await craftItem(bot, "unobtainium", 1);
}

//: exploreWrongDirection
// throws direction must be a Vec3
async function exploreWrongDirection(bot) {
  await exploreUntil(bot, new Vec3(0, 0, 0), 60, () => true);
}

//: requiresFs
// throws require("fs") is not offered
async function requiresFs(bot) {
  require("fs");
}

//: waitsForEvent
// ends nothing left to wait for
// says Programs get no events here
async function waitsForEvent(bot) {
  await new Promise(resolve => bot.once("goal_reached", resolve));
}

//: copperIsNew
// throws there is no mcData.itemsByName.copper_ingot in Minecraft 1.16.5
async function copperIsNew(bot) {
  const copper = bot.inventory.count(mcData.itemsByName.copper_ingot.id);
  bot.chat(`copper ${copper}`);
}

//: mineNewOre
// throws No block named copper_ore
async function mineNewOre(bot) {
  await mineBlock(bot, "copper_ore", 1);
}

//: nothingFound
// throws there is none: was one found?
async function nothingFound(bot) {
  const block = bot.findBlock({ matching: mcData.blocksByName.beacon.id, maxDistance: 16 });
  await bot.dig(block);
}

//: nothingFoundField
// throws cannot read property 'position' of null (bot.findBlock found nothing)
async function nothingFoundField(bot) {
  const block = bot.findBlock({ matching: mcData.blocksByName.beacon.id, maxDistance: 16 });
  const at = block.position;
}

//: missingHelper
// throws 'craftSomethingNobodyHas' is not defined
async function missingHelper(bot) {
  await craftSomethingNobodyHas(bot);
}

//: misspelledBot
// throws there is no bot.pathFinder
async function misspelledBot(bot) {
  await bot.pathFinder.goto(new GoalNear(0, 0, 0, 1));
}

//: misspelledBotMethod
// throws mineBlock(bot, …) is a function of its own
async function misspelledBotMethod(bot) {
  await bot.mineBlock("dirt");
}

//: botCreative
// throws bot.creative is not offered to programs
async function botCreative(bot) {
  await bot.creative.flyTo(new Vec3(0, 0, 0));
}

//: windowClicks
// throws use craftItem, bot.equip or the chest primitives
async function windowClicks(bot) {
  await bot.clickWindow(1, 0, 0);
}

//: smeltStringCount
// throws count for smeltItem must be a number
async function smeltStringCount(bot) {
  await smeltItem(bot, "iron_ore", "coal", "2");
}

//: craftWithMcDataName
// throws name for craftItem must be a string
async function craftWithMcDataName(bot) {
  await craftItem(bot, mcData.itemsByName.stick, 1);
}

//: equipNothing
// throws look for it in the inventory first
async function equipNothing(bot) {
  const sword = bot.inventory.findInventoryItem(mcData.itemsByName.diamond_sword.id);
  await bot.equip(sword, "hand");
}

//: itemNotHeld
// throws cannot read property 'count' of null (bot.inventory found nothing)
async function itemNotHeld(bot) {
  bot.chat(`Emeralds: ${bot.inventory.findInventoryItem(mcData.itemsByName.emerald.id).count}`);
}

//: animalNotThere
// throws (bot.nearestEntity found nothing)
async function animalNotThere(bot) {
  const llama = bot.nearestEntity(entity => entity.name === "llama");
  await bot.pathfinder.goto(new GoalNear(llama.position.x, llama.position.y, llama.position.z, 1));
}
