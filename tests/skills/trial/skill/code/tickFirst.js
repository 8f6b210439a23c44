async function tickFirst(bot) {
  if (bot.food > 10) await tockSecond(bot);
}
