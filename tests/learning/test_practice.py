"""Learning on the practice server, with the oracle: a whole run with a wrong program and a kill in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from autocraft.node import packages
from autocraft.sandbox.packages import PACKAGES as PROGRAMS
from autocraft.skills.graph import graph_of
from autocraft.skills.store import Library
from autocraft.worlds.minecraft.packages import PACKAGES
from tests.commands.programs import with_programs
from tests.conftest import ROOT, Place, kinds

ITERATIONS = 8
WRONG = 4
"""Every fourth program is wrong."""


def start(place: Place, resume: str = "") -> subprocess.Popen[str]:
    environment = place.environment | with_programs() | {PACKAGES.variable: str(packages(PACKAGES))}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.learning.faulty", str(ITERATIONS), str(WRONG), *([resume] if resume else [])],
        cwd=place.folder,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.full
def test_eight_iterations_with_wrong_programs_and_a_kill(place: Place) -> None:
    running = start(place)
    assert running.stdout is not None
    seen = 0
    for line in running.stdout:
        seen += json.loads(line)["type"] == "attempt"
        if seen == 3:
            os.kill(running.pid, signal.SIGKILL)
            break
    running.communicate()
    resumed = start(place, "last")
    out, err = resumed.communicate(timeout=900)
    assert resumed.returncode == 0, out[-2000:] + err
    events = place.events()
    attempts = kinds(events, "attempt")
    assert attempts[-1]["iteration"] == ITERATIONS
    wrong = [event for event in attempts if event["iteration"] % WRONG == 0]
    assert [event["outcome"] for event in wrong] == ["critic"] * len(wrong), "a wrong program is never a success"
    after = attempts[attempts.index(wrong[0]) + 1]
    assert (after["outcome"], after["iteration"]) == ("goal", WRONG + 1), "the next try at the same task is right"
    entries, bad = Library(place.state / "skills").entries()
    reached = [event for event in attempts if event["outcome"] == "goal" and not event.get("unfit")]
    assert len(entries) == len(reached) >= 4, "each that was reached is a skill, also that before the kill"
    assert not bad
    assert "pretend" not in [entry.name for entry in entries]
    assert any(graph_of(entries).values()), "a skill calls another"
    assert len({item for event in attempts for item in event["items"]}) >= 5


@pytest.mark.full
def test_a_run_whose_programs_do_not_start_ends(place: Place) -> None:
    """It went through all iterations, when the packages of programs had gone in the middle of a run."""
    chief = place.folder / "broken" / PROGRAMS.chief
    chief.mkdir(parents=True)
    (chief / "package.json").write_text("{}")
    environment = {PROGRAMS.variable: str(place.folder / "broken"), PACKAGES.variable: str(packages(PACKAGES))}
    options = ("--brain", "oracle", "--seed", "1", "--speed", "0", "--continuous")
    for arguments in (options, ("--resume", "last", "--continuous")):
        done = place.run("learn", *arguments, **environment)
        assert done.returncode == 1
        assert "3 programs in a row did not run to their end: the process for programs did not start" in done.stdout
    assert len(kinds(place.events(), "attempt")) == 6
