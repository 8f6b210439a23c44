"""The planner's ways: which source is chosen where, by its price and by what failed, in small worlds of facts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from autocraft.goals import DEEDS, KIND, Goal, Names
from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.facts import item_names
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES
from autocraft.worlds.minecraft.progress import wanted
from tests.worlds.minecraft.playing import HERE

NAMES = Names.of(item_names(packages(PACKAGES), "1.16.5"), {"beef": "cooked_beef"}, DEEDS)
TREE = {"oak_log": [[4, 64, 4], [4, 65, 4], [4, 66, 4], [4, 67, 4], [5, 64, 8], [5, 65, 8], [5, 66, 8]]}
ROCK = {"stone": [[x, 63, z] for x in range(9, 13) for z in range(4)]}
Step = tuple[str, Any]


def planned(*goals: str, **scene: Any) -> dict[str, Any]:
    """Return the planner's answer, with steps and why."""
    parts = {"goals": wanted([Goal.parse(goal, NAMES) for goal in goals], {}, {}), "kinds": KIND.pattern, **scene}
    script: list[str | Path] = [find_node(), HERE / "node" / "planning.js", NODE_FOLDER / "bot", json.dumps(parts)]
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    done = subprocess.run(script, env=environment, capture_output=True, text=True, check=True, timeout=120)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def steps(*goals: str, **scene: Any) -> list[Step]:
    """Return each step with its first argument but counts, the item or block that it is about."""
    answer = planned(*goals, **scene)
    assert not answer["why"], answer["why"]
    return [
        (step["name"], step["args"].get("block") or step["args"].get("entity") or step["args"].get("name"))
        for step in answer["steps"]
    ]


@pytest.mark.parametrize(
    ("goal", "inventory", "last"),
    [
        ("mine 3 oak_log", {}, [("mine_block", "oak_log")]),
        ("get 3 wood log", {}, [("mine_block", "oak_log")]),
        ("mine 2 cobblestone", {"wooden_pickaxe": 1}, [("mine_block", "stone")]),
        ("kill 1 pig", {}, [("kill_mob", "pig")]),
        ("craft 2 wood planks", {}, [("mine_block", "oak_log"), ("craft_item", "oak_planks")]),
        ("place 1 torch", {"torch": 1}, [("place_item", "torch")]),
        ("equip an iron_chestplate", {"iron_chestplate": 1}, [("equip", "iron_chestplate")]),
        ("eat", {"bread": 1}, [("eat", "bread")]),
        ("go to 10 64 -3", {}, [("goto", None)]),
        ("sleep", {"red_bed": 1}, [("place_item", "red_bed"), ("wait", None), ("sleep", None)]),
    ],
)
def test_a_verb_has_its_way(goal: str, inventory: dict[str, int], last: list[Step]) -> None:
    found = steps(goal, inventory=inventory, blocks=TREE | ROCK, mobs=["pig"], food=10)
    assert found[-len(last) :] == last
