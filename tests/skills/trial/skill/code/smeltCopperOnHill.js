async function ensureFurnace(bot) {
  const near = bot.findBlock({ matching: mcData.blocksByName.furnace.id, maxDistance: 32 });
  if (near) return near.position;
  const spot = bot.entity.position.offset(1, 0, 0);
  await placeItem(bot, "furnace", spot);
  return spot;
}

async function smeltCopperOnHill(bot) {
  await ensureFurnace(bot);
  await smeltItem(bot, "raw_copper", "coal", 4);
}
