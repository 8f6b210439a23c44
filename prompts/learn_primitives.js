// Each of these functions returns { ok, error, broke, placed }: whether it did what it should, and else why not, how many
// blocks of each name it broke ({ oak_log: 2 }), and where it placed one. Most failures do not throw: they are only said
// in the chat log, and the program goes on. So look at `ok`, or at the inventory. These throw: a name that the game does
// not have, no crafting table near, no furnace near, a wrong fuel or input, a mob that was not killed in time, no chest
// there, the eleventh failure of one function, and a danger from which the bot hid: then call shelter(bot). The bot eats,
// fights back, flees and hides by itself.
// Craft: do the recipe of an item `times` times. Items of 3x3 recipes need a crafting table within 32 blocks. It makes no
// ingredients.
craftItem(bot, name, times = 1)
// Smelt: `count` of an item in a furnace within 32 blocks, with this fuel.
smeltItem(bot, itemName, fuelName, count = 1)
// Mine `count` blocks of a kind within 32 blocks, with the best tool that is held, and pick up what falls. It digs its way
// to them. If there are fewer, `ok` is false.
mineBlock(bot, name, count = 1)
// Place a block of the inventory, or empty a bucket, at a position (a Vec3) next to another block. Without a position it
// chooses a free place near the bot. `placed` of the result is the place.
placeItem(bot, name, position)
// Fight the nearest mob of a kind within 48 blocks, and pick up what falls.
killMob(bot, mobName, timeout = 300)
// Shoot the nearest target with a bow, a crossbow or an item that is thrown.
shoot(bot, weapon, target)
// Walk in a direction, a Vec3 of -1, 0 and 1, until `callback()` returns something or `maxTime` seconds are over. Returns
// what `callback()` returned, else null. With y = -1 it digs down, with y = 1 it climbs to the surface.
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
// Also there: bot.findBlock({ matching, maxDistance: 32 }), bot.blockAt(position), bot.inventory.items(),
// bot.inventory.count(id), bot.inventoryUsed(), bot.nearestEntity(filter), bot.entity.position, bot.health, bot.food,
// bot.equip(item, slot), bot.consume(), bot.chat(text), bot.sleep(bed), bot.fish(), bot.activateBlock(block),
// bot.waitForTicks(ticks), bot.pathfinder.goto(goal), mcData.itemsByName, mcData.blocksByName, Vec3, GoalBlock,
// GoalNear, GoalGetToBlock, GoalXZ, GoalY.
