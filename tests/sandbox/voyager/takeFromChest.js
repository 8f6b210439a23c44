async function takeFromChest(bot) {
  const chest = bot.findBlock({ matching: mcData.blocksByName.chest.id, maxDistance: 16 });
  await depositItemIntoChest(bot, chest.position, { "iron_ingot": 4 });
  await getItemFromChest(bot, chest.position, { "iron_ingot": 3, "diamond": 1 });
}
