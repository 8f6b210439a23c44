//: dressUp
// gives iron_helmet=1 iron_chestplate=1 iron_leggings=1 iron_boots=1
// value 4
async function dressUp(bot) {
  const parts = { head: "iron_helmet", torso: "iron_chestplate", legs: "iron_leggings", feet: "iron_boots" };
  for (const [slot, name] of Object.entries(parts)) {
    const item = bot.inventory.findInventoryItem(mcData.itemsByName[name].id);
    if (item) await bot.equip(item, slot);
  }
  return Object.keys(parts).filter(slot => bot.inventory.slots[bot.getEquipmentDestSlot(slot)]).length;
}

//: eatUntilFull
// gives bread=2 cooked_beef=1
// value true
async function eatUntilFull(bot) {
  const foods = Object.values(mcData.foodsByName).map(food => food.name);
  while (bot.food < 20) {
    const food = bot.inventory.items().find(item => foods.includes(item.name));
    if (!food) break;
    await bot.equip(food, "hand");
    await bot.consume();
    bot.chat(`Food: ${bot.food}`);
  }
  return bot.food >= 18;
}

//: killNearestAnimal
// gives iron_sword=1
// before /summon pig {x} {y} {z}
// has porkchop=1
async function killNearestAnimal(bot) {
  const animals = ["pig", "cow", "sheep", "chicken"];
  const animal = bot.nearestEntity(entity => animals.includes(entity.name) && entity.position.distanceTo(bot.entity.position) < 32);
  if (!animal) {
    bot.chat("No animal.");
    return;
  }
  const sword = bot.inventory.findInventoryItem(mcData.itemsByName.iron_sword.id);
  await bot.equip(sword, "hand");
  await killMob(bot, animal.name, 300);
}

//: attackByHand
// gives iron_sword=1
// before /summon chicken {x} {y} {z}
// value true
async function attackByHand(bot) {
  const chicken = bot.nearestEntity(e => e.name === "chicken");
  await bot.equip(bot.inventory.items()[0], "hand");
  let hits = 0;
  while (chicken.isValid && hits++ < 30) {
    await bot.pathfinder.goto(new GoalNear(chicken.position.x, chicken.position.y, chicken.position.z, 2));
    await bot.lookAt(chicken.position.offset(0, chicken.height, 0));
    bot.attack(chicken);
    await bot.waitForTicks(15);
  }
  return !chicken.isValid;
}

//: shearOneSheep
// gives shears=1
// before /summon sheep {x} {y} {z}
// value true
async function shearOneSheep(bot) {
  const sheep = bot.nearestEntity(entity => entity.name === "sheep");
  const shears = bot.inventory.findInventoryItem(mcData.itemsByName.shears.id);
  await bot.equip(shears, "hand");
  await bot.pathfinder.goto(new GoalFollow(sheep, 1));
  await bot.useOn(sheep);
  await bot.waitForTicks(20);
  return bot.inventory.items().length >= 1;
}

//: sleepWithClock
// gives white_bed=1
// before /time set night
// value true
async function sleepWithClock(bot) {
  if (bot.time.timeOfDay < 12541) throw new Error(`not night: ${bot.time.timeOfDay}`);
  await placeItem(bot, "white_bed", bot.entity.position.offset(2, 0, 0));
  const bed = bot.findBlock({ matching: block => bot.isABed(block), maxDistance: 16 });
  await bot.sleep(bed);
  return bot.time.isDay || !bot.isSleeping;
}

//: walkSquare
// value true
async function walkSquare(bot) {
  const start = bot.entity.position.clone();
  const corners = [start.offset(3, 0, 0), start.offset(3, 0, 3), start.offset(0, 0, 3), start];
  for await (const corner of corners) await bot.pathfinder.goto(new GoalXZ(Math.floor(corner.x), Math.floor(corner.z)));
  return bot.entity.position.distanceTo(start) < 2;
}

//: useControls
// value true
async function useControls(bot) {
  const start = bot.entity.position.clone();
  await bot.look(0, 0);
  bot.setControlState("forward", true);
  await bot.waitForTicks(20);
  bot.setControlState("forward", false);
  bot.clearControlStates();
  return bot.entity.position.distanceTo(start) > 1;
}

//: heldAndHotbar
// gives stick=1
// value ["stick", true]
async function heldAndHotbar(bot) {
  await bot.equip(mcData.itemsByName.stick.id, "hand");
  bot.setQuickBarSlot(0);
  return [bot.heldItem.name, bot.inventory.emptySlotCount() >= 34];
}

//: entitiesList
// before /summon cow {x} {y} {z}
// value true
async function entitiesList(bot) {
  const near = Object.values(bot.entities).filter(e => e.position.distanceTo(bot.entity.position) < 30 && e !== bot.entity && e.type !== "player");
  return near.some(e => e.name === "cow" && e.kind && e.displayName === "Cow");
}

//: trapMob
// gives iron_sword=1 iron_chestplate=1
// before /summon spider {x} {y} {z}
// value true
async function trapMob(bot) {
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName["iron_sword"].id), "hand");
  const hostile = ["zombie", "skeleton", "spider", "creeper"];
  const target = bot.nearestEntity(({ name }) => hostile.indexOf(name) >= 0);
  await killMob(bot, target.name);
  return !bot.nearestEntity(e => e.name === "spider");
}

//: noMobNear
// says No enderman nearby
async function noMobNear(bot) {
  await killMob(bot, "enderman", 10);
}

//: offHandShield
// gives shield=1
// value "shield"
async function offHandShield(bot) {
  const shield = bot.inventory.findInventoryItem(mcData.itemsByName.shield.id);
  await bot.equip(shield, "off-hand");
  return bot.inventory.slots[45].name;
}

//: unequipAll
// gives iron_helmet=1
// value null
async function unequipAll(bot) {
  await bot.equip(mcData.itemsByName.iron_helmet.id, "head");
  await bot.unequip("head");
  return bot.inventory.slots[5];
}

//: shootBow
// gives bow=1 arrow=16
// before /summon pig {x} {y} {z}
// value true
async function shootBow(bot) {
  const pig = bot.nearestEntity(e => e.name === "pig");
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.bow.id), "hand");
  for (let shot = 0; shot < 12 && pig.isValid; shot++) {
    await bot.lookAt(pig.position.offset(0, pig.height / 2, 0), true);
    bot.activateItem();
    await bot.waitForTicks(25);
    bot.deactivateItem();
    await bot.waitForTicks(10);
  }
  return !pig.isValid || bot.inventory.count(mcData.itemsByName.arrow.id) < 16;
}

//: reportMany
// gives apple=1
// says Health: 20
async function reportMany(bot) {
  const { x, y, z } = bot.entity.position;
  bot.chat(`At ${x.toFixed(0)} ${y.toFixed(0)} ${z.toFixed(0)}`);
  bot.chat(`Health: ${bot.health}, food: ${bot.food}, time: ${bot.time.timeOfDay}`);
  bot.chat(`Items: ${bot.inventory.items().map(({ name, count }) => `${count}x${name}`).join(", ") || "none"}`);
  console.log("done", { x: Math.round(x) });
}

//: pathfinderMoves
// value true
// hands
async function pathfinderMoves(bot) {
  const { Movements, goals } = require("mineflayer-pathfinder");
  const moves = new Movements(bot, mcData);
  moves.canDig = false;
  moves.scafoldingBlocks.push(mcData.itemsByName.dirt.id);
  bot.pathfinder.setMovements(moves);
  await bot.pathfinder.goto(new goals.GoalNear(bot.entity.position.x + 2, bot.entity.position.y, bot.entity.position.z, 1));
  return true;
}

//: requires
// value true
async function requires(bot) {
  const { Vec3: V } = require("vec3");
  const { GoalNear: Near } = require("mineflayer-pathfinder").goals;
  const data = require("minecraft-data")(bot.version);
  await bot.pathfinder.goto(new Near(bot.entity.position.x, bot.entity.position.y, bot.entity.position.z, 1));
  return new V(1, 2, 3).equals(new Vec3(1, 2, 3)) && data.itemsByName.stick.id === mcData.itemsByName.stick.id;
}

//: savesAnEvent
// value true
async function savesAnEvent(bot) {
  bot.save("something_done");
  return true;
}

//: listensToEvents
// value true
async function listensToEvents(bot) {
  bot.once("health", () => bot.chat("health"));
  bot.on("chat", (username, message) => {});
  await bot.waitForTicks(10);
  return true;
}

//: sleepsByTimeout
// value true
async function sleepsByTimeout(bot) {
  const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
  await wait(1000);
  return true;
}

//: dateLoop
// value true
async function dateLoop(bot) {
  const start = Date.now();
  while (Date.now() - start < 3000) await bot.waitForTicks(10);
  return true;
}

//: needsBetterTool
// before /setblock {x} {y} {z} diamond_ore
// says I need at least a
async function needsBetterTool(bot) {
  await mineBlock(bot, "diamond_ore", 1);
}

//: returnsEarly
// value null
// says Already
async function returnsEarly(bot) {
  if (bot.inventory.items().length === 0) {
    bot.chat("Already empty.");
    return;
  }
  await mineBlock(bot, "stone", 1);
}
