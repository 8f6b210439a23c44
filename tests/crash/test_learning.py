"""kill -9 in the middle of learning: the resumed run goes on in the same iteration, and nothing is done twice."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter

import pytest

from autocraft.app import Request
from autocraft.features import MODES
from autocraft.skills.uses import read_uses
from tests.commands.programs import with_programs
from tests.conftest import Place, kinds
from tests.crash.runner import killed_run
from tests.learning.test_learning import ANSWER, DESCRIPTION, PLANKS, STICKS, program, task
from tests.sampling import drawn

pytestmark = pytest.mark.sampled(1)

ITERATIONS = 4
LOGS = {"world": "crafting", "inventory": "oak_log=8", "brain": "oracle", "iterations": ITERATIONS}


def learn(place: Place, *arguments: str) -> list[dict[str, object]]:
    """Learn to the end, and return the events of the whole session."""
    done = place.run("learn", *arguments, "--continuous", "--json", **with_programs())
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return place.events()


def kill(place: Place, point: str, nth: int, *script: str) -> None:
    died = place.python("-m", "tests.crash.test_learning", point, str(nth), *script, **with_programs())
    assert died.returncode == -9, f"not killed at {point} {nth}: {died.stderr}"


@pytest.mark.parametrize(
    ("point", "nth"),
    [
        ("after task", 1), ("before answer", 2), ("after reply", 2), ("after decision", 3), ("after intent", 2),
        ("before effect", 5), ("after effect", 5), ("before result", 4), ("after result", 4), ("before attempt", 2),
        ("after attempt", 2), ("before task", 3), ("after task", 3), ("before end", 1),
    ],
)  # fmt: skip
def test_learning_goes_on_where_it_was_killed(place: Place, point: str, nth: int) -> None:
    kill(place, point, nth)
    events = learn(place, "--resume", "last")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len(kinds(events, "result")) == len(kinds(events, "intent"))
    attempts = kinds(events, "attempt")
    assert attempts[-1]["iteration"] == ITERATIONS
    assert max(Counter(event["turn"] for event in attempts).values()) == 1, "one verdict for each attempt"
    reached = [event["text"] for event in attempts if event["outcome"] == "goal"]
    saved = [event for event in kinds(events, "result") if event["command"] == "save_skill"]
    assert len(saved) >= len(set(reached)), "every program that worked was kept"
    assert len({event["goals"][0]["text"] for event in kinds(events, "task")}) == len(kinds(events, "task"))


KILLS = 10
POINTS = (
    *(f"{when} {event}" for event in ("answer", "reply", "decision", "intent", "result", "attempt", "task")
      for when in ("before", "after")), "before effect", "after effect",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], int]:
    """What a run that nobody kills reaches: its tasks in their order, and its iterations."""
    place = Place(tmp_path_factory.mktemp("whole"))
    flags = ["--world", "crafting", "--inventory", "oak_log=8", "--brain", "oracle", "--iterations", str(ITERATIONS)]
    return _reached(learn(place, *flags))


def _reached(events: list[dict[str, object]]) -> tuple[list[str], int]:
    attempts = kinds(events, "attempt")
    assert all(event["outcome"] == "goal" for event in attempts), "no kill cost a try"
    return [str(event["text"]) for event in attempts], attempts[-1]["iteration"]


@pytest.mark.parametrize("seed", drawn(range(10), 2))
def test_ten_kills_cost_no_iteration_and_no_task(place: Place, whole: tuple[list[str], int], seed: int) -> None:
    chance, began = random.Random(seed), False
    for _ in range(KILLS):
        point, nth = chance.choice(POINTS), chance.randint(1, 3)
        how = ("resume",) if began else ()
        died = place.python("-m", "tests.crash.test_learning", point, str(nth), *how, **with_programs())
        assert died.returncode in (-9, 0), died.stderr
        began = True
    assert _reached(learn(place, "--resume", "last")) == whole


@pytest.mark.parametrize("point", ["before attempt", "after attempt"])
def test_a_use_of_a_skill_is_not_counted_twice(place: Place, point: str) -> None:
    script = place.script(
        task("Craft 4 oak_planks"), ANSWER, program(PLANKS), DESCRIPTION,
        task("Craft 1 stick"), ANSWER, program(STICKS), DESCRIPTION,
    )  # fmt: skip
    kill(place, point, 2, script)
    learn(place, "--resume", "last")
    uses = read_uses(place.state / "skills", "craftOakPlanks")
    assert uses.total == uses.successes == (point == "before attempt"), "a kill may lose the count"


if __name__ == "__main__":
    flags = LOGS | {"continuous": True}
    if sys.argv[3:] and sys.argv[3] != "resume":
        flags |= {"brain": "scripted", "script": sys.argv[3], "iterations": 2}
    request = Request((), flags, json=True, mode=MODES["learn"])
    if sys.argv[3:] == ["resume"]:
        request = Request(None, {"continuous": True}, "last", json=True, mode=MODES["learn"])
    sys.exit(asyncio.run(killed_run(sys.argv[1], int(sys.argv[2]), request)))
