async function buildPillar(bot) {
  const foot = bot.entity.position.floored().offset(2, 0, 2);
  for (let height = 0; height < 4; height++) {
    await placeItem(bot, "cobblestone", foot.offset(0, height, 0));
  }
  const top = bot.blockAt(foot.offset(0, 3, 0));
  bot.chat(`The top is ${top.name} at ${top.position.toString()}`);
}
