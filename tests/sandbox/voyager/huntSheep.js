async function huntSheep(bot) {
  const sword = bot.inventory.findInventoryItem(mcData.itemsByName["stone_sword"].id);
  if (sword) await bot.equip(sword, "hand");
  const sheep = await exploreUntil(bot, new Vec3(1, 0, 0), 30, () => {
    const found = bot.nearestEntity(entity => entity.name === "sheep" && entity.position.distanceTo(bot.entity.position) < 32);
    return found;
  });
  if (!sheep) return bot.chat("No sheep.");
  await killMob(bot, "sheep", 60);
  bot.chat("Got " + bot.inventory.items().filter(i => i.name === "mutton" || i.name.endsWith("_wool")).map(i => `${i.count} ${i.displayName}`).join(", "));
}
