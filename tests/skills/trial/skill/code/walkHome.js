async function walkHome(bot) {
  await bot.pathfinder.goto(new GoalBlock(10, 64, -20));
  await bot.waitForTicks(20);
}
