//: twoMains
// value "second"
async function firstMain(bot) {
  await craftItem(bot, "oak_planks", 1);
  return "first";
}
async function twoMains(bot) {
  const value = await firstMain(bot);
  return value === "first" ? "second" : "none";
}

//: name2With3Digits
// value 6
function double(n) { return n * 2; }
async function name2With3Digits(bot) {
  return double(3);
}

//: unusedThings
// value null
function notUsed(a, b, c) { return a; }
async function alsoNotUsed(bot, count = 1, { deep = true } = {}) { return count; }
async function unusedThings(bot) {
  const unused = 5;
  let later;
}

//: mainInMiddle
// value 3
function before() { return 1; }
async function mainInMiddle(bot) {
  return before() + after();
}
function after() { return 2; }

//: labelledLoop
// value 2
async function labelledLoop(bot) {
  let n = 0;
  outer: for (let i = 0; i < 3; i++) {
    for (const name of ["oak_planks", "stick"]) {
      if (i === 2) break outer;
      if (name === "stick") continue outer;
      await craftItem(bot, name, 1);
      n++;
    }
  }
  return n;
}

//: switchesAndTernaries
// value "coal"
async function switchesAndTernaries(bot) {
  const first = bot.inventory.items().find(item => item.name === "coal")?.name ?? "nothing";
  switch (first) {
    case "coal": return bot.inventory.count(mcData.itemsByName[first].id) ? first : null;
    default: return "other";
  }
}

//: classInside
// value 7
async function classInside(bot) {
  class Counter { #n = 0; add(k) { this.#n += k; return this; } get n() { return this.#n; } }
  return new Counter().add(3).add(4).n;
}

//: regexReplace
// value "oak planks"
async function regexReplace(bot) {
  return "minecraft:oak_planks".replace(/^minecraft:/, "").replaceAll("_", " ");
}

//: throwsItself
// throws Need 99 kinds
async function throwsItself(bot) {
  if (bot.inventory.items().length < 99) throw new Error("Need 99 kinds");
}

//: generatorHelper
// value [0,1,2]
function* upTo(n) { for (let i = 0; i < n; i++) yield i; }
async function generatorHelper(bot) { return [...upTo(3)]; }

//: vecMath
// value [5, "(1, 2, 3)", true]
async function vecMath(bot) {
  const a = new Vec3(0, 3, 4);
  const b = new Vec3(1.5, 2.5, 3.5).floored();
  return [a.norm(), b.toString(), b.minus(a).equals(new Vec3(1, -1, -1))];
}
