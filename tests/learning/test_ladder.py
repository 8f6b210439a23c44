"""The way to an iron pickaxe by ten sub-goals, with skills of the kind that Voyager published, found by retrieval."""

from __future__ import annotations

import json

import pytest

from autocraft.skills.names import words_of
from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from tests.commands.programs import with_programs
from tests.conftest import ROOT, Place, kinds
from tests.worlds.minecraft.playing import node_environment

SUB_GOALS = (
    *("Mine 5 oak_log", "Craft 1 crafting_table", "Craft 1 wooden_pickaxe", "Mine 11 cobblestone"),
    *("Craft 1 stone_pickaxe", "Craft 1 furnace", "Mine 3 coal", "Mine 3 iron_ore", "Obtain 3 iron_ingot"),
    "Craft 1 iron_pickaxe",
)
STATION = """  const station = bot.findBlock({{ matching: mcData.blocksByName.{0}.id, maxDistance: 32 }});
  if (!station) await placeItem(bot, "{0}");
"""
STICKS = """  const sticks = bot.inventory.count(mcData.itemsByName.stick.id);
  if (sticks < 2) {
    const planks = bot.inventory.count(mcData.itemsByName.oak_planks.id);
    if (planks < 5) await craftItem(bot, "oak_planks", 2);
    await craftItem(bot, "stick", 1);
  }
"""
FOUND = """  const ore = await exploreUntil(bot, new Vec3({1}), 60, () =>
    bot.findBlock({{ matching: mcData.blocksByName.{0}.id, maxDistance: 32 }}));
  if (!ore) await exploreUntil(bot, new Vec3(1, 0, 1), 60, () =>
    bot.findBlock({{ matching: mcData.blocksByName.{0}.id, maxDistance: 32 }}));
"""
SKILLS = {
    "mineWoodLog": (
        "The function mines one wood log. It explores until it sees a tree.",
        FOUND.format("oak_log", "1, 0, 0") + '  await mineBlock(bot, "oak_log", 1);\n',
    ),
    "mineFiveOakLogs": (
        "The function mines five oak logs, and explores if no oak is near.",
        FOUND.format("oak_log", "1, 0, 0") + '  await mineBlock(bot, "oak_log", 5);\n',
    ),
    "craftCraftingTable": (
        "The function crafts a crafting table from oak planks, and makes the planks from logs if there are too few.",
        '  if (bot.inventory.count(mcData.itemsByName.oak_planks.id) < 4) await craftItem(bot, "oak_planks", 1);\n'
        '  await craftItem(bot, "crafting_table", 1);\n',
    ),
    "craftWoodenPickaxe": (
        "The function crafts a wooden pickaxe. It places a crafting table and makes the sticks.",
        '  await craftItem(bot, "oak_planks", 2);\n'
        + STICKS
        + STATION.format("crafting_table")
        + '  await craftItem(bot, "wooden_pickaxe", 1);\n',
    ),
    "mineElevenCobblestone": (
        "The function mines eleven blocks of stone with a pickaxe to get cobblestone. It digs down to stone.",
        FOUND.format("stone", "0, -1, 0") + '  await mineBlock(bot, "stone", 11);\n',
    ),
    "craftStonePickaxe": (
        "The function crafts a stone pickaxe from cobblestone and sticks at a crafting table.",
        STICKS + STATION.format("crafting_table") + '  await craftItem(bot, "stone_pickaxe", 1);\n',
    ),
    "craftFurnace": (
        "The function crafts a furnace from eight cobblestone at a crafting table.",
        STATION.format("crafting_table") + '  await craftItem(bot, "furnace", 1);\n',
    ),
    "mineThreeCoalOres": (
        "The function explores underground and mines three coal ores with a pickaxe.",
        FOUND.format("coal_ore", "1, -1, 0") + '  await mineBlock(bot, "coal_ore", 3);\n',
    ),
    "mineThreeIronOres": (
        "The function explores underground and mines three iron ores with a stone pickaxe.",
        FOUND.format("iron_ore", "0, -1, 1") + '  await mineBlock(bot, "iron_ore", 3);\n',
    ),
    "smeltThreeRawIron": (
        "The function smelts raw iron into iron ingots, in a furnace that it places, with coal.",
        STATION.format("furnace") + '  await smeltItem(bot, "raw_iron", "coal", 3);\n',
    ),
    "craftIronPickaxe": (
        "The function crafts an iron pickaxe from iron ingots and sticks at a crafting table.",
        STICKS + STATION.format("crafting_table") + '  await craftItem(bot, "iron_pickaxe", 1);\n',
    ),
}
"""Name -> the description and the body. As Voyager's, each counts on its table and furnace coming back."""


def give_library(place: Place) -> int:
    """Store the skills, and among them those of the shapes that the sandbox tests play. Return their number."""
    library = Library(place.state / "skills")
    others = [each for each in (ROOT / "tests" / "sandbox" / "voyager").glob("*.js") if each.stem not in SKILLS]
    for each in others:
        library.save(each.stem, Draft(description=f"The function {words_of(each.stem)}.", code=each.read_text("utf-8")))
    for name, (description, body) in SKILLS.items():
        library.save(name, Draft(description=description, code=f"async function {name}(bot) {{\n{body}}}"))
    return len(others) + len(SKILLS)


@pytest.mark.full
def test_ten_sub_goals_to_an_iron_pickaxe_are_reached_by_the_skills_that_are_found(place: Place) -> None:
    """The tenth failed 35 times: the table stood where an earlier program had placed it."""
    assert give_library(place) >= 38
    goals = [word for each in SUB_GOALS for word in ("--sub-goal", each)]
    done = place.run(
        *("learn", "--brain", "retrieval", "--seed", "616", "--speed", "0", "--iterations", "30", "--continuous"),
        *("--json", *goals),
        **with_programs() | node_environment(),
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    tried = [(each["goals"][0]["text"]) for each in kinds(events, "task")]
    assert events[-1]["reason"] == "goal_reached", (tried, events[-1])
