async function reportInventory(bot) {
  const counts = {};
  bot.inventory.items().forEach(item => {
    counts[item.name] = (counts[item.name] || 0) + item.count;
  });
  for (const name in counts) console.log(name, counts[name], mcData.itemsByName[name].stackSize);
  const foods = bot.inventory.items().filter(item => mcData.foodsArray.some(food => food.name === item.name));
  return { counts, foods: foods.map(food => food.displayName), free: bot.inventory.emptySlotCount(), used: bot.inventoryUsed() };
}
