"""A real small model with the planner's line and without it: ten fixed examples, and one goal of `run` in each world.

No verdict depends on what the model says. What it reached is printed as it is: figures with advice are assisted by the
planner, and stand beside no figure of anybody else.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from autocraft.evaluation.results import EpisodeResult, read_results
from tests.conftest import PROGRAM, Place, kinds
from tests.worlds.minecraft.playing import node_environment

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

EXAMPLES = (
    "TEST0001", "TEST0018", "TEST0060", "TEST0100", "TEST0150", "TEST0250", "TEST0316", "TEST0400", "TEST0500",
    "TEST0595",
)  # fmt: skip
"""Examples of each complexity, chosen by their numbers."""
TURNS = 3
GOALS = {
    "crafting": ("craft 4 oak_planks", "--inventory", "oak_log=3"),
    "minecraft": ("get 1 oak_log", "--seed", "1", "--speed", "0"),
}
"""World -> its goal, with the flags of the run."""


def play(place: Place, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program with the model, which is slow on a busy machine."""
    return subprocess.run(
        [*PROGRAM, *arguments, "--brain", "openai", "--model", "smollm2", "--json"],
        cwd=place.folder,
        env=place.environment | node_environment() | {"OPENAI_BASE_URL": url, "OPENAI_TIMEOUT": "3000"},
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("flags", [(), ("--advice",)], ids=["without advice", "assisted by the planner"])
def test_smollm2_on_ten_fixed_examples(place: Place, url: str, flags: tuple[str, ...], example: str) -> None:
    (place.folder / "ids.txt").write_text(example)
    tools = ("--high-level", "--max-steps", str(TURNS), "--ids", "ids.txt", "--out", "out", *flags)
    done = play(place, url, "eval", *tools)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout.splitlines()[-1])
    (result,), torn = read_results(place.folder / "out" / "results.jsonl", EpisodeResult.from_json)
    assert result.example_id == example and not torn
    assert (summary["n"], summary["void"], summary["conditions"].get("advice", False)) == (1, 0, bool(flags))
    assert 1 <= len(result.steps) <= TURNS
    if flags:
        assert summary["paper"] == [], "what the planner assisted stands beside no row of the paper"
    page = (place.folder / "out" / "page.html").read_text()
    assert ("assisted by the planner" in page) == bool(flags)
    how = " (assisted by the planner)" if flags else ""
    what = "impossible" if result.impossible else "possible"
    print(
        f"SmolLM2{how} on {example}, {what}: {'success' if result.success else result.ended}, {len(result.steps)} turns"
    )


@pytest.mark.parametrize("world", GOALS)
def test_smollm2_pursues_one_goal_in_each_world(place: Place, url: str, world: str) -> None:
    goal, *flags = GOALS[world]
    done = play(
        place, url, "run", "--goal", goal, "--world", world, *flags, "--commands", "world", "--memory", "none",
        "--max-steps", "4", "--continuous",
    )  # fmt: skip
    assert done.returncode in (0, 3, 5), done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    end, answers = events[-1], kinds(events, "answer")
    assert (end["reason"] == "goal_reached") == (done.returncode == 0)
    assert answers and end["tokens"] > 100 * len(answers), "each turn was a real one"
    if end["reason"] == "goal_reached":
        thing = goal.rsplit(" ", 1)[1]
        assert end["inventory"].get(thing, 0) >= 1, "nothing that was not reached counts as reached"
    print(f"SmolLM2 (assisted by the planner) in {world}: {goal!r} ends as {end['reason']} in {end['turns']} turns")
