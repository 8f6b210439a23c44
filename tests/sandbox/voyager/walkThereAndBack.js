async function walkThereAndBack(bot) {
  const start = bot.entity.position.clone();
  await bot.pathfinder.goto(new GoalXZ(start.x + 6, start.z));
  const there = start.distanceTo(bot.entity.position);
  await bot.pathfinder.goto(new GoalBlock(Math.floor(start.x), Math.floor(start.y), Math.floor(start.z)));
  return [there > 4, bot.entity.position.floored().equals(start.floored())];
}
