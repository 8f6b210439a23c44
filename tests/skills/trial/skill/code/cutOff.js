async function cutOff(bot) {
  await mineBlock(bot, "stone", 1);
  if (bot.food < 5) {
