// Sloppy on purpose: what should be awaited is not, and is done in its order all the same.
function forgetfulHelper(bot, name) {
  placeItem(bot, name, bot.entity.position.offset(2, 0, 0));
}

async function forgetfulBuilder(bot) {
  bot.chat("begin");
  craftItem(bot, "oak_planks", 2);
  craftItem(bot, "crafting_table", 1);
  craftItem(bot, "stick", 2);
  forgetfulHelper(bot, "crafting_table");
  bot.equip(mcData.itemsByName.oak_log.id, "hand");
  bot.placeBlock(bot.blockAt(bot.entity.position.offset(0, -1, 3)), new Vec3(0, 1, 0));
  var item = bot.inventory.items().find(x => x.name == "no_such_item");
  undeclared = item?.count ?? "none";
  bot.chat("there is " + undeclared);
}
