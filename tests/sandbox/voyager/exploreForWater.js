async function exploreForWater(bot) {
  const water = mcData.blocksByName.water.id;
  for (const [x, z] of [[0, -1], [1, 0], [0, 1], [-1, 0]]) {
    const found = await exploreUntil(bot, new Vec3(x, 0, z), 60, () =>
      bot.findBlock({ matching: water, maxDistance: 32 }));
    if (found) {
      bot.chat(`Water at ${found.position}`);
      await bot.pathfinder.goto(new GoalNear(found.position.x, found.position.y, found.position.z, 2));
      return found.position.distanceTo(bot.entity.position) < 5;
    }
  }
  return false;
}
