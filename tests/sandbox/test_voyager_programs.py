"""Programs of the shapes that Voyager's library has, run to their goal on the practice server.

They are ours, written from the list of what Voyager's programs call. Those marked `wild` begin as the world is; the
others begin on a lit stone floor high above it. Where a goal is late in the game, the server's own cheats give what the
program begins with (`gives`, `before`); the programs themselves never cheat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from autocraft.crafting.inventory import parse_inventory
from autocraft.sandbox.program import Outcome
from autocraft.worlds.crafting import CraftingWorld
from tests.sampling import drawn
from tests.sandbox.playing import PROGRAMS, code_of, run, text_of, within
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, playing


@dataclass(frozen=True)
class Goal:
    """What a program begins with, and what it must come to."""

    has: dict[str, int] = field(default_factory=dict)
    """Items that are there at the end, at least so many."""
    value: Any = None
    """What main returns; None for whatever it is."""
    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    gives: dict[str, int] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    """Server commands, with {x} {y} {z} for where the bot stands."""
    wild: bool = False
    throws: str = ""


SHORT = {
    "craftWoodenPickaxe": Goal(wild=True, has={"wooden_pickaxe": 1}, says=("I have 1 crafting_table.",)),
    "smeltRawIron": Goal(
        gives={"furnace": 1, "iron_ore": 3, "coal": 1}, has={"iron_ingot": 3}, says=("3 iron ingots.",)
    ),
    "placeChestAndDeposit": Goal(
        gives={"chest": 1, "dirt": 5, "cobblestone": 7, "stick": 2},
        has={"stick": 2},
        value=[0, 0],
        says=("holds: 5 dirt, 7 cobblestone",),
    ),
    "huntSheep": Goal(gives={"stone_sword": 1}, before=("/summon sheep {x} {y} {z}",), has={"mutton": 1}),
    "waitWithTimers": Goal(value=[3, "fast", True]),
    "forgetfulBuilder": Goal(
        gives={"oak_log": 3},
        has={"stick": 8},
        says=("there is none", "Placed crafting_table", "recipe for stick 2 times"),
        lacks=("oak_log",),
    ),
    "keepTrying": Goal(throws="mineBlock failed too many times", says=("try 11",)),
}
LONG = {
    "mineThreeLogs": Goal(wild=True, says=("Mined 3 oak_log.",), has={"oak_log": 3}),
    "mineFiveCobblestone": Goal(wild=True, gives={"wooden_pickaxe": 1}, has={"cobblestone": 5}),
    "craftStonePickaxe": Goal(
        gives={"crafting_table": 1, "oak_log": 1, "cobblestone": 3},
        has={"stone_pickaxe": 1},
        says=("In hand: stone_pickaxe",),
    ),
    "mineCoalOre": Goal(wild=True, gives={"stone_pickaxe": 1, "torch": 4}, has={"coal": 1}),
    "exploreForWater": Goal(wild=True, value=True),
    "mineSandAndDirt": Goal(wild=True, has={"sand": 2, "dirt": 3}),
    "makeTorches": Goal(gives={"coal": 2, "oak_log": 1}, has={"torch": 7}, says=("Placed torch",)),
    "craftFurnace": Goal(gives={"crafting_table": 1, "cobblestone": 8}, has={"furnace": 1}),
    "takeFromChest": Goal(
        gives={"iron_ingot": 5},
        before=("/setblock {x} {y} {z} chest",),
        has={"iron_ingot": 4},
        says=("Took 3 iron_ingot", "I don't see diamond in this chest"),
    ),
    "cookMutton": Goal(gives={"furnace": 1, "mutton": 2, "oak_planks": 4}, has={"cooked_mutton": 2}),
    "eatGoldenApple": Goal(gives={"crafting_table": 1, "gold_ingot": 8, "apple": 1}, value=1),
    "sleepInBed": Goal(gives={"red_bed": 1}, before=("/time set night",), value=[False, True]),
    "fishOnce": Goal(gives={"fishing_rod": 1}, before=("POOL",), value=1),
    "buildPillar": Goal(gives={"cobblestone": 6}, says=("The top is cobblestone",), has={"cobblestone": 2}),
    "buildWall": Goal(gives={"dirt": 8}, value=8),
    "plantWheat": Goal(
        gives={"stone_hoe": 1, "wheat_seeds": 1}, before=("/setblock {x} {under} {z} dirt",), value="wheat"
    ),
    "equipIronArmor": Goal(
        gives={"iron_helmet": 1, "iron_chestplate": 1, "iron_leggings": 1, "iron_boots": 1, "shield": 1},
        value=["iron_helmet", "iron_chestplate", "iron_leggings", "iron_boots", "shield"],
    ),
    "collectWaterBucket": Goal(gives={"crafting_table": 1, "iron_ingot": 3}, before=("POOL",), has={"water_bucket": 1}),
    "killZombieWithSword": Goal(
        gives={"iron_sword": 1, "iron_chestplate": 1}, before=("/summon zombie {x} {y} {z}",), value=[False, True]
    ),
    "shootSheepWithBow": Goal(
        gives={"bow": 1, "arrow": 24}, before=("/summon sheep {x} {y} {z}",), value=True, says=("Shot sheep!",)
    ),
    "walkThereAndBack": Goal(value=[True, True]),
    "digStaircase": Goal(
        gives={"stone_pickaxe": 1},
        before=("/setblock {x} {y} {z} cobblestone", "/setblock {x} {above} {z} cobblestone"),
        has={"cobblestone": 2},
        value=2,
    ),
    "openDoor": Goal(before=("/setblock {x} {y} {z} oak_door",), value=True),
    "collectWithPlugins": Goal(
        before=("/setblock {x} {y} {z} dirt",), gives={"stone_shovel": 1}, has={"dirt": 1}, value=True
    ),
    "reportInventory": Goal(
        gives={"bread": 3, "stick": 5},
        value={"counts": {"bread": 3, "stick": 5}, "foods": ["Bread"], "free": 34, "used": 2},
        says=("stick 5 64",),
    ),
    "craftIronPickaxe": Goal(
        gives={"crafting_table": 1, "furnace": 1, "iron_ore": 3, "coal": 1, "oak_planks": 2}, has={"iron_pickaxe": 1}
    ),
}
SKILLS = {
    "craftIronPickaxe": {
        "getSticks": "async function ensure(bot) { await craftItem(bot, 'stick', 1); }\n"
        "async function getSticks(bot) { await ensure(bot); bot.chat('sticks'); }",
        "getIron": "async function ensure(bot, name, way) {\n"
        "  await placeItem(bot, name, bot.entity.position.offset(...way));\n}\n"
        "async function getIron(bot) {\n"
        "  await ensure(bot, 'furnace', [2, 0, 0]);\n  await ensure(bot, 'crafting_table', [-2, 0, 0]);\n"
        "  await smeltItem(bot, 'iron_ore', 'coal', 3);\n}",
    }
}


async def _prepared(player: Player, goal: Goal, at: tuple[int, int] | None) -> None:
    x, y, z = await player.standing()
    if not goal.wild:
        x, y, z = await floor(player, at or (x + 14, z), 6)
    for line in goal.before:
        if line == "POOL":
            for row in range(3, 6):
                for column in range(3, 6):
                    await player.world.command(f"/setblock {x + row} {y - 1} {z + column} water")
        else:
            await player.world.command(line.format(x=x + 4, y=y, z=z + 4, under=y - 1, above=y + 1))
    await player.give(**goal.gives)


async def _reached(player: Player, name: str, goal: Goal, at: tuple[int, int] | None = None) -> None:
    await _prepared(player, goal, at)
    ended = await run(player.world, code_of(name), SKILLS.get(name))
    seen = await player.seen()
    _judge(ended, goal, seen["inventory"], f"{name}: {text_of(ended)} {seen['inventory']}")
    assert seen["health"] > 0


async def _alone(name: str, goal: Goal) -> None:
    async with playing(cheats=True, eat=False, fight="off") as player:
        await _reached(player, name, goal)


async def _one_after_the_other(goals: dict[str, Goal]) -> None:
    """In one world, each on a floor of its own, with what the last one left in the inventory."""
    async with playing(cheats=True, eat=False, fight="off") as player:
        for name, goal in goals.items():
            await _reached(player, name, goal)


def _judge(ended: Outcome, goal: Goal, held: dict[str, int], told: str) -> None:
    if goal.throws:
        assert ended.kind == "threw" and goal.throws in ended.message and ended.line > 0, told
    else:
        assert ended.kind == "returned", told
    if goal.value is not None:
        assert ended.value == goal.value, told
    for item, count in goal.has.items():
        assert held.get(item, 0) >= count, told
    assert [item for item in goal.lacks if item in held] == [], told
    said = "\n".join(ended.said)
    for line in goal.says:
        assert line in said, told


@pytest.mark.full
def test_programs_reach_their_goals() -> None:
    within(_one_after_the_other(SHORT), 240)


@pytest.mark.full
@pytest.mark.parametrize("name", drawn([name for name, goal in LONG.items() if goal.wild], 2))
def test_each_program_reaches_its_goal_in_the_wild(name: str) -> None:
    within(_alone(name, LONG[name]), 400)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name, goal in LONG.items() if not goal.wild])
def test_each_program_reaches_its_goal_on_a_floor(stage: Stage, name: str) -> None:
    stage.play(lambda player: _reached(player, name, LONG[name], stage.area()))


def test_every_program_of_the_folder_is_run() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.js")} == {*SHORT, *LONG}
    assert len(SHORT) + len(LONG) >= 30


def test_a_program_in_the_crafting_world() -> None:
    code = """
async function craftStonePickaxe(bot) {
  await craftItem(bot, "oak_planks", 1);
  await craftItem(bot, "stick", 1);
  const cobblestone = bot.inventory.findInventoryItem(mcData.itemsByName.cobblestone.id);
  bot.chat(`There are ${cobblestone.count} ${cobblestone.name}.`);
  await craftItem(bot, "stone_pickaxe", 1);
  await smeltItem(bot, "raw_iron", "coal", 2);
  await placeItem(bot, "torch", new Vec3(0, 0, 0));
  return bot.inventory.items().filter(item => /stone_pickaxe|iron_ingot/.test(item.name)).map(item => item.name);
}"""

    async def scene() -> None:
        world = CraftingWorld()
        ended = await run(world, code)
        assert ended.value == ["stone_pickaxe", "iron_ingot"], text_of(ended)
        assert "There are 32 cobblestone." in ended.said
        assert any("the crafting world has no placeItem" in line for line in ended.said)
        lost = await run(world, "async function look(bot) {\n  return mcData.biomes[1];\n}")
        assert lost.kind == "threw" and lost.line == 2 and "the crafting world has no mcData.biomes" in lost.message

    within(scene())


def test_a_program_that_only_crafts_finds_a_table_and_a_furnace() -> None:
    code = """
async function freePlace(bot) {
  for (const [x, z] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    const position = bot.entity.position.offset(x, 0, z);
    if (bot.blockAt(position).name === "air") return position;
  }
  return null;
}
async function smeltAndCraft(bot) {
  const table = bot.findBlock({ matching: mcData.blocksByName.crafting_table.id, maxDistance: 32 });
  await bot.pathfinder.goto(new GoalNear(table.position.x, table.position.y, table.position.z, 1));
  await placeItem(bot, "crafting_table", bot.entity.position.offset(1, 0, 0));
  await craftItem(bot, "oak_planks", 1);
  await craftItem(bot, "stick", 1);
  const furnaces = bot.findBlocks({ matching: (block) => block.name === "furnace", maxDistance: 32, count: 4 });
  await placeItem(bot, "furnace", await freePlace(bot));
  await smeltItem(bot, "raw_iron", "coal", 3);
  await mineBlock(bot, "coal_ore", 1);
  await craftItem(bot, "iron_pickaxe", 1);
  const furnace = await bot.openFurnace(bot.blockAt(furnaces[0]));
  await furnace.putFuel(mcData.itemsByName.coal.id, null, 1);
  await furnace.putInput(mcData.itemsByName.sand.id, null, 1);
  return [furnaces.length, bot.inventory.count(mcData.itemsByName.iron_pickaxe.id), Boolean(mcData.blocksByName.stone)];
}"""

    async def scene() -> None:
        world = CraftingWorld(parse_inventory("oak_log=2,iron_ore=3,coal=4,sand=2"))
        ended = await run(world, code)
        assert ended.value == [1, 1, True], text_of(ended)
        assert "A crafting_table is here already." in ended.said
        assert any("the crafting world has no mineBlock" in line for line in ended.said)
        assert world.table.counts()["glass"] == 1

    within(scene())
