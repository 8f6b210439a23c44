async function mineIronBelow(bot) {
  const pickaxe = bot.inventory.findInventoryItem(mcData.itemsByName.stone_pickaxe.id);
  await bot.equip(pickaxe, "hand");
  const ores = await exploreUntil(bot, new Vec3(0, -1, 0), 60, () => {
    const found = bot.findBlocks({ matching: (block) => block.name === "iron_ore", maxDistance: 32, count: 5 });
    return found.length >= 5 ? found : null;
  });
  if (!ores) {
    bot.chat("No iron here.");
    return;
  }
  await mineBlock(bot, "iron_ore", 5);
}
