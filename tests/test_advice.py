"""An error names a command only as advice, which is left out where the command is not on offer."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import autocraft
from autocraft.commands.registry import Registry
from autocraft.crafting.examples import load_example
from autocraft.crafting.feedback import missing_text
from autocraft.crafting.inventory import parse_inventory
from autocraft.crafting.sources import sources
from autocraft.evaluation.conditions import Conditions
from autocraft.evaluation.lines import read_line
from autocraft.evaluation.tools import EpisodeWorld
from autocraft.protocols import Answer
from autocraft.worlds.crafting import CraftingWorld

ROOT = Path(autocraft.__file__).parent
OWN = {"generate_image", "search_text"}
"""Commands that name themselves in their own errors."""


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in ROOT.rglob("*.py"):
        yield path, ast.parse(path.read_text())


def command_names() -> set[str]:
    """Return the names of all commands that no English sentence has as a word."""
    nodes = (node for _, tree in trees() for node in ast.walk(tree))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    commands = {each.name for each in functions if any(_called(one) == "command" for one in each.decorator_list)}
    return {name for name in commands if "_" in name} - OWN


def _called(node: ast.expr) -> str:
    target = node.func if isinstance(node, ast.Call) else node
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""


def _texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts in an expression, without those of its advice."""
    if isinstance(node, ast.Call) and _called(node) == "Advice":
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


@pytest.mark.full
def test_no_error_names_a_command_outside_of_its_advice() -> None:
    names = command_names()
    assert {"craft_item", "search_recipe", "read_file", "list_agents"} <= names
    errors = {"CommandError", "IllegalMove", "NotEnough", "NoFile", "PathRefused", "BotFault", "UnreadableReply"}
    found = []
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node) in errors:
                words = " ".join(text for part in [*node.args, *node.keywords] for text in _texts(part))
                found += [f"{path.name}: {name}" for name in names if re.search(rf"\b{name}\b", words)]
    assert found == []


@pytest.mark.parametrize(
    ("held", "missing", "says"),
    [
        ("gold_nugget=3", "gold_ingot", "1 gold_ingot can be made from 9 gold_nugget (only 3 held in [I1]) with X"),
        ("gold_ingot=1", "gold_nugget", "9 gold_nugget can be made from 1 gold_ingot (held in [I1]) with X"),
        ("gold_block=1", "gold_nugget", "9 gold_nugget can be made from 1 gold_ingot with X"),
        ("stick=1", "diamond", "nothing here makes diamond"),
        ("oak_planks=2", "oak_planks", "nothing here makes oak_planks"),
    ],
)
def test_advice_about_circles_and_too_few(held: str, missing: str, says: str) -> None:
    first, *more = sources(parse_inventory(held), [missing])
    assert first.words(["craft_item"]).replace("craft_item", "X") == says
    assert len(more) == (held == "gold_block=1")


@pytest.mark.parametrize(
    ("held", "wanted", "says"),
    [
        ("quartz_pillar=2,chiseled_quartz_block=1", "quartz_slab", "it is made from 3 quartz_pillar or "
         "chiseled_quartz_block: all here\n6 quartz_slab can be made from 2 quartz_pillar (held in [I1]) and "
         "1 chiseled_quartz_block (held in [I2]) with craft_item"),
        ("cyan_wool=3,spruce_planks=1,birch_planks=1,oak_log=1", "cyan_bed", "it is made from 3 cyan_wool (3 here) and "
         "3 spruce_planks or birch_planks (2 here, 1 missing)\ncyan_wool is held in [I1]; spruce_planks is held in "
         "[I2]; birch_planks is held in [I3]\n4 oak_planks can be made from 1 oak_log (held in [I4]) with craft_item"),
    ],
    ids=["mixed", "lacking"],
)  # fmt: skip
def test_an_ingredient_that_may_be_several_items_names_those_that_are_held(held: str, wanted: str, says: str) -> None:
    said = missing_text(parse_inventory(held), wanted, ["craft_item"])
    assert said == f"{wanted}: have 0, need 1; {says}"


@pytest.mark.sampled(12)
@pytest.mark.parametrize("id", [each.id for each in Conditions(split="test.small.easy").examples()])
@pytest.mark.parametrize("high_level", [False, True])
def test_who_copies_the_lines_of_advice_reaches_every_easy_target(id: str, high_level: bool) -> None:
    """So all that an easy task needs stands in the texts, in the form in which an answer is written."""
    conditions = Conditions(high_level=high_level)
    world, said = EpisodeWorld(load_example(id), conditions, 0), ""
    for _ in range(conditions.max_steps):
        text = asyncio.run(world.observe()).text
        lines = re.findall(r"`((?:move|smelt|craft_item|smelt_item): [^`]+)`", f"{text}\n{said}")
        deeper = re.findall(r"\d+ (\w+) can be made from .* with move", text) or [world.example.target]
        reply = read_line(Answer(lines[0] if lines else f"search: {deeper[-1]}"), conditions.commands)
        registry = Registry(world.commands())
        said = asyncio.run(registry.call(registry.bind(reply.name, reply.args))).text
        if world.won:
            return
        said = said if reply.name == "search" else ""
    raise AssertionError("the target is not held")


@pytest.mark.parametrize("short", ["gold_nugget=3", "gold_nugget=9"])
def test_only_a_command_that_would_succeed_is_written_in_full(short: str) -> None:
    (advice,) = sources(parse_inventory(short), ["gold_ingot"])
    spelled = advice.words(["craft_item"], lambda name, args: f"{name} {args['name']} x{args['count']}")
    assert ("`craft_item gold_ingot x1`" in spelled) == (short == "gold_nugget=9")


def test_what_is_made_already_is_told_where_it_lies() -> None:
    world = CraftingWorld(parse_inventory("ladder=1,stick=2"))
    registry = Registry(world.commands())
    said = asyncio.run(registry.call(registry.bind("craft_item", {"name": "ladder"}))).text
    assert said.startswith("I cannot make ladder because I need: 5 more stick; ladder is held in [I1] already")
