"""The programs that the oracle writes of plans."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from autocraft.crafting.table import CraftingTable
from autocraft.goals import Goal
from autocraft.learning.events import By, Task
from autocraft.learning.oracle import OracleBrain, program_of
from autocraft.learning.progress import Progress
from autocraft.protocols import Observation, Step
from autocraft.worlds.crafting import CraftingWorld
from benchmarks.short_oracle import MOST_STEPS, shortened
from tests.journals import event

NOTHING = Observation("", {})
"""An observation of a bot that holds nothing."""


def test_what_is_at_hand_is_gathered_before_going_down() -> None:
    """With its diamonds the bot looked for a log at height 12, through 30,000 ticks of stone."""
    steps = [
        Step("craft_item", {"name": "stick", "count": 1}, item="stick", gains=4),
        Step("goto", {"x": 0, "y": 12, "z": 0}),
        Step("explore_until", {"direction": "north", "seconds": 60, "block": "diamond_ore"}),
        Step("mine_block", {"name": "diamond_ore", "count": 3}, item="diamond", gains=3),
        Step("mine_block", {"name": "oak_log", "count": 1}, item="oak_log", gains=1),
        Step("craft_item", {"name": "diamond_pickaxe", "count": 1}, item="diamond_pickaxe", gains=1),
        Step("mine_block", {"name": "obsidian", "count": 1}, item="obsidian", gains=1),
    ]
    program = program_of("obsidian", steps, NOTHING, ())
    order = ["'stick'", "'oak_log'", "GoalY(12)", "'diamond_ore'", "'diamond_pickaxe'", "'obsidian', "]
    places = [program.index(each, program.index("const enough")) for each in order]
    assert places == sorted(places)


def test_a_program_goes_to_a_table_that_is_remembered_and_waits_where_the_plan_does() -> None:
    """Programs left these steps out, so 16 tries failed for planks: the table of the plan was out of sight."""
    steps = [
        Step("shelter", {}),
        Step("goto_block", {"name": "crafting_table"}),
        Step("withdraw", {"name": "stick", "count": 3, "x": 9, "y": 64, "z": -3}, item="stick", gains=3),
        Step("collect", {"name": "bone"}),
        Step("craft_item", {"name": "bone_meal", "count": 1}, item="bone_meal", gains=3, station="crafting_table"),
    ]
    program = program_of("bone_meal", steps, NOTHING, ())
    order = ["safe()", "gotoBlock(bot, 'crafting_table')"]
    order.append("getItemFromChest(bot, new Vec3(9, 64, -3), { stick: 3 })")
    order += ["collectItem", "craftItem(bot, 'bone_meal'"]
    places = [program.index(each, program.index("const enough")) for each in order]
    assert places == sorted(places)


def test_what_gains_an_item_is_repeated_until_there_is_enough() -> None:
    steps = [
        Step("craft_item", {"name": "stick", "count": 1}, item="stick", gains=4),
        Step("mine_block", {"name": "coal_ore", "count": 1}, item="coal", gains=1),
        Step("fill_bucket", {"name": "cow"}, item="milk_bucket", gains=1),
    ]
    program = program_of("stick", steps, NOTHING, ())
    gaining = "for (let last = -1; have('stick') > last && have('stick') < enough;) {"
    missing = [f"for (let vain = 0; vain < 4 && have('{item}') < " for item in ("coal", "milk_bucket")]
    assert all(each in program for each in (gaining, *missing))
    assert "if (bot.nearestEntity((each) => each.name === 'cow'" in program, "a cow is no block"


def test_a_hungry_bot_hunts_first_and_a_weak_one_shelters_before_it_looks_elsewhere() -> None:
    """Programs left the search for food out. The bot starved for 28 of them, searched all night, and died twice."""
    steps = [
        Step("explore_until", {"direction": "north", "seconds": 60, "entity": "cow"}),
        Step("explore_until", {"direction": "north", "seconds": 60, "entity": "cod"}),
        Step("kill_mob", {"name": "cod", "count": 1}, item="bone_meal", gains=1),
    ]
    program = program_of("bone_meal", steps, NOTHING, ())
    assert program.index("killMob(bot, 'cow', 120)") < program.index("killMob(bot, 'cod', 300)")
    assert program.count("killMob(bot, '") == 2, "a search for what is killed later is part of that"
    assert "const elsewhere = async () => { await safe(); await exploreUntil(" in program
    searches = [line for line in (each.strip() for each in program.splitlines()) if "exploreUntil(" in line]
    assert len(searches) == 3 and program.count("await safe(") == 3, "before each search"


async def _proposal(failed: list[str]) -> str:
    class Shop(CraftingWorld):
        async def prices(self) -> dict[str, float]:
            return {"stone": 1.0, "dirt": 2.0}

    brain = OracleBrain()
    brain.attach(Progress(failed=failed), Shop(CraftingTable()), cast(Any, None), cast(Any, None))
    return (await brain.think([], role="curriculum")).text


def test_an_item_is_proposed_although_one_whose_name_begins_alike_was_given_up() -> None:
    assert asyncio.run(_proposal(["Obtain 1 stone_pickaxe"])).endswith("Task: Obtain 1 stone")
    assert asyncio.run(_proposal(["Obtain 1 stone"])).endswith("Task: Obtain 1 dirt")


def test_a_task_of_a_rule_that_was_given_up_gives_way_to_the_brain() -> None:
    progress = Progress()
    cases: list[tuple[By, str, bool]] = [
        ("rule", "critic", True), ("rule", "goal", False), ("curriculum", "critic", False)
    ]  # fmt: skip
    for by, outcome, failed in cases:
        progress.apply(Task(text="Task: Place 1 chest", goals=(Goal("Place 1 chest"),), by=by))
        progress.apply(event("attempt", **ATTEMPT | {"outcome": outcome}))
        assert progress.rule_failed is failed


ATTEMPT = {
    "text": "judged", "over": True, "iteration": 1, "world": "not met", "model": None, "critique": "", "items": [],
    "facts": {},
}  # fmt: skip


def made(item: str, *tools: str, station: str = "", **takes: int) -> Step:
    """Return a step that makes one item, by a recipe or, if it takes nothing, from a block."""
    name = "craft_item" if takes else "mine_block"
    return Step(name, {"name": item, "count": 1}, "", item, takes, 1, station, tools)


LADDER = [
    made("oak_log"),
    made("oak_planks", oak_log=1),
    made("crafting_table", oak_planks=4),
    made("stick", oak_planks=2),
    made("wooden_pickaxe", station="crafting_table", stick=2, oak_planks=3),
    Step("explore_until", {"direction": "down", "seconds": 60, "block": "stone"}),
    made("cobblestone", "wooden_pickaxe", "stone_pickaxe"),
    made("stone_pickaxe", station="crafting_table", stick=2, cobblestone=3),
]


def test_a_program_calls_skills_for_tools_and_stations_too() -> None:
    """A skill that was written with a pickaxe in hand was of no use in a world where nothing is held."""
    program = program_of("cobblestone", LADDER[-2:-1], NOTHING, ("craftWoodenPickaxe",))
    assert (
        "if (!['wooden_pickaxe', 'stone_pickaxe'].some((tool) => have(tool))) await craftWoodenPickaxe(bot)" in program
    )
    program = program_of("stone_pickaxe", LADDER[-1:], NOTHING, ("craftCraftingTable",))
    assert "if (name === 'crafting_table' && !near(name) && !have(name)) await craftCraftingTable(bot)" in program
    program = program_of("wooden_pickaxe", LADDER[4:5], NOTHING, ("craftStick", "craftOakPlanks"))
    twice = program.partition("for (let round = 0; round < 2; round++) {")[2]
    assert "craftStick(bot)" in twice and "craftOakPlanks(bot)" in twice, "sticks use up the planks that were just made"
    assert "await mineCobblestone(bot)" not in program_of("cobblestone", LADDER, NOTHING, ("mineCobblestone",))


def test_a_program_is_of_use_at_another_place_and_with_other_things() -> None:
    """Skills walked to the places of their first world, and looked for planks at height 12, to burn them."""
    ore = Step("mine_block", {"name": "iron_ore", "count": 1}, item="iron_ore", gains=1, layer=(0, 50, 40))
    away = Step("goto", {"x": 30, "y": 66, "z": -4})
    far = program_of("iron_ore", [away, ore], Observation("", {}, facts={"position": {"x": 14.3, "z": -4.2}}), ())
    assert "GoalXZ(bot.entity.position.x + 16, bot.entity.position.z + 0)" in far and "30" not in far
    deep = Step("goto", {"x": 14, "y": 40, "z": -4})
    program = program_of("iron_ore", [deep, ore], NOTHING, ())
    outside = "(bot.entity.position.y < 0 || bot.entity.position.y > 50)"
    assert f"if (!near('iron_ore') && {outside}) await bot.pathfinder.goto(new GoalY(40))" in program
    assert program.count("GoalY") == 1, "it goes down only if none is near"
    smelt = Step(
        "smelt_item", {"name": "iron_ore", "fuel": "oak_planks", "count": 1}, "", "iron_ingot",
        {"iron_ore": 1, "oak_planks": 1}, 1, "furnace",
    )  # fmt: skip
    program = program_of("iron_ingot", [smelt], NOTHING, ("mineIronOre", "craftOakPlanks"))
    assert "if (!fuelFrom('oak_planks')) for (let last" in program
    assert "await smeltItem(bot, 'iron_ore', fuelFrom('oak_planks') || 'oak_planks', " in program


def test_a_station_is_made_before_what_it_is_for_is_gathered_for_the_last_time() -> None:
    """The table took four of the eight planks that were gathered for a chest."""
    chest = made("chest", station="crafting_table", oak_planks=8)
    program = program_of("chest", [chest], NOTHING, ("craftOakPlanks",))
    gathering = program.partition("for (let round = 0; round < 2; round++) {")[2].partition("\n  }")[0]
    assert gathering.index("craftOakPlanks(bot)") < gathering.index("station('crafting_table')")


def test_after_a_failed_try_a_brain_without_a_model_calls_no_skill() -> None:
    brain, progress = OracleBrain(), Progress(task=Task(text="Task: a", goals=(Goal("a"),), by="curriculum"))
    prompt = SimpleNamespace(skills=["async function craftChest(bot) {}"], names=["mineCoal"])
    brain.attach(progress, cast(Any, None), cast(Any, prompt), cast(Any, None))
    assert brain.names == {"craftChest", "mineCoal"}
    progress.apply(event("attempt", **ATTEMPT | {"outcome": "critic", "over": False}))
    assert brain.names == frozenset()
    progress.apply(Task(text="Task: b", goals=(Goal("b"),), by="curriculum"))
    assert brain.names == {"craftChest", "mineCoal"}


def test_the_short_oracle_writes_few_steps_and_leaves_the_rest_to_skills() -> None:
    assert MOST_STEPS == 2
    assert [step.item for step in shortened(LADDER, ())] == ["oak_log", "oak_planks"]
    assert [step.item for step in shortened(LADDER, (), 5)][-1] == "wooden_pickaxe", "it searches for nothing more"
    walk = program_of("", [Step("goto", {"x": 1, "y": 2, "z": 3})], NOTHING, ())
    assert walk.startswith("async function doGoto(bot)"), "`do` is no name of a function"
    names = [
        step.item or step.name for step in shortened(LADDER, ("craftWoodenPickaxe", "craftStick", "craftCraftingTable"))
    ]
    assert names == ["explore_until", "cobblestone", "stone_pickaxe"], "a search belongs to what it is for"
    assert [step.item for step in shortened(LADDER, ("mineCobblestone", "craftStick", "craftCraftingTable"))] == [
        "stone_pickaxe"
    ]
