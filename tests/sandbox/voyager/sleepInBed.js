async function sleepInBed(bot) {
  let bed = bot.findBlock({ matching: block => bot.isABed(block), maxDistance: 16 });
  if (!bed) {
    await placeItem(bot, "red_bed", bot.entity.position.offset(2, 0, 0));
    bed = bot.findBlock({ matching: block => bot.isABed(block), maxDistance: 16 });
  }
  await bot.pathfinder.goto(new GoalNear(bed.position.x, bed.position.y, bed.position.z, 2));
  const { isDay } = bot.time;
  await bot.sleep(bed);
  return [isDay, bot.time.isDay];
}
