// What programs look at: after each `//: symbol` the body of an async function that returns true.
// `at` is where the bot stands at the beginning, floored; `id(name)` is an item's id.

//: bot.entity.position
const p = bot.entity.position;
return p instanceof Vec3 && p.floored().equals(at);

//: bot.entity.position.offset
return bot.entity.position.offset(1, 2, 3).minus(bot.entity.position).equals(new Vec3(1, 2, 3), 1e-9);

//: bot.entity.position.x
return Math.floor(bot.entity.position.x) === at.x;

//: bot.entity.position.y
return bot.entity.position.y === 180;

//: bot.entity.position.z
return Math.floor(bot.entity.position.z) === at.z;

//: bot.entity.position.distanceTo
return bot.entity.position.distanceTo(bot.entity.position.offset(3, 4, 0)) === 5;

//: bot.entity fields
const e = bot.entity;
return e.height > 1.7 && e.onGround && e.velocity.x === 0 && e.username === bot.username &&
  Number.isFinite(e.yaw + e.pitch) && e.isValid && e.equipment.length === 6;

//: bot.health
return bot.health === 20 && bot.foodSaturation > 0 && bot.oxygenLevel === 20;

//: bot.food
return bot.food === 20;

//: bot.time
return bot.time.timeOfDay >= 1000 && bot.time.isDay && bot.game.gameMode === 'survival' &&
  bot.game.dimension === 'overworld';

//: bot.username
return bot.username === 'autocraft' && bot.players.autocraft.username === 'autocraft' && bot.version === '1.16.5';

//: bot.inventory.count
return bot.inventory.count(id('dirt')) === 6 && bot.inventory.count('dirt') === 6 &&
  bot.inventory.count(id('diamond')) === 0;

//: bot.inventory.findInventoryItem
const i = bot.inventory.findInventoryItem(id('dirt'));
return i.count === 6 && i.name === 'dirt' && i.type === id('dirt') && i.stackSize === 64 &&
  bot.inventory.findInventoryItem('dirt').slot === i.slot &&
  bot.inventory.findInventoryItem(id('diamond')) === null;

//: bot.inventory.items
return bot.inventory.items().find(item => item.name === 'coal').displayName === 'Coal' &&
  bot.inventory.items().every(item => item.slot >= 9);

//: bot.inventory.slots
const s = bot.inventory.slots;
return s.length === 46 && s.filter(Boolean).length === bot.inventoryUsed() &&
  bot.inventory.emptySlotCount() === 36 - bot.inventoryUsed();

//: bot.heldItem
return bot.heldItem === null || typeof bot.heldItem.name === 'string';

//: bot.getEquipmentDestSlot
return ['head', 'torso', 'legs', 'feet', 'off-hand'].map(bot.getEquipmentDestSlot).join() === '5,6,7,8,45';

//: mcData.itemsByName
return mcData.itemsByName.stick.id > 0 && mcData.itemsByName['raw_iron'].name === 'iron_ore' &&
  mcData.itemsByName.copper_sword === undefined && 'stick' in mcData.itemsByName &&
  mcData.items[id('stick')].name === 'stick' && mcData.itemsByName.leather_cap.name === 'leather_helmet';

//: mcData.blocksByName
return mcData.blocksByName.stone.id === 1 && mcData.blocksByName['deepslate_iron_ore'].name === 'iron_ore' &&
  mcData.blocks[1].name === 'stone' && mcData.blocksByName.stone.hardness === 1.5;

//: mcData tables
return mcData.itemsArray.length > 900 && Object.keys(mcData.blocksByName).includes('furnace') &&
  mcData.foodsByName.bread.foodPoints === 5 && mcData.foods[id('bread')].name === 'bread' &&
  mcData.entitiesByName.sheep.name === 'sheep' && mcData.recipes[id('stick')].length > 0 &&
  mcData.biomes[1].name === 'plains';

//: Vec3
const v = new Vec3(1.5, -2, 3);
return v.floored().equals(new Vec3(1, -2, 3)) && v.plus(v).minus(v).equals(v) && v.scaled(2).x === 3 &&
  v.clone().add(new Vec3(1, 1, 1)).y === -1 && v.toString() === '(1.5, -2, 3)' && new Vec3(3, 4, 0).norm() === 5 &&
  v.dot(v) === v.distanceSquared(new Vec3(0, 0, 0)) && new Vec3(1, 0, 0).cross(new Vec3(0, 1, 0)).z === 1 &&
  v.xzDistanceTo(v) === 0 && Math.abs(v.unit().norm() - 1) < 1e-9 &&
  v.manhattanDistanceTo(new Vec3(0, 0, 0)) === 6.5 && JSON.stringify(v) === '{"x":1.5,"y":-2,"z":3}';

//: bot.findBlock id
const b = bot.findBlock({ matching: mcData.blocksByName.oak_log.id, maxDistance: 8 });
return b.name === 'oak_log' && b.position.equals(at.offset(-5, 0, 0)) && b.boundingBox === 'block' && b.diggable &&
  b.hardness === 2 && b.type === b.id && b.displayName === 'Oak Log' &&
  bot.findBlock({ matching: mcData.blocksByName.sponge.id }) === null;

//: bot.findBlock ids
const { sponge, oak_log: log } = mcData.blocksByName;
return bot.findBlock({ matching: [sponge.id, log.id], maxDistance: 8 }).name === 'oak_log' &&
  bot.findBlock({ matching: ['oak_log'], maxDistance: 8 }).name === 'oak_log';

//: bot.findBlock predicate
const b = bot.findBlock({
  matching: block => block.name === 'stone' && block.position.x > at.x + 5 &&
    bot.blockAt(block.position.offset(0, 1, 0)).name === 'air',
  maxDistance: 12
});
return b.position.x === at.x + 6 &&
  bot.findBlock({ matching: block => block && block.name.includes('_log'), maxDistance: 8 }).name === 'oak_log' &&
  bot.findBlock({ matching: block => block.name === 'nothing' }) === null;

//: bot.findBlocks
const all = bot.findBlocks({ matching: block => block.name === 'stone', maxDistance: 32, count: 300 });
return all.length === 223 && all[0] instanceof Vec3 && all[0].equals(at.offset(0, -1, 0)) &&
  all.every((each, i) => !i || each.distanceTo(at) >= all[i - 1].distanceTo(at) - 1e-9) &&
  bot.findBlocks({ matching: 1, count: 3 }).length === 3;

//: bot.blockAt
return bot.blockAt(at.offset(0, -1, 0)).name === 'stone' && bot.blockAt(bot.entity.position).name === 'air' &&
  bot.blockAt(at.offset(0, -1, 0)).getProperties() && bot.blockAt(new Vec3(1e6, 60, 1e6)) === null &&
  bot.blockAt(at.offset(-5, 0, 0)).getProperties().axis === 'y' && typeof bot.blockAt(at).biome.name === 'string';

//: bot.canSeeBlock
return bot.canSeeBlock(bot.blockAt(at.offset(-5, 0, 0))) && bot.blockAtCursor(64) !== undefined &&
  bot.canDigBlock(bot.blockAt(at.offset(1, -1, 0)));

//: bot.isABed
return bot.isABed(bot.blockAt(at.offset(-4, 0, -4))) && !bot.isABed(bot.blockAt(at));

//: bot.nearestEntity
const s = bot.nearestEntity(entity => entity.name === 'sheep');
return s.name === 'sheep' && s.position instanceof Vec3 && s.type === 'mob' && s.isValid && s.height > 1 &&
  Object.values(bot.entities).includes(s) && bot.nearestEntity(entity => entity.name === 'cow') === null;

//: bot.recipesFor
return bot.recipesFor(id('coal_block'), null, 1, null).length === 0 &&
  bot.recipesAll(id('stick'), null, null)[0].result.count >= 1;

//: Math
return Math.max(1, 2) === 2 && Math.random() < 1 && [1, 2].map(x => x * 2).join() === '2,4' && `${1 + 1}` === '2' &&
  [3, 1].sort()[0] === 1 && parseInt('7') === 7;

//: console.log
console.log('logged', { a: 1 });
return true;

//: GoalInvert
const any = new GoalCompositeAny([new GoalXZ(1, 2), new GoalY(3)]);
const texts = [new GoalInvert(new GoalNear(1, 2, 3, 4)), any, new GoalNearXZ(1, 2, 3)].map(goal => goal.text());
return texts.join() === 'not near 1 2 3 4,xz 1 2 or y 3,nearxz 1 2 3';

//: other skills
return await sayTwice(bot) === 'sheep sheep' && await sayOnce(bot) === 'one';

//: what else is read
const names = ['isSleeping', 'isRaining', 'quickBarSlot', 'experience', 'registry', 'entities', 'players', 'version'];
const bodily = ['yaw', 'pitch', 'isInWater', 'isInLava', 'width', 'health', 'id', 'equipment', 'heldItem', 'onGround'];
return names.every(name => bot[name] !== undefined) && bodily.every(name => bot.entity[name] !== undefined) &&
  bot.registry === mcData && bot.inventory === bot.inventory && bot.getControlState('jump') === false &&
  bot.recipesAll(id('torch'), null, null).length > 0 && bot.blockAtCursor(8) !== undefined && bot.isRaining === false;

//: what is not offered says so
const said = [];
for (const act of [() => bot.openBlock(), () => bot.creative.flyTo(at), () => require('fs')]) {
  try { act() } catch (error) { said.push(error.message) }
}
try { await givePlacedItemBack(bot, [], []) } catch (error) { said.push(error.message) }
return said.length === 4 && said.slice(0, 3).every(text => text.includes('is not offered to programs'));

//: what is wrong throws
const wrong = [
  () => craftItem(bot, 5), () => craftItem(bot, 'stick', 'two'), () => craftItem(bot, 'stick', Infinity),
  () => mineBlock(bot, null), () => smeltItem(bot, 'iron_ore', 3), () => placeItem(bot, 'dirt', [1, 2, 3]),
  () => killMob(bot, 'cow', 'long'), () => exploreUntil(bot, new Vec3(0, 0, 0), 5, () => 1),
  () => exploreUntil(bot, new Vec3(1, 0, 0.5), 5, () => 1),
  () => exploreUntil(bot, new Vec3(1, 0, 0), 5, 'callback'),
  () => getItemFromChest(bot, new Vec3(0, 0, 0), null), () => bot.dig(null), () => bot.equip(null, 'hand'),
  () => bot.pathfinder.goto({}), () => bot.pathfinder.goto(new GoalNear(undefined, 1, 2, 3)),
  () => bot.attack(undefined)
];
let threw = 0;
for (const act of wrong) {
  try { await act() } catch (error) { threw += error instanceof Error && error.message.length > 10 ? 1 : 0 }
}
await craftItem(bot, 'stick', 0);
await mineBlock(bot, 'stone', -1);
return threw === wrong.length && bot.inventory.count(id('cobblestone')) === 0;

//: bot.findBlock by height
const low = bot.findBlock({
  matching: block => block && block.name === 'air' && block.position && block.position.y < 179,
  maxDistance: 32
});
const above = block => block.name === 'glass' && block.position.y > 180;
const high = bot.findBlocks({ matching: above, maxDistance: 16, count: 99 });
return low.name === 'air' && low.position.y === 178 && high.length === 56 && high.every(each => each.y === 181) &&
  bot.findBlock({ matching: block => block.name === 'stone' && block.position.y > 210, maxDistance: 32 }) === null;

//: small things
const inv = bot.inventory;
const first = inv.firstEmptyInventorySlot();
bot.save('nothing'); bot.setQuickBarSlot(0); bot.stopDigging(); bot.swingArm('right'); bot.collectBlock.cancelTask();
bot.pvp.stop(); await bot.waitForChunksToLoad();
const later = setImmediate(() => {}); clearImmediate(later);
await closeChest(bot);
const under = bot.world.getBlock(at.offset(0, -1, 0));
return inv.inventoryStart === 9 && inv.inventoryEnd === 45 && inv.hotbarStart === 36 && first >= 9 && inv.itemsRange(9, 45).length > 0 &&
  inv.countRange(9, 45, id('dirt')) > 0 && inv.findItemRange(9, 45, id('dirt')).name === 'dirt' &&
  inv.findItemsRange(9, 45, id('dirt')).length === 1 && itemByName(inv.items(), 'dirt').name === 'dirt' &&
  (await listItemsInChest(bot, { containerItems: () => [] })).length === 0 && bot.currentWindow === null &&
  bot.isAlive && bot.spawnPoint.y > 0 && bot.thunderState === 0 && bot.majorVersion === '1.16' &&
  bot.digTime(under) > 0 && bot.player.username === bot.username && !bot.pathfinder.isMoving() &&
  bot.pathfinder.movements instanceof Movements && Object.keys(bot.controlState).length === 0 &&
  require('vec3').Vec3 === Vec3 && ['whisper', 'openFurnace'].every(name => typeof bot[name] === 'function') &&
  ['oneShot', 'autoAttack'].every(name => typeof bot.hawkEye[name] === 'function');
