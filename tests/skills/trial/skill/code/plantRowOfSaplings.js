async function plantRowOfSaplings(bot) {
  const base = bot.entity.position;
  for (let i = 1; i <= 3; i++) {
    await placeItem(bot, "oak_sapling", base.offset(i, 0, 0));
  }
  for (const each of bot.inventory.items()) console.log(`${each.name}: ${each.count}`);
}
