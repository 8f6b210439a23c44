async function mineCoalOre(bot) {
  await bot.equip(bot.inventory.findInventoryItem(mcData.itemsByName.stone_pickaxe.id), "hand");
  const directions = [new Vec3(0, -1, 0), new Vec3(1, 0, 1), new Vec3(-1, 0, 0)];
  for (const direction of directions) {
    const ore = await exploreUntil(bot, direction, 60, () => {
      const found = bot.findBlocks({ matching: [mcData.blocksByName["coal_ore"].id], maxDistance: 32, count: 3 });
      return found.length >= 1 ? found : null;
    });
    if (ore) break;
  }
  await mineBlock(bot, "coal_ore", 1);
}
