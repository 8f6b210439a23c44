async function collectWaterBucket(bot) {
  await placeItem(bot, "crafting_table", bot.entity.position.offset(1, 0, 0));
  await craftItem(bot, "bucket", 1);
  const water = bot.findBlock({ matching: block => block.name === "water" && block.metadata === 0, maxDistance: 32 });
  await bot.pathfinder.goto(new GoalNear(water.position.x, water.position.y, water.position.z, 2));
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.bucket.id), "hand");
  await bot.lookAt(water.position.offset(0.5, 0.5, 0.5), true);
  await bot.activateItem();
  await bot.waitForTicks(10);
}
