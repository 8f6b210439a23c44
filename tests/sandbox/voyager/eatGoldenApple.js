async function eatGoldenApple(bot) {
  await placeItem(bot, "crafting_table", bot.entity.position.offset(0, 0, 2));
  await craftItem(bot, "golden_apple", 1);
  const apple = bot.inventory.findInventoryItem(mcData.itemsByName.golden_apple.id);
  const before = apple.count;
  await bot.equip(apple, "hand");
  await bot.consume();
  return before - bot.inventory.count(mcData.itemsByName.golden_apple.id);
}
