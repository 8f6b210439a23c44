async function tockSecond(bot) {
  if (bot.food > 15) await tickFirst(bot);
}
