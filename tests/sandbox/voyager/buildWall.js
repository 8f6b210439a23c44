async function buildWall(bot) {
  const origin = bot.entity.position.floored().plus(new Vec3(-2, 0, 3));
  let placed = 0;
  for (let y = 0; y < 2; y++) {
    for (let x = 0; x < 4; x++) {
      const at = origin.offset(x, y, 0);
      if (bot.blockAt(at).boundingBox === "empty") {
        await placeItem(bot, "dirt", at);
        placed += bot.blockAt(at)?.name === "dirt" ? 1 : 0;
      }
    }
  }
  return placed;
}
