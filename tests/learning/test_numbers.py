"""Voyager's numbers and patterns: each test fails if the number that it is about is another one."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any, cast

import pytest

from autocraft.agent.account import MeteredBrain
from autocraft.agent.context import RunContext
from autocraft.goals import Goal
from autocraft.learning.action import shortages
from autocraft.learning.asking import Adviser
from autocraft.learning.critic import Critic
from autocraft.learning.curriculum import Curriculum
from autocraft.learning.facts import WarmUp, fields_of
from autocraft.learning.keeper import SkillKeeper
from autocraft.learning.progress import Progress
from autocraft.learning.questions import ALIKE, Questions
from autocraft.learning.settings import LearnSettings
from autocraft.protocols import Observation
from autocraft.skills.index import Index
from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from tests.test_context import context

ITEMS = {"oak_log": 1, "stick": 1, "dirt": 1, "wooden_axe": 1, "apple": 1, "diamond": 1}
FACTS: dict[str, Any] = {
    "game": "Minecraft 1.16.5", "biome": "plains", "time": "day", "voxels": ["grass_block"], "seen": ["stone"],
    "entities": {"cow": 3}, "health": 20.0, "food": 20.0, "position": {"x": 1, "y": 64, "z": 1},
    "equipment": {"hand": "stick"}, "chests": {}, "used": 6, "remembered": "",
}  # fmt: skip
SEEN = Observation("", ITEMS, facts=FACTS)
ALWAYS = ("game", "places remembered", "nearby blocks", "position", "equipment", "chests", "inventory (6/36)")


def shown(completed: int, seed: int, observation: Observation = SEEN) -> dict[str, str]:
    """Return what a proposal sees after so many tasks."""
    progress = Progress(completed=[f"task {n}" for n in range(completed)])
    return WarmUp(LearnSettings(), progress, random.Random(seed)).fields(observation)


@pytest.mark.parametrize(
    ("field", "least"),
    [("nearby entities", 5), ("biome", 10), ("other blocks", 10), ("time", 15), ("health", 15), ("hunger", 15)],
)
def test_a_proposal_sees_more_with_the_reached_tasks(field: str, least: int) -> None:
    seeds = range(40)
    assert not any(field in shown(least - 1, seed) for seed in seeds)
    assert any(field in shown(least, seed) for seed in seeds)


@pytest.mark.parametrize("completed", [0, 4, 30])
def test_some_fields_are_always_shown(completed: int) -> None:
    names = (*ALWAYS, "completed tasks so far", "failed tasks that are too hard")
    assert all(name in shown(completed, seed) for seed in range(40) for name in names)


def test_a_field_of_the_warm_up_is_shown_in_four_of_five_proposals() -> None:
    drawn = sum(field in shown(15, seed) for seed in range(1_000) for field in ("time", "biome", "hunger"))
    assert 0.78 < drawn / 3_000 < 0.82


def test_the_questions_are_drawn_in_four_of_five_proposals_from_fifteen_tasks_on() -> None:
    def asks(completed: int, seed: int) -> bool:
        progress = Progress(completed=[f"task {n}" for n in range(completed)])
        return WarmUp(LearnSettings(), progress, random.Random(seed)).shows("context")

    assert not any(asks(14, seed) for seed in range(40))
    assert 0.78 < sum(asks(15, seed) for seed in range(3_000)) / 3_000 < 0.82


def test_all_items_are_shown_from_seven_tasks_on_and_core_items_before() -> None:
    assert "apple" not in shown(6, 1)["inventory (6/36)"] and "diamond" not in shown(6, 1)["inventory (6/36)"]
    assert all(name in shown(6, 1)["inventory (6/36)"] for name in ("oak_log", "stick", "dirt", "wooden_axe"))
    assert all(name in shown(7, 1)["inventory (6/36)"] for name in ITEMS)


@pytest.mark.parametrize(
    "name",
    ["birch_log", "oak_planks", "stick", "crafting_table", "furnace", "cobblestone", "dirt", "coal", "iron_pickaxe",
     "stone_sword", "golden_axe"],
)  # fmt: skip
def test_the_pattern_of_core_items_is_voyagers(name: str) -> None:
    core = LearnSettings().core
    assert core.search(name)
    assert not any(core.search(other) for other in ("iron_ingot", "apple", "torch", "iron_shovel", "chest", "bucket"))


@pytest.mark.parametrize("block", ["dirt", "oak_log", "grass_block", "sand", "snow"])
def test_a_place_without_any_of_five_blocks_is_underground(block: str) -> None:
    def biome(*blocks: str) -> str:
        return fields_of(Observation("", {}, facts=FACTS | {"voxels": list(blocks)}), Progress())["biome"]

    assert biome(block, "stone") == "plains"
    assert biome("stone", "gravel", "coal_ore") == "underground"


def adviser(run: RunContext) -> Adviser:
    """Return an adviser whose brain is the planner, which answers no question in words."""
    return Adviser(MeteredBrain(run.priced, ()))


def curriculum(run: RunContext) -> Curriculum:
    asked = adviser(run)
    settings = LearnSettings(first_task="Craft 1 stick")
    return Curriculum(settings, asked, Questions(asked, run.memory), run.world, run.approver, Progress())


@pytest.mark.parametrize(
    ("used", "inventory", "chests", "task"),
    [
        (32, {}, {}, "Craft 1 stick"),
        (33, {}, {}, "Craft 1 chest"),
        (33, {"chest": 1}, {}, "Place 1 chest"),
        (33, {}, {"(1, 2, 3)": {"dirt": 4}}, "Craft 1 chest"),
        (33, {"chest": 1}, {"(1, 2, 3)": {}}, "Deposit useless items into the chest at (1, 2, 3)"),
        (33, {}, {"(1, 2, 3)": "Unknown"}, "Deposit useless items into the chest at (1, 2, 3)"),
    ],
)
def test_an_inventory_of_33_slots_is_emptied_before_anything_else(
    tmp_path: Path, used: int, inventory: dict[str, int], chests: dict[str, Any], task: str
) -> None:
    seen = Observation("", inventory, facts=FACTS | {"used": used, "chests": chests})
    proposed = asyncio.run(curriculum(context(tmp_path)).propose(seen))
    assert proposed.text == f"Task: {task}"
    assert ("at most 20 should be used" in proposed.context) == task.startswith("Deposit")
    assert ("8 planks" in proposed.context) == (task == "Craft 1 chest")
    first = "You can mine one of oak, birch, spruce, jungle, acacia, dark oak, or mangrove logs."
    assert task != "Craft 1 stick" or proposed.context == first


@pytest.mark.parametrize(("used", "verdict"), [(20, "met"), (21, "not met")])
def test_a_deposit_is_reached_with_twenty_slots(tmp_path: Path, used: int, verdict: str) -> None:
    run = context(tmp_path)
    critic = Critic("auto", adviser(run), run.world, run.approver, Progress())
    goal = Goal("Deposit useless items into the chest at (1, 2, 3)")
    seen = Observation("", {}, facts={"used": used})
    judged = asyncio.run(critic.judge(goal, seen, {"error": "", "said": []}))
    assert (judged.world.verdict, judged.success) == (verdict, verdict == "met")


def test_the_nearness_of_questions_is_voyagers_distance() -> None:
    """Voyager's is below 0.05, squared, between vectors of length one: 2 - 2 times their similarity."""
    assert pytest.approx(0.05) == 2 - 2 * ALIKE


@pytest.mark.parametrize(("name", "value"), [("iterations", 160), ("tries", 4), ("shown", 5)])
def test_the_defaults_of_a_run_are_voyagers(name: str, value: int) -> None:
    assert getattr(LearnSettings(), name) == value


def test_five_skills_are_shown(tmp_path: Path) -> None:
    library = Library(tmp_path)
    for n in range(7):
        code = f"async function craftPlanks{n}x(bot) {{\n  await craftItem(bot, 'oak_planks', {n})\n}}"
        library.save(f"craftPlanks{n}x", Draft(code, description="It crafts oak planks."))
    nothing = cast(Any, None)
    keeper = SkillKeeper(nothing, nothing, Index(library), nothing, nothing, shown=LearnSettings().shown)
    shown, others = keeper.search("craft oak planks")
    assert (len(shown), len(others)) == (5, 2)


@pytest.mark.parametrize(
    ("line", "lack"),
    [
        ("I cannot make stick because I need: 2 more oak_planks", "2 more oak_planks"),
        ("I cannot make chest because there is no crafting table nearby", "a nearby crafting table"),
        ("I need at least a wooden_pickaxe to mine stone!  Skip it!", "wooden_pickaxe"),
        ("I need at least an iron_pickaxe to mine diamond_ore!  Skip it!", "iron_pickaxe"),
    ],
)
def test_the_chat_log_is_summed_up_as_voyager_does(line: str, lack: str) -> None:
    assert shortages([line, "something else", line]) == f"I also need {lack}."
