"""Lines of programs for the brains without a model: searches, stations and deposits."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from autocraft.crafting.recipes import load_book
from autocraft.protocols import Args

VERBS = {"craft": "craftItem", "smelt": "smeltItem", "mine": "mineBlock", "kill": "killMob"}
"""The first word of a skill's name, as of the command of its last step -> the function that this step calls."""
_CALLS = {
    "craft_item": "await craftItem(bot, '{item}', {count})",
    "smelt_item": "await smeltItem(bot, '{item}', '{fuel}', {count})",
    "mine_block": "await mineBlock(bot, '{item}', {count})",
    "kill_mob": "await killMob(bot, '{item}', 300)",
    "goto_block": "await gotoBlock(bot, '{item}')",
    "collect": "await collectItem(bot, '{item}')",
    "fill_bucket": "await fillBucket(bot, '{item}')",
}
"""Command -> the call that does the same in a program."""
HELPERS = (
    "const held = (name) => bot.inventory.items().filter((each) => each.name === name)",
    "const have = (name) => held(name).reduce((sum, each) => sum + each.count, 0)",
    "const near = (name, far = 32) => mcData.blocksByName[name] &&",
    "  bot.findBlock({ matching: mcData.blocksByName[name].id, maxDistance: far })",
    "const meat = (each) => ['cow', 'pig', 'sheep'].includes(each.name) &&",
    "  each.position.distanceTo(bot.entity.position) < 32",
    "const safe = async (hunts) => {",
    "  const animal = bot.time.isDay && bot.food <= 8 && bot.nearestEntity(meat)",
    "  if (animal) await killMob(bot, animal.name, 60)",
    "  const night = !bot.time.isDay && bot.entity.position.y > 50 && !hunts",
    "  if (night || bot.health <= 8) await shelter(bot)",
    "}",
)
VALUABLE = re.compile(
    "_(pickaxe|axe|sword|shovel|hoe|ingot|boots|chestplate|leggings|helmet)$|^(diamond|coal|stick|bucket)$"
)
"""The items that are never put away, besides stations."""
_LEVEL = "[[0, 0, -1], [1, 0, 0], [0, 0, 1], [-1, 0, 0]]"
_DEEP = "[[0, -1, 0], [1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 0, -1]]"
WANDERING = f"await safe(); await exploreUntil(bot, new Vec3(...{_LEVEL}[Math.floor(Math.random() * 4)]), 20)"
"""The line that walks in one of four directions, taken by chance, for 20 seconds."""
_PLACE = re.compile(r"place 1 ([a-z_]+)")
_CHEST = re.compile(r"chest at \(?(-?\d+), ?(-?\d+), ?(-?\d+)")


def call_of(name: str, args: Args) -> str:
    """Return a command as the call that a program makes. Return '' if no function does the same."""
    item, count = args.get("name", ""), args.get("count", 1)
    if name == "craft_item":  # craftItem counts how often the recipe is done, and not items
        each = max((recipe.count for recipe in load_book().making(item)), default=1)
        count = -(-count // each)
    return _CALLS.get(name, "").format(item=item, count=count, fuel=args.get("fuel") or "coal")


def function_name(verb: str, item: str) -> str:
    """Return the name of a program that gains an item, such as ``craftStonePickaxe``."""
    return verb + "".join(word.capitalize() for word in re.findall("[a-z0-9]+", item))


def maker_of(item: str, skills: Collection[str]) -> str:
    """Return the skill that is named after an item. Return '' if there is none."""
    return next((name for verb in VERBS if (name := function_name(verb, item)) in skills), "")


def function(name: str, lines: Sequence[str]) -> str:
    """Return the program of this name with the helpers before its lines."""
    body = "\n".join(f"  {line}" for line in (*lines[:1], *HELPERS, *lines[1:]))
    return f"async function {name}(bot) {{\n{body}\n}}"


def answer_of(plan: Sequence[str], code: str) -> str:
    """Return a program in the form in which a model answers."""
    steps = "\n".join(f"{n}) {step}" for n, step in enumerate(plan, 1))
    return f"Plan:\n{steps}\nCode:\n```javascript\n{code}\n```"


def search(block: str, seconds: int = 60, *, deep: bool = False, layer: Sequence[int] = ()) -> list[str]:
    """Return the lines that look for a block for some seconds in each direction. With `deep`, below comes first.

    A `layer` has the lowest, the highest and the best height for it. From elsewhere the bot goes to the best one first.
    """
    return _exploring(f"near('{block}')", _DEEP if deep else _LEVEL, seconds, layer, "safe()")


def hunt(mob: str, layer: Sequence[int] = ()) -> list[str]:
    """Return the lines that look for a mob for a minute in each direction, from a height of its `layer`."""
    close = "each.position.distanceTo(bot.entity.position) < 32"
    test = f"bot.nearestEntity((each) => each.name === '{mob}' && {close})"
    return _exploring(test, _LEVEL, 60, layer, "safe(true)")  # some mobs come out at night


def _exploring(test: str, ways: str, seconds: int, layer: Sequence[int], first: str) -> list[str]:
    """Return the lines that go each way until a test holds. They do `first` before each way."""
    climb = []
    if layer:
        low, high, best = layer
        outside = f"(bot.entity.position.y < {low} || bot.entity.position.y > {high})"
        climb = [f"if (!{test} && {outside}) await bot.pathfinder.goto(new GoalY({best}))"]
    return [
        *climb,
        f"for (const [x, y, z] of {ways}) {{",
        f"  if ({test}) break",
        f"  await {first}",
        f"  await exploreUntil(bot, new Vec3(x, y, z), {seconds}, () => {test})",
        "}",
    ]


def placing(name: str) -> str:
    """Return the line that places a block. Where there is no room, as in a shaft, the bot climbs until there is some.

    `name` is JavaScript: a quoted name or a variable.
    """
    return f"await exploreUntil(bot, new Vec3(0, 1, 0), 60, async () => (await placeItem(bot, {name})).ok)"


def emptying(task: str, inventory: Mapping[str, int]) -> str:
    """Return the program of a task that places a chest or empties the inventory. Return '' for any other task."""
    place, chest = _PLACE.match(task.lower()), _CHEST.search(task.lower())
    if place:
        return function(function_name("place", place[1]), [f"// Place 1 {place[1]}.", placing(repr(place[1]))])
    if not chest:
        return ""
    spare = [
        name for name in sorted(inventory) if not VALUABLE.search(name) and name not in ("crafting_table", "furnace")
    ]
    items = ", ".join(f"{name}: {inventory[name]}" for name in spare)
    where = f"new Vec3({chest[1]}, {chest[2]}, {chest[3]})"
    lines = ["// Put away what is of no use now.", f"await depositItemIntoChest(bot, {where}, {{ {items} }})"]
    return function("depositItems", lines)
