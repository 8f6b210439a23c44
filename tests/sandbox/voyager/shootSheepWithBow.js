async function shootSheepWithBow(bot) {
  await shoot(bot, "bow", "sheep");
  return bot.nearestEntity(entity => entity.name === "sheep") === null;
}
