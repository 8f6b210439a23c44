async function equipIronArmor(bot) {
  const armor = [["iron_helmet", "head"], ["iron_chestplate", "torso"], ["iron_leggings", "legs"], ["iron_boots", "feet"], ["shield", "off-hand"]];
  for (const [name, destination] of armor) {
    const item = bot.inventory.findInventoryItem(mcData.itemsByName[name].id);
    if (!item) {
      bot.chat(`No ${name}`);
      continue;
    }
    await bot.equip(item, destination);
  }
  return armor.map(([, destination]) => bot.inventory.slots[bot.getEquipmentDestSlot(destination)]?.name);
}
