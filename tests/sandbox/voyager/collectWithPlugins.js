async function collectWithPlugins(bot) {
  const { Vec3: Vector } = require("vec3");
  const data = require("minecraft-data")(bot.version);
  const targets = bot.findBlocks({ matching: data.blocksByName.dirt.id, maxDistance: 16, count: 2 }).map(at => bot.blockAt(at));
  await bot.tool.equipForBlock(targets[0], {});
  await bot.collectBlock.collect(targets, { ignoreNoPath: true });
  bot.setControlState("forward", true);
  await bot.waitForTicks(4);
  bot.clearControlStates();
  return new Vector(1, 2, 3).equals(new Vec3(1, 2, 3));
}
