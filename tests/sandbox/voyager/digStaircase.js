// Digs its way through a heap, block by block, from the top.
async function digStaircase(bot) {
  const heap = bot.findBlocks({ matching: mcData.blocksByName.cobblestone.id, maxDistance: 8, count: 10 });
  heap.sort((a, b) => b.y - a.y);
  for (const at of heap) {
    const block = bot.blockAt(at);
    if (block && block.name !== "air" && block.hardness >= 0) await bot.dig(block);
  }
  return heap.filter(at => bot.blockAt(at).name === "air").length;
}
