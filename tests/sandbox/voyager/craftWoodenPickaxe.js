async function collectLogs(bot, wanted) {
  const oak = bot.inventory.count(mcData.itemsByName.oak_log.id);
  if (oak < wanted) {
    await mineBlock(bot, "oak_log", wanted - oak);
  }
}

async function craftWoodenPickaxe(bot) {
  await collectLogs(bot, 3);
  await craftItem(bot, "oak_planks", 3);
  await craftItem(bot, "crafting_table", 1);
  await craftItem(bot, "stick", 1);
  const table = bot.inventory.findInventoryItem(mcData.itemsByName["crafting_table"].id);
  bot.chat(`I have ${table.count} ${table.name}.`);
  await placeItem(bot, "crafting_table", bot.entity.position.offset(1, 0, 0));
  await craftItem(bot, "wooden_pickaxe", 1);
}
