// Craft: do the recipe of an item `times` times. Items of 3x3 recipes need a crafting table within 32 blocks.
craftItem(bot, name, times = 1)
// Smelt: `count` of an item in a furnace within 32 blocks, with this fuel.
smeltItem(bot, itemName, fuelName, count = 1)
// Mine `count` blocks of a kind within 32 blocks, with the best tool that is held, and pick up what falls.
mineBlock(bot, name, count = 1)
// Place a block of the inventory at a position (a Vec3) next to another block.
placeItem(bot, name, position)
// Fight the nearest mob of a kind within 48 blocks, and pick up what falls.
killMob(bot, mobName, timeout = 300)
// Shoot the nearest target with a bow, a crossbow or an item that is thrown.
shoot(bot, weapon, target)
// Walk in a direction, a Vec3 of -1, 0 and 1, until `callback()` returns something or `maxTime` seconds are over. Returns what `callback()` returned.
exploreUntil(bot, direction, maxTime = 60, callback)
// Wait in safety until it is day: in a bed that is near, or closed in by blocks.
shelter(bot)
// Walk to a block within 64 blocks, or to a crafting table, furnace or chest that you used before.
gotoBlock(bot, name)
// Pick up an item that lies near, or where the bot died.
collectItem(bot, name)
// Fill a bucket with 'water', 'lava' or 'milk' that is near.
fillBucket(bot, name = 'water')
// Chests: `items` is an object of item name -> count.
getItemFromChest(bot, position, items)
depositItemIntoChest(bot, position, items)
checkItemInsideChest(bot, position)
// Also there: bot.findBlock({ matching, maxDistance: 32 }), bot.inventory.items(), bot.inventoryUsed(),
// bot.nearestEntity(filter), bot.entity.position, bot.equip(item, slot), bot.consume(), bot.chat(text), bot.sleep(bed),
// bot.fish(), bot.activateBlock(block), bot.pathfinder.goto(goal), mcData.itemsByName, mcData.blocksByName, Vec3,
// GoalBlock, GoalNear, GoalGetToBlock, GoalXZ, GoalY.
