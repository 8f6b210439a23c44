async function openDoor(bot) {
  const door = bot.findBlock({ matching: block => block.name.includes("door"), maxDistance: 16 });
  await bot.pathfinder.goto(new GoalNear(door.position.x, door.position.y, door.position.z, 2));
  const before = bot.blockAt(door.position).getProperties().open;
  await bot.activateBlock(door);
  return before !== bot.blockAt(door.position).getProperties().open;
}
