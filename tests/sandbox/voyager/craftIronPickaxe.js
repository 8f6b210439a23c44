// Calls two saved skills; both of them have a helper called `ensure`.
async function craftIronPickaxe(bot) {
  await getSticks(bot);
  await getIron(bot);
  await craftItem(bot, "iron_pickaxe", 1);
}
