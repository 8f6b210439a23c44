async function plantWheat(bot) {
  const hoe = bot.inventory.items().find(item => /_hoe$/.test(item.name));
  const soil = bot.findBlock({ matching: block => block.name === "dirt" || block.name === "grass_block", maxDistance: 8 });
  await bot.pathfinder.goto(new GoalGetToBlock(soil.position.x, soil.position.y, soil.position.z));
  await bot.equip(hoe, "hand");
  await bot.activateBlock(soil);
  await bot.equip(mcData.itemsByName.wheat_seeds.id, "hand");
  await bot.placeBlock(bot.blockAt(soil.position), new Vec3(0, 1, 0));
  return bot.blockAt(soil.position.offset(0, 1, 0)).name;
}
