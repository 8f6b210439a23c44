async function craftFurnace(bot) {
  const tableNearby = bot.findBlock({ matching: mcData.blocksByName.crafting_table.id, maxDistance: 32 });
  if (!tableNearby) {
    const around = [new Vec3(1, 0, 0), new Vec3(-1, 0, 0), new Vec3(0, 0, 1), new Vec3(0, 0, -1)];
    const free = around.map(way => bot.entity.position.plus(way)).find(at => bot.blockAt(at).name === "air");
    await placeItem(bot, "crafting_table", free);
  }
  await craftItem(bot, "furnace", 1);
}
