"""kill -9 at every gap of a run; each resumed run ends as an unbroken one, with everything done exactly once."""

from __future__ import annotations

import ast
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Place, kinds
from tests.crash.runner import POINTS

ROUNDS = 10
"""Each round crafts, appends a numbered line, adds a memory, moves a stack, and writes over one file."""


def answers() -> list[tuple[str, dict[str, object]]]:
    craft: tuple[str, dict[str, object]] = ("craft_item", {"name": "oak_planks", "count": 4})
    made: list[tuple[str, dict[str, object]]] = []
    for n in range(ROUNDS):
        made += [
            *([craft] if n < ROUNDS - 1 else []),  # the last one reaches the goal, so it comes at the end
            ("append_to_file", {"file": "log.txt", "text": f"line {n}\n"}),
            ("memory_add", {"string": f"note {n}"}),
            ("move", {"source": "[I2]", "target": "[I30]" if n % 2 == 0 else "[I2]", "quantity": 1})
            if n == 0
            else ("show_inventory", {}),
            ("write_to_file", {"file": "state.txt", "text": f"round {n}\n"}),
        ]
    return [*made, ("delete_file", {"file": "state.txt"}), craft]


def start(
    place: Place, point: str, nth: int, *, resume: bool = False, runner: str = "tests.crash.runner"
) -> subprocess.CompletedProcess[str]:
    """A run that kills itself at this point."""
    script = "resume" if resume else place.script(*answers())
    return place.python("-m", runner, point, str(nth), script)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Counter[str]]:
    """The state hash of a run that nobody killed, and how often it passed each point."""
    place = Place(tmp_path_factory.mktemp("unbroken"))
    done = start(place, "never", 0)
    assert done.returncode == 0, done.stderr
    check_once(place)
    return place.events()[-1]["state_sha256"], Counter(ast.literal_eval(done.stderr.strip().splitlines()[-1]))


def check_once(place: Place) -> None:
    """Every line and every row is there exactly once."""
    assert (place.folder / "workspace" / "log.txt").read_text() == "".join(f"line {n}\n" for n in range(ROUNDS))
    with closing(sqlite3.connect(next((place.state / "memory").glob("*.sqlite3")))) as database:
        texts = [text for (text,) in database.execute("select text from memory order by seq")]
    assert sorted(text for text in texts if text.startswith("note")) == sorted(f"note {n}" for n in range(ROUNDS))
    assert sum(text.startswith("Goal reached") for text in texts) == 1


def spread(passed: Counter[str], kills: int) -> list[tuple[str, int]]:
    """`kills` places to die, spread evenly over the points and over the passes of each."""
    chosen = []
    for n in range(kills):
        point = POINTS[n % len(POINTS)]
        times = passed[point]
        round_ = n // len(POINTS)
        rounds = max(1, -(-(kills - n % len(POINTS)) // len(POINTS)))
        chosen.append((point, 1 + round_ * (times - 1) // max(1, rounds - 1) if rounds > 1 else 1 + times // 2))
    return chosen


def kill_and_resume(tmp_path: Path, point: str, nth: int, expected: str) -> None:
    place = Place(tmp_path)
    tmp_path.mkdir()
    died = start(place, point, nth)
    assert died.returncode == -9, f"not killed at {point} {nth}: {died.stderr}"
    done = place.run("run", "--resume", "last", "--continuous", "--json")
    assert done.returncode == 0, f"{point} {nth}: {done.stdout[-2000:]} {done.stderr}"
    check_once(place)
    events = place.events()
    assert events[-1]["state_sha256"] == expected, f"{point} {nth}"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len(kinds(events, "result")) == len(kinds(events, "intent"))


def run_kills(tmp_path: Path, passed: Counter[str], expected: str, kills: int) -> None:
    histogram: Counter[str] = Counter()
    for n, (point, nth) in enumerate(spread(passed, kills)):
        kill_and_resume(tmp_path / str(n), point, nth, expected)
        histogram[point] += 1
    print(f"\n{kills} kills, all resumed to the same state:")
    for point in POINTS:
        print(f"  {point:<16} {'#' * histogram[point]} {histogram[point]}")


def test_a_few_kills_lose_and_repeat_nothing(
    tmp_path: Path, unbroken: tuple[str, Counter[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    expected, passed = unbroken
    assert set(POINTS) <= set(passed)
    with capsys.disabled():
        run_kills(tmp_path, passed, expected, 5)


@pytest.mark.full
def test_two_kills_at_each_point_lose_and_repeat_nothing(
    tmp_path: Path, unbroken: tuple[str, Counter[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    expected, passed = unbroken
    with capsys.disabled():
        run_kills(tmp_path, passed, expected, 2 * len(POINTS))


@pytest.mark.parametrize("point", ["before result", "after effect", "before commit", "after intent"])
@pytest.mark.sampled(1)
def test_a_resume_may_be_killed_too(tmp_path: Path, unbroken: tuple[str, Counter[str]], point: str) -> None:
    """Killed between intent and result, then again while that very effect is settled, then resumed."""
    expected, _ = unbroken
    place = Place(tmp_path / "place")
    place.folder.mkdir()
    assert start(place, "after intent", 8).returncode == -9
    assert start(place, point, 1, resume=True).returncode == -9
    assert place.run("run", "--resume", "last", "--continuous", "--json").returncode == 0
    check_once(place)
    assert place.events()[-1]["state_sha256"] == expected
