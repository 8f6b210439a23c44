"""What helps a small model: advice that can be followed, places of items, and other spellings of an action."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from autocraft.commands.registry import Registry
from autocraft.crafting.examples import load_example
from autocraft.crafting.feedback import missing_text
from autocraft.crafting.inventory import parse_inventory
from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import index_of
from autocraft.crafting.table import CraftingTable
from autocraft.errors import UnreadableReply
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.lines import read_line
from autocraft.evaluation.search import gold_recipe
from autocraft.evaluation.tools import EpisodeWorld
from autocraft.protocols import Answer
from autocraft.worlds.crafting import CraftingWorld

HELD = {index_of("I23"): ("oak_log", 2), index_of("I5"): ("sand", 1)}
MISTAKES: list[tuple[str, dict[str, Any]]] = [
    ("move", {"source": "[I36]", "target": "[A1]"}),
    ("move", {"source": "[0]", "target": "[I36]"}),
    ("move", {"source": "[OAK_LOG]", "target": "[A1]"}),
    ("smelt", {"source": "[I9]", "target": "[I36]"}),
    ("craft_item", {"name": "ladder"}),
    ("smelt_item", {"name": "glass"}),
    ("smelt_item", {"name": "stick"}),
    ("search", {"recipe": "ladder"}),
    ("search", {"recipe": "glass_pane"}),
]


def episode(**conditions: Any) -> EpisodeWorld:
    """Return the world of an example with these items and a ladder as its target."""
    example = load_example("TEST0018")._replace(target="ladder", slots={**HELD, index_of("I9"): ("stick", 1)})
    return EpisodeWorld(example, Conditions(**conditions), 0)


def text_of(world: CraftingWorld, name: str, args: dict[str, Any]) -> str:
    """Return what a model reads after a command."""
    registry = Registry(world.commands())
    return asyncio.run(registry.call(registry.bind(name, args))).text


@pytest.mark.parametrize("high_level", [False, True])
@pytest.mark.parametrize(("name", "args"), MISTAKES)
def test_a_text_names_only_commands_that_are_on_offer(name: str, args: dict[str, Any], high_level: bool) -> None:
    world = episode(high_level=high_level)
    offered = {command.name for command in world.commands()}
    if name not in offered:
        return
    said = text_of(world, name, args) + asyncio.run(world.observe()).text
    absent = {command.name for command in CraftingWorld().commands()} - offered
    assert [each for each in absent if "_" in each and each in said] == []


def test_all_commands_are_named_where_they_are_on_offer() -> None:
    world = CraftingWorld(CraftingTable(HELD))
    assert "show_inventory tells where" in text_of(world, "move", {"source": "I36", "target": "A1"})
    assert "search_recipe tells what can be smelted" in text_of(world, "smelt_item", {"name": "stick"})


def test_an_item_in_the_place_of_a_slot_is_told_where_it_lies() -> None:
    world = episode()
    assert "oak_log is held in [I23]" in text_of(world, "smelt", {"source": "oak_log", "target": "[A1]"})
    assert "glass is an item, and none is held" in text_of(world, "smelt", {"source": "[GLASS]", "target": "[A1]"})
    line = Answer("move: from [oak_planks] to [A1] with quantity 1")
    assert read_line(line, ("move",), items=True).args["source"] == "[OAK_PLANKS]"
    with pytest.raises(UnreadableReply, match="Format error"):
        read_line(line, ("move",))


def test_what_is_missing_is_followed_down_to_what_is_held() -> None:
    said = text_of(CraftingWorld(CraftingTable(HELD)), "craft_item", {"name": "ladder"})
    assert said == (
        "I cannot make ladder because I need: 7 more stick; 4 stick can be made from 2 oak_planks with craft_item; "
        "4 oak_planks can be made from 1 oak_log (held in [I23]) with craft_item"
    )
    said = text_of(CraftingWorld(CraftingTable(HELD)), "craft_item", {"name": "diamond_block"})
    assert said.endswith("9 more diamond; nothing here makes diamond")


def test_an_observation_names_the_command_and_the_place() -> None:
    lines = missing_text(CraftingTable(HELD), "ladder", ("move", "smelt")).splitlines()
    assert lines[1:] == [
        "4 stick can be made from 2 oak_planks with move",
        "4 oak_planks can be made from 1 oak_log (held in [I23]) with move",
    ]
    assert missing_text(CraftingTable(HELD), "glass_pane", ("move", "smelt")).splitlines()[1:] == [
        "1 glass can be made from 1 sand (held in [I5]) with smelt"
    ]


@pytest.mark.parametrize("id", ["TEST0285", "TEST0555"])
def test_a_command_in_json_is_written_in_json(id: str) -> None:
    said = asyncio.run(EpisodeWorld(load_example(id), Conditions(high_level=True, prompt="own"), 0).observe()).text
    written = json.loads(said.split("`")[1])
    assert written["name"] in ("craft_item", "smelt_item")


def test_a_repeated_search_says_what_is_there_and_what_is_still_to_be_moved() -> None:
    world = EpisodeWorld(load_example("TEST0555"), Conditions(), 0)
    before = text_of(world, "search", {"recipe": "orange_bed"})
    text_of(world, "move", {"source": "[I36]", "target": "[A1]"})
    after = text_of(world, "search", {"recipe": "orange_bed"})
    assert "white_bed (held in [I36]) at [A1]: `move: from [I36] to [A1] with quantity 1`" in before
    assert "white_bed (held in [A1]) at [A1]\norange_dye (held in [I2]) at [A2]: `move: from [I2] to [A2]" in after
    assert before.index("white_bed") < before.index("orange_wool")


def test_a_recipe_says_where_its_ingredients_lie() -> None:
    table = CraftingTable({index_of("I7"): ("birch_planks", 3)})
    plain, placed = (gold_recipe(load_book(), "stick", random.Random(3), each) for each in (None, table))
    assert "held" not in plain
    assert placed.count("birch_planks (held in [I7]) at [") == 2
    found = text_of(CraftingWorld(parse_inventory("oak_planks=3")), "search_recipe", {"name": "stick"})
    assert found.endswith("oak_planks is held in [I1]")


def test_without_feedback_there_is_none_of_it() -> None:
    world = episode(feedback=False)
    for name, args in [("search", {"recipe": "ladder"}), ("move", {"source": "[OAK_LOG]", "target": "[A1]"})]:
        assert "held in" not in text_of(world, name, args)
    assert "can be made" not in asyncio.run(world.observe()).text


@pytest.mark.parametrize(
    "text",
    [
        "MoveAction(from_slot=[I2], to_slot=[A1], quantity=3)",
        'moveaction(slot_from="I2", slot_to="A1", quantity=3)',
        "- `MoveAction(from_slot='I2', to_slot='A1', quantity=3)`",
    ],
)
def test_the_spelling_of_plancraft_s_own_code_is_read(text: str) -> None:
    reply = read_line(Answer(text), ("move", "smelt"))
    assert (reply.name, reply.args) == ("move", {"source": "[I2]", "target": "[A1]", "quantity": 3})


def test_a_spelled_action_that_is_half_or_not_offered_is_none() -> None:
    for text in ("MoveAction(from_slot=[I2])", "SmeltAction(from_slot=[I2], to_slot=[I3], quantity=1)"):
        with pytest.raises(UnreadableReply, match="Only select actions"):
            read_line(Answer(text), ("move",))


def test_a_call_may_name_slots_as_plancraft_does() -> None:
    world = CraftingWorld(CraftingTable(HELD))
    said = text_of(world, "move", {"from_slot": "[I23]", "to_slot": "[A1]"})
    assert said.startswith("Moved 1 oak_log from [I23] to [A1]")
