async function constructor(bot) {
  bot.chat("I am everybody's");
}
