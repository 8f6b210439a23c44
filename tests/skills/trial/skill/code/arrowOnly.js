const arrowOnly = async (bot) => { bot.chat("hello"); };
