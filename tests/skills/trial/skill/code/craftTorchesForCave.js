// How many of an item the bot holds
function countOf(bot, name) {
  return bot.inventory.count(mcData.itemsByName[name].id);
}

async function craftTorchesForCave(bot) {
  if (countOf(bot, "coal") < 2) {
    await mineBlock(bot, "coal_ore", 2);
    bot.chat("Coal is in the bag.");
  }
  if (countOf(bot, "stick") < 2) {
    await craftItem(bot, "stick", 1);
  }
  await craftItem(bot, "torch", 2);
  bot.chat("Torches are ready.");
}
