async function fishOnce(bot) {
  const rod = bot.inventory.findInventoryItem(mcData.itemsByName["fishing_rod"].id);
  await bot.equip(rod, "hand");
  const water = bot.findBlock({ matching: mcData.blocksByName.water.id, maxDistance: 16 });
  await bot.lookAt(water.position.offset(0.5, 1, 0.5));
  const before = bot.inventory.items().reduce((all, item) => all + item.count, 0);
  await bot.fish();
  return bot.inventory.items().reduce((all, item) => all + item.count, 0) - before;
}
