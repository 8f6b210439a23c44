"""What a run remembers helps the next: a plan that worked is replayed by one gated command, and the journal says so."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.control import ControlCommands
from autocraft.commands.memory import PlanCommands
from autocraft.commands.registry import Registry
from autocraft.crafting.inventory import parse_inventory
from autocraft.errors import InvalidCommand
from autocraft.memory import open_memory
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.memory.pinecone import PineconeMemory
from autocraft.memory.plans import StoredPlan, needs_of, plan_of
from autocraft.memory.recall import MOST_ROWS, MOST_TOKENS, Situation, recall
from autocraft.protocols import Memory, MemoryRecord, Result, Risk, commands_of
from autocraft.usage import estimate_tokens
from autocraft.worlds.crafting import CraftingWorld
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.live import live_registry
from tests.memory.pinecone_standin import KEY, Standin

pytestmark = pytest.mark.sampled(7)

LEXICAL = {"MEMORY_EMBEDDER": "lexical"}
EXAMPLES = re.findall(
    r"\w+",
    "VAL0039 VAL0177 VAL0018 VAL0059 VAL0076 VAL0109 VAL0127 VAL0139 VAL0201 VAL0211"
    " VAL0281 VAL0300 VAL0325 VAL0337 VAL0355 VAL0374 VAL0399 VAL0424 VAL0462 VAL0483",
)
"""Every example here takes two commands or more."""


def play(place: Place, *arguments: str, **environment: str) -> list[dict[str, Any]]:
    """The events of a run that the planner plays without questions."""
    done = place.run("run", "--brain", "planner", "-c", *arguments, **LEXICAL, **environment)
    assert done.returncode == 0, done.stderr
    return place.events(session_of(done))


def session_of(done: subprocess.CompletedProcess[str]) -> str:
    """The id that a run tells; the newest folder need not be it, where two runs begin in one second."""
    return str(re.findall(r"^Session (\S+)", done.stdout, re.MULTILINE)[0])


def turns(events: list[dict[str, Any]]) -> int:
    assert events[-1]["reason"] == "goal_reached"
    return int(events[-1]["turns"])


def check_example(place: Place, name: str) -> tuple[int, int]:
    """Turns of the first run and of the second; with memory off they are those of the first."""
    first = play(place, "--example", name)
    again = play(place, "--example", name)
    without = play(place, "--example", name, "--memory", "none")
    assert turns(without) == turns(first)
    assert [event["command"] for event in kinds(again, "intent")] == ["replay_plan"]
    ((told, *_),) = [event["recalled"] for event in kinds(again, "recalled")]
    replayed = kinds(again, "intent")[0]
    assert told["id"] == replayed["args"]["id"]
    assert told["steps"] == len(replayed["evidence"]["steps"]) == turns(first)
    assert again[-1]["inventory"] == first[-1]["inventory"]
    (decision,) = kinds(again, "decision")
    assert decision["preview"].count("\n") == told["steps"] - 1
    return turns(first), turns(again)


@pytest.mark.parametrize("name", EXAMPLES[:3])
@pytest.mark.sampled(1)
def test_second_run_of_an_example_is_cheaper(place: Place, name: str) -> None:
    before, after = check_example(place, name)
    assert after == 1 < before


@pytest.mark.full
def test_second_runs_of_twenty_examples_are_cheaper(place: Place) -> None:
    """All in one memory, so that each finds its own plan among the others'."""
    counted = [check_example(place, name) for name in EXAMPLES]
    assert len(counted) == 20
    assert all(after == 1 < before for before, after in counted)


def test_more_than_what_is_needed_will_do_and_less_will_not(place: Place) -> None:
    goal = ("--goal", "craft 1 stone_pickaxe", "--inventory")
    assert turns(play(place, *goal, "oak_log=3,cobblestone=3")) == 3
    assert turns(play(place, *goal, "dirt=5,oak_log=1,cobblestone=9")) == 1
    assert turns(play(place, *goal, "spruce_log=3,cobblestone=3")) == 3
    near = play(place, *goal, "stick=2,cobblestone=3,oak_log=1")
    assert turns(near) == 1
    assert kinds(near, "intent")[0]["command"] == "craft_item"  # one recipe is less than the whole plan


def test_nothing_runs_that_was_not_shown(place: Place) -> None:
    play(place, *STONE_PICKAXE)
    done = place.run("run", "--brain", "planner", *STONE_PICKAXE, stdin="y\ny\n", **LEXICAL)
    assert done.returncode == 0
    for step in ('1. craft_item {"name": "oak_planks"', '2. craft_item {"name": "stick"', "3. craft_item"):
        assert done.stdout.index(step) < done.stdout.index("All 3 steps were carried out")
    refused = place.run("run", "--brain", "planner", *STONE_PICKAXE, stdin="n\n", **LEXICAL)
    assert "COMMAND = replay_plan" in refused.stdout
    assert kinds(place.events(session_of(refused)), "intent") == []


def test_killed_in_the_middle_it_is_carried_out_once(place: Place) -> None:
    """The journal is cut after the intent, as a kill leaves it."""
    play(place, *STONE_PICKAXE)
    whole = play(place, *STONE_PICKAXE)
    session = whole[-1]["session"]
    file = place.state / "sessions" / session / "events.jsonl"
    intent = kinds(whole, "intent")[0]["seq"]
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:intent]))
    done = place.run("run", "--resume", session, "-c", **LEXICAL)
    assert done.returncode == 0
    events = place.events(session)
    assert events[-1]["inventory"] == whole[-1]["inventory"]
    assert [event["command"] for event in kinds(events, "result")] == ["replay_plan"]


def test_one_undo_takes_the_whole_replay_back(place: Place) -> None:
    play(place, *STONE_PICKAXE)
    done = place.run("run", "--brain", "planner", *STONE_PICKAXE, stdin="y, wait\n/undo\nn\n", **LEXICAL)
    events = place.events(session_of(done))
    assert [event["command"] for event in kinds(events, "result")] == ["replay_plan", "undo"]
    assert events[-1]["inventory"] == {"oak_log": 3, "cobblestone": 3}


def test_same_plan_twice_is_one_row_and_outcomes_are_told_once(place: Place) -> None:
    for _ in range(3):
        play(place, *STONE_PICKAXE)
    memory = open_memory("local", path=place.state / "memory", embedder="lexical")
    assert len(memory.rows(kind="plan")) == 1
    assert len(memory.rows(kind="outcome")) == 3
    told = recall(memory, "craft 1 stone_pickaxe", Situation("another goal", "crafting", {}))
    assert len(told) == 1
    memory.close()


def test_proven_impossible_is_remembered(place: Place) -> None:
    done = place.run("run", "--goal", "craft 1 diamond_sword", "--inventory", "stick=3", "-c", **LEXICAL)
    assert done.returncode == 5
    memory = open_memory("local", path=place.state / "memory", embedder="lexical")
    (row,) = memory.rows()
    assert row.text.startswith("Proven impossible with what there was: craft 1 diamond_sword. ")
    memory.close()


def test_slash_memory_shows_what_was_told_with_scores(place: Place) -> None:
    play(place, *STONE_PICKAXE)
    done = place.run("run", "--brain", "planner", *STONE_PICKAXE, stdin="/memory\nn\n", **LEXICAL)
    shown = done.stdout.partition("shown to the model for the last answer:")[2]
    assert "Plan for: craft 1 stone_pickaxe" in shown.splitlines()[1]
    assert shown.splitlines()[1].strip().startswith("0.")


def test_model_is_told_of_the_plan_as_data(place: Place) -> None:
    """The scripted brain stands for a model: its prompt is what `autocraft prompt` prints."""
    play(place, *STONE_PICKAXE)
    done = place.run("prompt", *STONE_PICKAXE, **LEXICAL)
    inside = done.stdout.partition('<data source="memory">')[2].partition("</data>")[0]
    assert "A plan for this goal worked before: replay_plan id=plan-" in inside
    assert '"replay_plan", args: "id": <str>' in done.stdout


@pytest.mark.full
def test_memory_that_fails_does_not_end_the_run(place: Place) -> None:
    """A service that is there at the start and answers nothing afterwards."""
    with Standin() as server:
        memory = PineconeMemory(api_key=KEY, host=server.url, embedder=LexicalEmbedder())
        memory.add("craft 1 stone_pickaxe")
        server.broken = {"/query", "/vectors/fetch"}
        away = {"PINECONE_API_KEY": KEY, "PINECONE_CONTROLLER_HOST": server.url}
        events = play(place, *STONE_PICKAXE, "--memory", "pinecone", **away)
    assert turns(events) == 3
    notes = [event["text"] for event in kinds(events, "note")]
    assert "the run goes on without memory" in notes[0]
    assert "no stored row is lost" in notes[0]
    assert KEY not in json.dumps(events)


# ---------------------------------------------------------------- the command by itself


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = open_memory("local", path=tmp_path, embedder="lexical")
    yield opened
    opened.close()


STEPS = (("craft_item", {"name": "oak_planks", "count": 4}), ("craft_item", {"name": "stick", "count": 4}))


def family(memory: Memory, inventory: str = "oak_log=2") -> tuple[PlanCommands, Registry, CraftingWorld]:
    world = CraftingWorld(parse_inventory(inventory))
    commands = PlanCommands()
    every = [*world.commands(), *commands_of(ControlCommands()), *commands_of(commands)]
    registry = live_registry(every, memory=memory, world=world)
    return commands, registry, world


def kept(memory: Memory, *steps: tuple[str, dict[str, Any]], **changes: Any) -> str:
    plan = StoredPlan("get 4 stick", changes.pop("place", "crafting"), steps or STEPS, {"oak_log": 1})
    row = plan.row("s", 1)
    memory.add_many([MemoryRecord(row.id, row.text, {**row.metadata, **changes})])
    return row.id


def replay(registry: Registry, id: str) -> Result:
    return asyncio.run(registry.call(registry.bind("replay_plan", {"id": id})))


def test_replay(memory: Memory) -> None:
    _, registry, world = family(memory)
    id = kept(memory)
    call = registry.bind("replay_plan", {"id": id})
    assert call.risk is Risk.CHANGE
    assert registry.preview(call).splitlines() == [
        '1. craft_item {"name": "oak_planks", "count": 4}',
        '2. craft_item {"name": "stick", "count": 4}',
    ]
    assert registry.evidence(call) == {"steps": [list(step) for step in STEPS]}
    result = asyncio.run(registry.call(call))
    assert result.ok
    assert [line[:13] for line in result.text.splitlines()] == ["All 2 steps w", "1. craft_item", "2. craft_item"]
    assert world.table.counts() == {"oak_log": 1, "oak_planks": 2, "stick": 4}
    assert registry.settle(call, {}).outcome == "not done"


def test_a_step_that_fails_stops_it_says_where_and_changes_nothing(memory: Memory) -> None:
    _, registry, world = family(memory)
    id = kept(memory, *STEPS, ("craft_item", {"name": "diamond_sword", "count": 1}))
    result = replay(registry, id)
    assert not result.ok
    assert result.text.startswith(
        'Step 3 of 3, craft_item {"name": "diamond_sword", "count": 1}, failed: I cannot make'
    )
    assert result.text.endswith("Nothing was changed.")
    assert world.table.counts() == {"oak_log": 2}


HOSTILE: list[Callable[[Memory], str]] = [
    lambda memory: kept(memory, ("task_complete", {}), ("task_complete", {})),
    lambda memory: kept(memory, ("replay_plan", {"id": "x"}), ("replay_plan", {"id": "x"})),
    lambda memory: kept(memory, ("rm", {"path": "/"}), ("craft_item", {"name": "stick"})),
    lambda memory: kept(memory, ("craft_item", {"name": "stick", "count": "many"}), STEPS[0]),
    lambda memory: kept(memory, place="minecraft"),
    lambda memory: kept(memory, steps=[["craft_item", {"name": "tnt", "count": 1}]]),
    lambda memory: kept(memory, steps="craft_item"),
    lambda memory: kept(memory, needs=7),
    lambda memory: kept(memory, kind="note"),
    lambda memory: memory.add("Plan for: get 4 stick", id="plan-0123456789abcdef", metadata={"kind": "plan"}),
    lambda memory: "missing",
]


@pytest.mark.parametrize("make", HOSTILE)
def test_what_is_no_plan_of_ours_is_refused_before_anybody_is_asked(
    memory: Memory, make: Callable[[Memory], str]
) -> None:
    _, registry, world = family(memory)
    with pytest.raises(InvalidCommand) as fault:
        registry.bind("replay_plan", {"id": make(memory)})
    assert "\n" not in str(fault.value)
    assert world.table.counts() == {"oak_log": 2}


def test_needs_are_what_was_used_up() -> None:
    states = [
        {"log": 3, "stick": 1},
        {"log": 2, "planks": 4, "stick": 1},
        {"log": 2, "stick": 5},
        {"log": 2, "stick": 2},
    ]
    assert needs_of(states) == {"log": 1}
    assert needs_of([{"log": 3}]) == {}
    assert needs_of([{"log": 1}, {"planks": 4}]) == {"log": 1}


# ---------------------------------------------------------------- what is told


def situation(**changes: Any) -> Situation:
    return Situation(**{"goal": "get 4 stick", "place": "crafting", "inventory": {"oak_log": 1}} | changes)


def test_only_a_plan_that_fits_is_told(memory: Memory) -> None:
    id = kept(memory)
    (told,) = recall(memory, "nothing near", situation())
    assert (told.row.id, told.steps) == (id, 2)
    assert told.event().steps == 2
    for other in (
        situation(inventory={}),
        situation(goal="get 5 stick"),
        situation(place="minecraft"),
        situation(tried={id}),
    ):
        assert recall(memory, "nothing near", other) == []


def test_plan_of_slots_needs_the_very_state() -> None:
    plan = StoredPlan("g", "crafting", (("move", {"source": "I1"}), ("move", {"source": "0"})), {}, start="abc")
    assert plan_of(plan.row("s", 1)) == plan
    assert plan.fits({}, "abc")
    assert not plan.fits({}, "abd")


def test_each_thing_is_told_once_and_within_the_tokens(memory: Memory) -> None:
    for n in range(4):
        memory.add("The village  lies NORTH" if n % 2 else "the village lies north", id=f"v{n}")
        memory.add(f"Goal reached in {n} turns: go north", metadata={"kind": "outcome", "goal": "go north"})
    told = recall(memory, "village north", situation())
    assert len(told) == 2
    for n in range(30):
        memory.add(f"village {n} " + "north of the river " * 60)
    told = recall(memory, "village north", situation())
    assert 0 < len(told) <= MOST_ROWS
    assert sum(estimate_tokens(each.text) for each in told) <= MOST_TOKENS
    assert recall(memory, "quantum chromodynamics", situation()) == []


def test_what_was_undone_after_a_new_goal_leaves_no_plan_with_a_wrong_start(place: Place) -> None:
    """The four planks of the start were taken back, so a plan that begins with them would be untrue."""
    typed = "/do craft_item name=oak_planks\n/goal craft 1 crafting_table\n/undo\ny\ny -9\n"
    arguments = ["--goal", "craft 8 oak_planks", "--inventory", "oak_log=4", "--brain", "planner"]
    done = place.run("run", *arguments, stdin=typed, **LEXICAL)
    assert "GOAL REACHED:  crafting_table" in done.stdout, done.stdout
    assert "undo" in [event["command"] for event in kinds(place.events(), "result")]
    shown = place.run("memory", "show", **LEXICAL).stdout
    assert "Goal reached" in shown and "from 4 oak_planks" not in shown
