async function makeStonePick(bot) {
  await mineBlock(bot, "stone", 3);
  await craftItem(bot, "stone_pickaxe", 1);
}
