"""kill -9 around the writing of snapshots, and after them: the resumed run ends as an unbroken one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from autocraft.session.snapshot import FILE, read
from tests.conftest import Place, kinds
from tests.crash import test_kill
from tests.crash.test_kill import answers, check_once

start = partial(test_kill.start, runner="tests.crash.often")
"""A run that writes a snapshot every few events and kills itself at a point."""


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The state hash of a run that nobody killed and that wrote no snapshot before its end."""
    place = Place(tmp_path_factory.mktemp("unbroken"))
    script = place.script(*answers())
    goal = ["--goal", "get 40 oak_planks", "--inventory", "oak_log=64,cobblestone=3", "--continuous"]
    assert place.run("run", *goal, "--brain", "scripted", "--script", script).returncode == 0
    return str(place.events()[-1]["state_sha256"])


@pytest.mark.parametrize(
    ("point", "nth"),
    [
        ("before snapshot", 1),
        ("in snapshot", 5),
        ("after snapshot", 9),
        ("before answer", 20),
        ("after intent", 17),
        ("after effect", 23),
        ("before result", 31),
        ("after result", 44),
        ("before end", 1),
    ],
)
@pytest.mark.full
def test_a_run_that_keeps_snapshots_loses_and_repeats_nothing(
    place: Place, point: str, nth: int, unbroken: str
) -> None:
    assert start(place, point, nth).returncode == -9
    kept = read(place.state / "sessions" / place.session() / FILE)
    assert (kept is not None) is (point != "before snapshot"), "the kill came after a snapshot"
    assert start(place, "after answer", 1, resume=True).returncode in (-9, 0), "a resume may be killed too"
    done = place.run("run", "--resume", "last", "--continuous", "--json")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    check_once(place)
    events = place.events()
    assert events[-1]["state_sha256"] == unbroken
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len(kinds(events, "result")) == len(kinds(events, "intent"))


def test_the_snapshot_of_a_killed_run_is_used(place: Place, tmp_path: Path) -> None:
    assert start(place, "after result", 40).returncode == -9
    kept = read(place.state / "sessions" / place.session() / FILE)
    assert kept is not None
    assert 0 < len(place.events()) - kept["mark"][2] <= 7
