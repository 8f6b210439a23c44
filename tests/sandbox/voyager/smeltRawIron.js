async function smeltRawIron(bot) {
  const furnace = bot.findBlock({ matching: mcData.blocksByName.furnace.id, maxDistance: 32 });
  if (!furnace) {
    await placeItem(bot, "furnace", bot.entity.position.offset(1, 0, 1));
  }
  const raw = bot.inventory.count(mcData.itemsByName.raw_iron.id);
  await smeltItem(bot, "raw_iron", "coal", raw);
  bot.chat(`${bot.inventory.count(mcData.itemsByName["iron_ingot"].id)} iron ingots.`);
}
