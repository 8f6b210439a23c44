async function digAndLight(bot) {
  const floor = bot.entity.position.floored().offset(3, -1, 0);
  for (let i = 0; i < 3; i++) {
    const block = bot.blockAt(floor.offset(0, 0, i));
    if (block && block.name !== "air" && block.hardness >= 0) await bot.dig(block);
  }
  return bot.findBlocks({ matching: mcData.blocksByName.air.id, maxDistance: 4, count: 400 })
    .filter(at => at.y === floor.y && at.x === floor.x).length;
}
