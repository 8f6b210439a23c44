// Runs jsonrepair over a corpus and times it: node jsonrepair.js CORPUS.jsonl ROUNDS
// Prints one JSON line an answer: the repaired value, and its CPU time in microseconds.
"use strict";

const fs = require("fs");

const [corpus, rounds] = process.argv.slice(2);
let jsonrepair;
try {
  ({ jsonrepair } = require("jsonrepair"));
} catch {
  console.log(JSON.stringify({ missing: "jsonrepair" }));
  process.exit(0);
}
for (const line of fs.readFileSync(corpus, "utf8").split("\n").filter(Boolean)) {
  const text = JSON.parse(line);
  const us = [];
  let value = null;
  for (let round = 0; round < Number(rounds); round++) {
    const started = process.cpuUsage();
    try {
      value = JSON.parse(jsonrepair(text));
    } catch {
      value = null;
    }
    const used = process.cpuUsage(started);
    us.push(used.user + used.system);
  }
  console.log(JSON.stringify({ value, us }));
}
