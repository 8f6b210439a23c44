async function makeTorches(bot) {
  const count = name => bot.inventory.count(mcData.itemsByName[name].id);
  if (count("stick") < 2) {
    await craftItem(bot, "oak_planks", 1);
    await craftItem(bot, "stick", 1);
  }
  const times = Math.min(count("coal"), count("stick"));
  await craftItem(bot, "torch", times);
  const spot = bot.findBlocks({
    matching: block => block.name === "stone",
    maxDistance: 5,
    count: 20
  }).find(at => bot.blockAt(at.offset(0, 1, 0)).name === "air" && at.distanceTo(bot.entity.position) > 2);
  await placeItem(bot, "torch", spot.offset(0, 1, 0));
}
