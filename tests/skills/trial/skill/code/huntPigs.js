async function huntPigs(bot) {
  let eaten = 0;
  while (eaten < 2) {
    const pig = bot.nearestEntity((entity) => entity.name === "pig" && entity.position.distanceTo(bot.entity.position) < 32);
    if (!pig) break;
    await killMob(bot, "pig", 120);
    eaten += 1;
  }
}
