async function mineSandAndDirt(bot) {
  const wanted = { sand: 2, dirt: 3 };
  for (const [name, count] of Object.entries(wanted)) {
    let have = bot.inventory.count(mcData.itemsByName[name].id);
    while (have < count) {
      await exploreUntil(bot, new Vec3(-1, 0, -1), 60, () => bot.findBlock({ matching: mcData.blocksByName[name].id, maxDistance: 32 }));
      await mineBlock(bot, name, count - have);
      const now = bot.inventory.count(mcData.itemsByName[name].id);
      if (now === have) throw new Error(`no ${name} could be mined`);
      have = now;
    }
  }
}
