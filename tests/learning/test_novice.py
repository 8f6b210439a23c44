"""The novice: what it learns from programs, what it does with it, and that it sees no more than a prompt shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from autocraft.node import packages
from autocraft.session.events import Goals, Reply, Result
from autocraft.skills.parse import parse
from autocraft.worlds.minecraft.packages import PACKAGES
from benchmarks.learning import NOVICE
from benchmarks.novice.brain import Writer
from benchmarks.novice.graph import Graph
from benchmarks.novice.reasoning import Reasoning
from benchmarks.novice.truth import accuracy
from tests.commands.programs import with_programs
from tests.conftest import Place, kinds

ITEMS = frozenset(
    (
        *(
            "oak_log",
            "oak_planks",
            "oak_button",
            "birch_log",
            "birch_planks",
            "birch_button",
            "stick",
            "coal",
            "coal_ore",
        ),
        *("wooden_pickaxe", "crafting_table", "stone", "cobblestone", "beef", "cooked_beef", "furnace"),
    )
)
NEED_PLANKS = "I cannot make stick because I need: 2 more oak_planks"
NO_TABLE = "No crafting table nearby: place a crafting_table within 32 blocks to make wooden_pickaxe"
NO_TOOL = "I need at least a wooden_pickaxe to mine stone!  Skip it!"


def ran(graph: Graph, call: str, *said: str, error: str = "", before: Any = None, after: Any = None) -> None:
    """Fold in a program with this call, and what became of it."""
    code = f"async function f(bot) {{ await {call} }}"
    program = {"error": error, "said": list(said), "before": before or {}, "after": after or {}}
    graph.apply(Reply(stage="strict", thoughts={}, command="run_program", args={"code": code}))
    graph.apply(Result(intent=1, command="run_program", ok=True, text="", seconds=0.0, program=program))


def graph_of(*lines: tuple[str, str]) -> Graph:
    """Return the graph after programs, each with its call and what it said."""
    graph = Graph()
    for call, said in lines:
        ran(graph, call, said)
    return graph


def reasoning(graph: Graph, held: Mapping[str, int] | None = None, blocks: tuple[str, ...] = ()) -> Reasoning:
    return Reasoning(graph, ITEMS, set(blocks), ["cow"], held or {}, set(held or ()))


# ------------------------------------------------------------ the graph


def test_a_program_that_gained_something_asked_for_no_further_recipe() -> None:
    """Each program that succeeded marked the six recipes in its text as failed, so the most wanted were given up."""
    graph = Graph()
    asides = "craftItem(bot, 'wooden_pickaxe', 1); await craftItem(bot, 'oak_planks', 1)"
    ran(graph, asides, before={"oak_log": 1}, after={"oak_planks": 4})
    assert "craft wooden_pickaxe" not in graph.ways or not graph.ways["craft wooden_pickaxe"].failed
    ran(graph, asides, before={"oak_log": 1}, after={"oak_log": 1})
    assert graph.ways["craft wooden_pickaxe"].failed == 1


def test_the_messages_of_failed_programs_are_learned() -> None:
    graph = graph_of(("craftItem(bot, 'stick', 1)", NEED_PLANKS), ("mineBlock(bot, 'stone', 1)", NO_TOOL))
    ran(graph, "craftItem(bot, 'wooden_pickaxe', 1)", error=f"It threw at line 1: {NO_TABLE}")
    ran(graph, "craftItem(bot, 'beef', 1)", error="beef has no recipe: it is found, mined, smelted or dropped")
    assert graph.ways["craft stick"].needs == {"oak_planks": 2}
    assert graph.ways["mine stone"].tool == "wooden_pickaxe"
    assert graph.ways["craft wooden_pickaxe"].near == "crafting_table"
    assert graph.ways["craft beef"].closed


def test_what_is_held_counts_for_the_needs_of_a_recipe() -> None:
    graph = Graph()
    ran(
        graph,
        "craftItem(bot, 'stick', 1)",
        "I cannot make stick because I need: 1 more oak_planks",
        after={"oak_planks": 1},
    )
    assert graph.ways["craft stick"].needs == {"oak_planks": 2}


def test_what_worked_replaces_what_was_thought() -> None:
    done = "I did the recipe for stick 2 times. Got 8 stick. Used 4 birch_planks. Now there are 8 stick."
    graph = graph_of(("craftItem(bot, 'stick', 1)", NEED_PLANKS), ("craftItem(bot, 'stick', 2)", done))
    assert graph.ways["craft stick"].needs == {"birch_planks": 2}
    assert (graph.ways["craft stick"].gives, graph.ways["craft stick"].failed) == ({"stick": 1}, 0)


@pytest.mark.parametrize(
    ("call", "said", "gives"),
    [
        ("mineBlock(bot, 'stone', 3)", "Mined 3 stone. Got 3 cobblestone. Now there are 3 cobblestone.", "cobblestone"),
        ("killMob(bot, 'cow', 300)", "Killed cow! Got 2 beef. Now there are 2 beef.", "beef"),
        ("smeltItem(bot, 'beef', null, 1)", "Smelted 1 beef to cooked_beef. Got 1 cooked_beef.", "cooked_beef"),
        ("craftItem(bot, 'stick', 1)", "Made 4 stick from 2 oak_planks. There are now 4 stick.", "stick"),
    ],
)
def test_what_was_gained_is_learned(call: str, said: str, gives: str) -> None:
    [way] = graph_of((call, said)).ways.values()
    assert way.gives == {gives: 1}


@pytest.mark.parametrize(
    "said", ["Made {} stick from 2 oak_planks.", "Mined {} stone. Got {} stone.", NEED_PLANKS + ", {} x"]
)
@pytest.mark.full
def test_a_count_of_thousands_of_digits_is_no_count(said: str) -> None:
    """Python refuses to read it, and so no such run could be resumed."""
    graph_of(("craftItem(bot, 'stick', 1)", said.format(*["1" * 5_000] * 2)))


def test_without_the_chat_log_only_what_was_gained_is_learned() -> None:
    graph = Graph()
    graph.apply(Goals(goals=(), options={"chat_log": False}))
    ran(graph, "craftItem(bot, 'stick', 1)", NEED_PLANKS)
    assert not graph.ways["craft stick"].needs
    ran(graph, "craftItem(bot, 'stick', 1)", "a line", before={"oak_planks": 2}, after={"stick": 4})
    assert graph.ways["craft stick"].needs == {"oak_planks": 2}


def test_without_errors_a_thrown_message_is_not_learned() -> None:
    graph = Graph()
    graph.apply(Goals(goals=(), options={"show_errors": False}))
    ran(graph, "craftItem(bot, 'wooden_pickaxe', 1)", error=NO_TABLE)
    assert graph.ways["craft wooden_pickaxe"].near == ""


def test_the_accuracy_counts_wrong_edges() -> None:
    packages(PACKAGES)
    graph = graph_of(("craftItem(bot, 'stick', 1)", NEED_PLANKS), ("mineBlock(bot, 'stone', 1)", NO_TOOL))
    assert accuracy(graph) == (2, 2)
    graph.way("craft stick").needs["beef"] = 1
    assert accuracy(graph) == (2, 3)


@pytest.mark.parametrize(
    ("version", "confirmed"),
    [("1.8.8", (0, 1)), ("1.12.2", (0, 1)), ("1.13.2", (1, 1)), ("1.16.5", (1, 2)), ("1.21.11", (2, 2))],
)
def test_edges_are_compared_with_the_version_that_is_played(version: str, confirmed: tuple[int, int]) -> None:
    """Before 1.13 the planks of all woods had one name, before 1.17 iron ore gave itself."""
    packages(PACKAGES)
    graph = Graph()
    graph.way("craft stick").needs["oak_planks"] = 2
    graph.way("mine iron_ore").gives["raw_iron"] = 1
    assert accuracy(graph, version) == confirmed


# ------------------------------------------------------------ reasoning


def test_a_need_is_asked_for_before_what_needs_it() -> None:
    graph = graph_of(("craftItem(bot, 'stick', 1)", NEED_PLANKS))
    assert reasoning(graph).probe("stick") == "craft oak_planks"
    assert reasoning(graph, {"oak_planks": 2}).best["stick"].key == "craft stick"


def test_what_is_named_alike_is_made_alike() -> None:
    made = "I did the recipe for oak_button 1 times. Got 1 oak_button. Used 1 oak_planks. Now there are 1 oak_button."
    found = reasoning(graph_of(("craftItem(bot, 'oak_button', 1)", made)), {"birch_planks": 1})
    assert dict(found.best["birch_button"].needs) == {"birch_planks": 1}


def test_a_block_in_sight_is_mined_with_the_tool_that_it_needs() -> None:
    graph = graph_of(
        ("craftItem(bot, 'wooden_pickaxe', 1)", "I did the recipe for wooden_pickaxe 1 times. Got 1 wooden_pickaxe. "
         "Used 3 oak_planks. Now there are 1 wooden_pickaxe."),
        ("mineBlock(bot, 'stone', 1)", NO_TOOL),
        ("mineBlock(bot, 'stone', 1)", "Mined 1 stone. Got 1 cobblestone. Now there are 1 cobblestone."),
    )  # fmt: skip
    found = reasoning(graph, {"oak_planks": 3}, ("stone",))
    code = Writer(found, ()).program("cobblestone")
    assert parse(code).main == "mineCobblestone"
    assert code.index("craftItem(bot, 'wooden_pickaxe'") < code.index("mineBlock(bot, 'stone'")
    assert "await craftWoodenPickaxe(bot)" not in Writer(found, ("craftWoodenPickaxe",)).program("cobblestone")


def test_a_skill_is_called_for_what_was_not_made_in_this_run() -> None:
    """Its graph is the run's, so what it learned in an earlier world is only in the skills."""
    graph = graph_of(("craftItem(bot, 'stick', 1)", NEED_PLANKS))
    writer = Writer(reasoning(graph), ("craftStick", "craftOakPlanks"))
    assert writer.skill_for("stick") == "craftStick" and "await craftStick(bot)" in writer.call("stick")
    assert parse(writer.call("stick")).main == "obtainStick", "in a program, its own name means its own text"
    assert "await craftOakPlanks(bot)" in writer.trial("craft stick", "stick")
    made = "I did the recipe for stick 1 times. Got 4 stick. Used 2 oak_planks. Now there are 4 stick."
    done = reasoning(graph_of(("craftItem(bot, 'stick', 1)", made)), {"oak_planks": 2})
    assert Writer(done, ("craftStick",)).skill_for("stick") == "", "its own way is cheaper: it makes all at once"


def test_a_program_that_gains_nothing_asks_for_recipes() -> None:
    found = reasoning(Graph(), {"oak_log": 1}, ("oak_log",))
    code = Writer(found, (), ["stick", "furnace"]).program("oak_log")
    assert "craftItem(bot, 'stick', 1)" in code and "craftItem(bot, 'furnace', 1)" in code
    assert code.index("craftItem") < code.index("mineBlock"), "what the program is about comes last"
    graph = Graph()
    lines = [NEED_PLANKS, "furnace: nobody knows"]
    calls = "craftItem(bot, 'stick', 1); await craftItem(bot, 'furnace', 1); await mineBlock(bot, 'oak_log', 1)"
    ran(graph, calls, *lines)
    assert graph.ways["craft stick"].needs and graph.ways["craft furnace"].failed == 1
    assert not reasoning(graph, {"oak_log": 1}).answers("stick") and reasoning(graph).answers("furnace")


def test_a_trial_asks_when_it_gains_none_of_the_item_that_its_task_names() -> None:
    found = reasoning(Graph(), {}, ("stone",))
    writer = Writer(found, (), ["stick"])
    assert "if (have('cobblestone') <= before) await askAll()" in writer.trial("mine stone", "cobblestone")
    assert "askAll" not in writer.trial("mine stone"), "the task is the deed, so nothing tells here that it failed"


# ------------------------------------------------------------ runs


@pytest.mark.full
def test_it_learns_a_recipe_and_crafts_by_it_also_after_a_resume(place: Place) -> None:
    new = ("--brain", "novice", "--world", "crafting", "--inventory", "oak_log=12", "--iterations", "2")
    done = place.run("learn", *new, "--continuous", **with_programs() | NOVICE)
    assert done.returncode == 0, done.stderr
    place.run("learn", "--resume", "last", "--continuous", "--iterations", "3", **with_programs() | NOVICE)
    attempts = kinds(place.events(), "attempt")
    assert [event["outcome"] for event in attempts] == ["critic", "critic", "goal"]


def test_the_nearest_skill_of_a_library_is_run(place: Place) -> None:
    code = "async function makePlanks(bot) {\n  await craftItem(bot, 'oak_planks', 1)\n}"
    other = "async function makeSticks(bot) {\n  await craftItem(bot, 'stick', 1)\n}"
    for name, text, does in (("makePlanks", code, "Makes planks of oak logs."), ("makeSticks", other, "Makes sticks.")):
        save_skill(place, name, text, does)
    done = place.run(
        *("learn", "--brain", "retrieval", "--world", "crafting", "--inventory", "oak_log=4", "--continuous"),
        *("--json", "--task", "Craft 4 oak_planks", "--iterations", "3"),
        **with_programs(),
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["outcome"] for event in kinds(events, "attempt")] == ["goal"], done.stderr
    assert kinds(events, "reply")[0]["args"]["code"] == code


def save_skill(place: Place, name: str, code: str, description: str) -> None:
    from autocraft.skills.skill import Draft
    from autocraft.skills.store import Library

    Library(place.state / "skills").save(name, Draft(description=description, code=code))


@pytest.mark.full
def test_it_learns_on_the_practice_server(place: Place) -> None:
    done = place.run(
        *("learn", "--brain", "novice", "--continuous", "--json", "--iterations", "3", "--speed", "0"),
        **with_programs() | NOVICE | {PACKAGES.variable: str(packages(PACKAGES))},
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert "goal" in [event["outcome"] for event in kinds(events, "attempt")], done.stderr
