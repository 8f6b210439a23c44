async function waitWithTimers(bot) {
  const begun = bot.time.timeOfDay;
  await new Promise(resolve => setTimeout(resolve, 2000));
  let beats = 0;
  await new Promise(resolve => {
    const beat = setInterval(() => {
      beats++;
      if (beats === 3) {
        clearInterval(beat);
        resolve();
      }
    }, 500);
  });
  const first = await Promise.race([
    new Promise(resolve => setTimeout(() => resolve("slow"), 5000)),
    new Promise(resolve => setTimeout(() => resolve("fast"), 100))
  ]);
  setInterval(() => {}, 1000); // nobody stops this one
  return [beats, first, bot.time.timeOfDay > begun];
}
