async function keepTrying(bot) {
  let tries = 0;
  while (bot.inventory.count(mcData.itemsByName.diamond.id) < 1) {
    tries++;
    bot.chat(`try ${tries}`);
    await mineBlock(bot, "diamond_ore", 1);
  }
}
