async function mineFiveCobblestone(bot) {
  const pickaxe = bot.inventory.items().find(item => item.name.endsWith("_pickaxe"));
  if (!pickaxe) {
    bot.chat("A pickaxe is needed.");
    return;
  }
  await bot.equip(pickaxe, "hand");
  const stone = await exploreUntil(bot, new Vec3(0, -1, 0), 60, () => bot.findBlock({
    matching: mcData.blocksByName.stone.id,
    maxDistance: 32
  }));
  if (!stone) {
    bot.chat("Could not find stone.");
    return;
  }
  await mineBlock(bot, "stone", 5);
}
