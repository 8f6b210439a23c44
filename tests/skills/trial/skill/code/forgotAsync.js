function helper(bot) {
  await craftItem(bot, "stick", 1);
}

async function forgotAsync(bot) {
  helper(bot);
}
