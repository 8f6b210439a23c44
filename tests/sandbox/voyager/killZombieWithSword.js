async function killZombieWithSword(bot) {
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.iron_sword.id), "hand");
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.iron_chestplate.id), "torso");
  const zombie = bot.nearestEntity(entity => entity.name === "zombie");
  bot.chat(`A ${zombie.name} at ${zombie.position.floored()}`);
  await killMob(bot, "zombie", 120);
  return [zombie.isValid, bot.health > 0];
}
