// The kind of log is found first, since each forest has its own.
async function mineThreeLogs(bot) {
  const kinds = ["oak_log", "birch_log", "spruce_log", "jungle_log", "acacia_log", "dark_oak_log"];
  const log = await exploreUntil(bot, new Vec3(1, 0, 0), 60, () => {
    return bot.findBlock({
      matching: block => kinds.includes(block.name),
      maxDistance: 32
    });
  });
  if (!log) {
    bot.chat("No tree is near.");
    return;
  }
  await mineBlock(bot, log.name, 3);
  bot.chat(`Mined 3 ${log.name}.`);
}
