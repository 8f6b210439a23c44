// What programs do, in this order on one floor: after each `//: symbol` the body of an async function that returns
// true. `at` and `id` are as in looks.js.

//: bot.chat
bot.chat('hello from a program');
return true;

//: mineBlock
await mineBlock(bot, 'oak_log', 1);
return bot.inventory.count(id('oak_log')) === 1;

//: craftItem
await craftItem(bot, 'oak_planks', 1);
await craftItem(bot, 'crafting_table', 1);
return bot.inventory.count(id('crafting_table')) === 1;

//: placeItem
await placeItem(bot, 'furnace', at.offset(2, 0, 0));
return bot.blockAt(at.offset(2, 0, 0)).name === 'furnace';

//: smeltItem
await smeltItem(bot, 'iron_ore', 'coal', 1);
return bot.inventory.count(id('iron_ingot')) === 1;

//: bot.equip
await bot.equip(bot.inventory.findInventoryItem(id('stone_pickaxe')), 'hand');
return bot.heldItem.name === 'stone_pickaxe' && bot.entity.heldItem.name === 'stone_pickaxe';

//: bot.equip head
await bot.equip(id('leather_helmet'), 'head');
return bot.inventory.slots[5].name === 'leather_helmet';

//: bot.equip torso
await bot.equip(id('leather_chestplate'), 'torso');
return bot.inventory.slots[6].name === 'leather_chestplate';

//: bot.equip legs
await bot.equip(id('leather_leggings'), 'legs');
return bot.inventory.slots[7].name === 'leather_leggings';

//: bot.equip feet
await bot.equip(id('leather_boots'), 'feet');
return bot.inventory.slots[8].name === 'leather_boots';

//: bot.equip off-hand
await bot.equip(id('shield'), 'off-hand');
return bot.inventory.slots[45].name === 'shield';

//: bot.unequip
await bot.unequip('head');
return bot.inventory.slots[5] === null && bot.inventory.count(id('leather_helmet')) === 1;

//: bot.placeBlock
await bot.equip(id('dirt'), 'hand');
await bot.placeBlock(bot.blockAt(at.offset(2, -1, 3)), new Vec3(0, 1, 0));
return bot.blockAt(at.offset(2, 0, 3)).name === 'dirt';

//: bot.dig
await bot.dig(bot.blockAt(at.offset(2, 0, 3)));
return bot.blockAt(at.offset(2, 0, 3)).name === 'air' && bot.inventory.count(id('dirt')) === 6;

//: bot.lookAt
await bot.lookAt(bot.entity.position.offset(0, 1.62, -5));
const north = Math.abs(Math.sin(bot.entity.yaw)) < 0.01;
await bot.lookAt(bot.entity.position.offset(5, 1.62, 0));
return north && Math.abs(Math.cos(bot.entity.yaw)) < 0.01;

//: bot.waitForTicks
const before = bot.time.timeOfDay;
await bot.waitForTicks(40);
return bot.time.timeOfDay > before;

//: bot.setControlState
const before = bot.entity.position.clone();
const far = bot.entity.position;
bot.setControlState('back', true);
await bot.waitForTicks(5);
bot.clearControlStates();
return far.distanceTo(before) > 0.3 && !bot.getControlState('back');

//: bot.activateBlock
const door = () => bot.blockAt(at.offset(4, 0, -4)).getProperties().open;
const before = door();
await bot.pathfinder.goto(new GoalNear(at.x + 4, at.y, at.z - 4, 2));
await bot.activateBlock(bot.blockAt(at.offset(4, 0, -4)));
return before !== door();

//: bot.pathfinder.goto
await bot.pathfinder.goto(new GoalNear(at.x, at.y, at.z, 1));
return bot.entity.position.distanceTo(at) < 3;

//: GoalNear
await bot.pathfinder.goto(new GoalNear(at.x - 3, at.y, at.z + 3, 1));
return bot.entity.position.distanceTo(at.offset(-3, 0, 3)) < 2.5;

//: GoalBlock
await bot.pathfinder.goto(new GoalBlock(at.x, at.y, at.z));
return bot.entity.position.floored().equals(at);

//: GoalXZ
await bot.pathfinder.goto(new GoalXZ(at.x + 1, at.z + 1));
return bot.entity.position.floored().xzDistanceTo(at.offset(1, 0, 1)) === 0;

//: GoalGetToBlock
await bot.pathfinder.goto(new GoalGetToBlock(at.x + 2, at.y, at.z));
return bot.entity.position.distanceTo(at.offset(2.5, 0, 0.5)) < 2;

//: GoalLookAtBlock
await bot.pathfinder.goto(new GoalLookAtBlock(at.offset(-4, 0, -4), bot.world));
return bot.entity.position.distanceTo(at.offset(-4, 0, -4)) < 6;

//: GoalPlaceBlock
await bot.pathfinder.goto(new GoalPlaceBlock(at.offset(0, 0, 5), bot.world, {}));
return bot.entity.position.distanceTo(at.offset(0, 0, 5)) < 6;

//: GoalFollow
const s = bot.nearestEntity(entity => entity.name === 'sheep');
await bot.pathfinder.goto(new GoalFollow(s, 2));
return s.position.distanceTo(bot.entity.position) < 5;

//: bot.useOn
const s = bot.nearestEntity(entity => entity.name === 'sheep');
await bot.pathfinder.goto(new GoalFollow(s, 2));
await bot.equip(id('stick'), 'hand');
await bot.useOn(s);
return s.isValid;

//: bot.attack
const s = bot.nearestEntity(entity => entity.name === 'sheep');
await bot.pathfinder.goto(new GoalFollow(s, 2));
await bot.attack(s);
return s.name === 'sheep';

//: killMob
await killMob(bot, 'sheep', 60);
return bot.nearestEntity(entity => entity.name === 'sheep') === null && bot.inventory.count(id('mutton')) > 0;

//: bot.consume
await bot.equip(id('golden_apple'), 'hand');
await bot.consume();
return bot.inventory.count(id('golden_apple')) === 0;

//: bot.activateItem
await bot.equip(id('leather_helmet'), 'hand');
await bot.activateItem();
bot.deactivateItem();
return bot.inventory.slots[5].name === 'leather_helmet';

//: depositItemIntoChest
await placeItem(bot, 'chest', at.offset(-2, 0, 2));
await depositItemIntoChest(bot, at.offset(-2, 0, 2), { dirt: 3 });
return bot.inventory.count(id('dirt')) === 3;

//: checkItemInsideChest
await checkItemInsideChest(bot, at.offset(-2, 0, 2));
return true;

//: getItemFromChest
await getItemFromChest(bot, at.offset(-2, 0, 2), { dirt: 1 });
return bot.inventory.count(id('dirt')) === 4;

//: bot.openContainer
const c = await bot.openContainer(bot.blockAt(at.offset(-2, 0, 2)));
await c.withdraw(id('dirt'), null, 1);
const left = c.containerItems()[0].count;
await c.close();
return left === 1;

//: exploreUntil
const furnace = { matching: mcData.blocksByName.furnace.id, maxDistance: 32 };
const found = await exploreUntil(bot, new Vec3(0, 0, 1), 8, () => bot.findBlock(furnace));
return found.name === 'furnace';

//: setTimeout
const before = bot.time.age;
await new Promise(resolve => setTimeout(resolve, 3000));
return bot.time.age > before;

//: bot.craft
await bot.craft(bot.recipesFor(id('stick'), null, 1, null)[0], 1, null);
return bot.inventory.count(id('stick')) >= 4;

//: bot.collectBlock.collect
await placeItem(bot, 'dirt', at.offset(0, 0, 4));
const left = bot.inventory.count(id('dirt'));
await bot.collectBlock.collect(bot.findBlock({ matching: mcData.blocksByName.dirt.id, maxDistance: 16 }));
return bot.inventory.count(id('dirt')) === left + 1;

//: bot.fish
await bot.equip(id('fishing_rod'), 'hand');
await bot.pathfinder.goto(new GoalNear(at.x - 5, at.y, at.z - 3, 2));
await bot.fish();
return true;

//: bot.sleep
const bed = bot.findBlock({ matching: block => bot.isABed(block), maxDistance: 16 });
const night = bot.time.isDay;
await bot.sleep(bed);
return night === false && bot.time.isDay;

//: waitForMobRemoved
const gone = { isValid: false, name: 'sheep' };
await waitForMobRemoved(bot, gone);
await waitForMobShot(bot, gone);
await moveToChest(bot, at.offset(-2, 0, 2));
return true;

//: bot.pathfinder.setGoal
bot.pathfinder.setMovements(new Movements(bot, mcData));
bot.pathfinder.setGoal(new GoalNear(at.x, at.y, at.z, 1));
await bot.waitForTicks(1);
bot.pathfinder.stop();
return bot.entity.position.distanceTo(at) < 3;

//: failures are said
await shoot(bot, 'bow', 'cow');
await killMob(bot, 'cow');
await placeItem(bot, 'dirt', at.offset(0, 6, 0));
await mineBlock(bot, 'diamond_ore', 1);
return bot.tool.equipForBlock(bot.blockAt(at.offset(0, -1, 0))).then(() => bot.heldItem.name === 'stone_pickaxe');

//: bot.toss
const refusals = [];
try { await bot.toss(id('stick'), null, 1) } catch (error) { refusals.push(error.message) }
try { await bot.tossStack(bot.inventory.findInventoryItem('stick')) } catch (error) { refusals.push(error.message) }
return refusals.length === 2 && refusals.every(text => text.includes('destroy')) && bot.inventory.count('stick') > 0;

//: setInterval
let beats = 0;
const never = setTimeout(() => { beats = 100 }, 200);
clearTimeout(never);
await new Promise(resolve => {
  const beat = setInterval(() => { if (++beats === 2) { clearInterval(beat); resolve() } }, 100);
});
return beats === 2;

//: GoalCompositeAll
await bot.look(Math.PI / 2, 0);
const west = Math.abs(Math.abs(bot.entity.yaw) - Math.PI / 2) < 0.01;
await bot.wake();
const chest = await bot.openChest(bot.blockAt(at.offset(-2, 0, 2)));
const around = reach => new GoalNear(at.x, at.y, at.z, reach);
const both = new goals.GoalCompositeAll([around(3), new GoalInvert(around(1))]);
await bot.pathfinder.goto(both);
return west && chest.findContainerItem(id('dirt')).name === 'dirt' &&
  bot.entity.position.floored().distanceTo(at) > 1;

//: bot.openFurnace
const stove = await bot.openFurnace(bot.findBlock({ matching: mcData.blocksByName.furnace.id, maxDistance: 16 }))
  .catch(error => error.message);
return typeof stove !== 'string' || stove.includes('goto a place near');

//: gotoBlock
await bot.pathfinder.goto(new GoalNear(at.x - 3, at.y, at.z - 3, 1));
await gotoBlock(bot, 'furnace');
return bot.findBlock({ matching: mcData.blocksByName.furnace.id, maxDistance: 4 }) !== null;

//: collectItem
const logs = bot.inventory.count(id('oak_log'));
await collectItem(bot, 'oak_log');
return bot.inventory.count(id('oak_log')) === logs;

//: shelter
await shelter(bot);
return bot.time.isDay;

//: fillBucket
await fillBucket(bot, 'lava');
return bot.inventory.count(id('lava_bucket')) === 0;
