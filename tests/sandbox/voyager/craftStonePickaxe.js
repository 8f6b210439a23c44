async function ensureSticks(bot, need) {
  const stick = mcData.itemsByName["stick"].id;
  if (bot.inventory.count(stick) >= need) return;
  if (bot.inventory.count(mcData.itemsByName["oak_planks"].id) < 2) await craftItem(bot, "oak_planks", 1);
  await craftItem(bot, "stick", Math.ceil((need - bot.inventory.count(stick)) / 4));
}

async function craftStonePickaxe(bot) {
  await ensureSticks(bot, 2);
  await placeItem(bot, "crafting_table", bot.entity.position.offset(1, 0, 0));
  await craftItem(bot, "stone_pickaxe", 1);
  const made = bot.inventory.findInventoryItem(mcData.itemsByName["stone_pickaxe"].id);
  await bot.equip(made, "hand");
  bot.chat(`In hand: ${bot.heldItem?.name}`);
}
