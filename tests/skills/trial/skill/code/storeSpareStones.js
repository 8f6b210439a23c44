async function storeSpareStones(bot) {
  const chest = bot.findBlock({ matching: mcData.blocksByName["chest"].id, maxDistance: 16 });
  await depositItemIntoChest(bot, chest.position, { cobblestone: 32, andesite: 16 });
}
