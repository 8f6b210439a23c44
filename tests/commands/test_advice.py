"""What the planner tells a model: the tree to an item, and the next commands."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from autocraft.commands.advice import AdviceCommands
from autocraft.crafting.inventory import parse_inventory
from autocraft.goals import Goal
from autocraft.protocols import Result, commands_of
from autocraft.worlds.crafting import CraftingWorld
from tests.live import live_registry, with_goals


def ask(command: str, inventory: str, *goals: str, **args: Any) -> Result:
    world = CraftingWorld(parse_inventory(inventory))
    state = with_goals(*(Goal.parse(goal, world.items) for goal in goals))
    registry = live_registry([*world.commands(), *commands_of(AdviceCommands())], world=world, state=state)
    return asyncio.run(registry.call(registry.bind(command, args)))


def test_the_tree_to_an_item_and_the_first_command() -> None:
    told = ask("plan_item", "oak_log=2,cobblestone=3", name="stone pickaxe")
    assert told.ok
    lines = told.text.splitlines()
    assert lines[0] == "1 stone_pickaxe, crafted"
    assert "├─ 3 cobblestone, held" in lines or "└─ 3 cobblestone, held" in lines
    assert lines[-1].startswith('3 commands; the first is {"name": "craft_item", "args": {"name": "oak_planks"')


@pytest.mark.parametrize(
    ("args", "ok", "text"),
    [
        ({"name": "oak_log", "count": 2}, True, "get 2 oak_log: it is there already"),
        ({"name": "diamond_sword"}, False, "2 more diamond (there are 0)"),
        ({"name": "unobtainium"}, False, "there is no item 'unobtainium'"),
        ({"name": "wood planks", "count": 4}, True, "4 oak_planks, crafted"),
    ],
)
def test_what_is_there_and_what_is_missing(args: dict[str, Any], ok: bool, text: str) -> None:
    told = ask("plan_item", "oak_log=2", **args)
    assert (told.ok, text in told.text) == (ok, True), told.text


def test_the_next_steps_lead_to_the_goals_of_the_run() -> None:
    inventory, goal = "oak_log=2,cobblestone=3", "craft 1 stone_pickaxe"
    told = ask("next_steps", inventory, goal)
    steps = [json.loads(line.partition(" - ")[0]) for line in told.text.splitlines()]
    assert [step["args"]["name"] for step in steps] == ["oak_planks", "stick", "stone_pickaxe"]
    other = ask("next_steps", inventory, goal, goal="get 4 wood planks").text
    assert json.loads(other.partition(" - ")[0])["args"] == {"name": "oak_planks", "count": 4}
    assert ask("next_steps", "stone_pickaxe=1", goal).text == "Everything is there. Use task_complete."
    none = ask("next_steps", inventory)
    assert not none.ok and none.text.startswith("this run has no goal; give one")


def test_a_run_offers_both_and_asks_for_no_permission_of_its_own() -> None:
    for command in commands_of(AdviceCommands()):
        assert command.offered and command.tier is not None and command.tier.value == "look"
