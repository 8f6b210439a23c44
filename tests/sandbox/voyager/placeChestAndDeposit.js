async function placeChestAndDeposit(bot) {
  const chestPosition = bot.entity.position.offset(2, 0, 0).floored();
  await placeItem(bot, "chest", chestPosition);
  const junk = ["dirt", "cobblestone", "diorite"];
  const deposit = {};
  for (const name of junk) {
    const item = bot.inventory.findInventoryItem(mcData.itemsByName[name].id);
    if (item) deposit[name] = item.count;
  }
  await depositItemIntoChest(bot, chestPosition, deposit);
  await checkItemInsideChest(bot, chestPosition);
  return ["dirt", "cobblestone"].map(name => bot.inventory.count(mcData.itemsByName[name].id));
}
