async function cookMutton(bot) {
  const mutton = bot.inventory.findInventoryItem(mcData.itemsByName.mutton.id);
  const fuel = ["coal", "oak_planks", "oak_log"].find(name => bot.inventory.findInventoryItem(mcData.itemsByName[name].id));
  await placeItem(bot, "furnace", bot.entity.position.offset(-1, 0, 0));
  await smeltItem(bot, "mutton", fuel, mutton.count);
}
