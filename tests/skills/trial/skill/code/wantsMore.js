async function wantsMore(bot, count) {
  await craftItem(bot, "stick", count);
}
