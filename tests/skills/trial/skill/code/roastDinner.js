/**
 * Hunts, then roasts what it got.
 */
async function ensureFurnace(bot) {
  await craftItem(bot, "furnace", 1);
}

async function roastDinner(bot) {
  await huntPigs(bot);
  await ensureFurnace(bot);
  await smeltItem(bot, "porkchop", "coal", 2);
  const meal = bot.inventory.findInventoryItem(mcData.itemsByName["cooked_porkchop"].id);
  await bot.equip(meal, "hand");
  await bot.consume();
}
