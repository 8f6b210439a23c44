"""`eval`, `run` and `learn` with a real small model, of which only the profile and the address are given.

SmolLM2-135M cannot play. No verdict depends on what it says: what is checked is that each turn was a real one, and that
nothing unreached counts as reached. Its figures are printed as they are. Those with advice are assisted by the planner,
and stand beside no figure of anybody else.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from autocraft.evaluation.results import EpisodeResult, read_results
from tests.commands.programs import with_programs
from tests.conftest import PROGRAM, Place, kinds
from tests.llm.conftest import SLOW
from tests.sampling import drawn
from tests.worlds.minecraft.playing import node_environment

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

EXAMPLES = drawn([f"TEST{number:04}" for number in (1, 18, 60, 100, 150, 250, 316, 400, 500, 595)], 4)
"""Four of ten examples, which have each complexity and were chosen by their numbers."""
TURNS = 3
GOALS = {
    "crafting": ("craft 4 oak_planks", "--inventory", "oak_log=3"),
    "minecraft": ("get 1 oak_log", "--seed", "1", "--speed", "0"),
}
"""World -> its goal, with the flags of the run."""


def play(place: Place, url: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, which may take long on a busy machine."""
    return subprocess.run(
        [*PROGRAM, *arguments, "--profile", "llamacpp", "--base-url", url, "--json"],
        cwd=place.folder, env=place.environment | SLOW | environment, capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("flags", [(), ("--advice",)], ids=["without advice", "assisted by the planner"])
def test_smollm2_plays_fixed_examples(place: Place, url: str, flags: tuple[str, ...]) -> None:
    (place.folder / "ids.txt").write_text("\n".join(EXAMPLES))
    options = ("--high-level", "--max-steps", str(TURNS), "--ids", "ids.txt", "--out", "out", *flags)
    done = play(place, url, "eval", *options)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout.splitlines()[-1])
    results, torn = read_results(place.folder / "out" / "results.jsonl", EpisodeResult.from_json)
    assert (len(results), torn) == (len(EXAMPLES), 0)
    assert (summary["n"], summary["void"], summary["conditions"]["model"]) == (len(EXAMPLES), 0, "smollm2")
    for result in results:
        assert result.number_of_steps == len(result.steps) <= TURNS
        assert result.prompt_tokens > 100 * result.number_of_steps, "each turn was a real one"
        assert all(step.answer for step in result.steps if step.kind != "unreadable")
        assert result.success or result.ended in ("max_steps", "impossible")
    assert summary["tokens"] == sum(result.tokens for result in results)
    assert bool(flags) == (summary["paper"] == []), "what the planner assisted stands beside no row of the paper"
    page = (place.folder / "out" / "page.html").read_text()
    assert ("assisted by the planner" in page) == bool(flags)
    possible = [result for result in results if not result.impossible]
    impossible = [result for result in results if result.impossible]
    how = " (assisted by the planner)" if flags else ""
    print(
        f"SmolLM2{how}: {sum(each.success for each in possible)} of {len(possible)} possible examples, "
        f"{sum(each.success for each in impossible)} of {len(impossible)} impossible ones named, "
        f"{summary['turns']} turns, {summary['unreadable']} unreadable"
    )


@pytest.mark.parametrize("world", GOALS)
def test_smollm2_pursues_one_goal_in_each_world(place: Place, url: str, world: str) -> None:
    goal, *flags = GOALS[world]
    done = play(
        place, url, "run", "--goal", goal, "--world", world, *flags, "--commands", "world", "--memory", "none",
        "--max-steps", "2", "--continuous", **node_environment(), AUTOCRAFT_REPLY_TOKENS="250",
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


def test_smollm2_writes_a_program(place: Place, url: str) -> None:
    task = "craft 4 oak_planks"
    done = play(
        place, url, "learn", "--world", "crafting", "--inventory", "oak_log=8", "--memory", "none", "--task", task,
        "--sub-goal", task, "--iterations", "1", "--max-steps", "1", "--critic", "none", "--continuous",
        **with_programs(), AUTOCRAFT_REPLY_TOKENS="400",
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    attempts = kinds(events, "attempt")
    assert events[-1]["tokens"] > 100
    assert all(event["outcome"] in ("goal", "program", "critic") for event in attempts)
    print(f"SmolLM2: {len(attempts)} attempts at {task!r}, which ends as {events[-1]['reason']}")
