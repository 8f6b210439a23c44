"""Processes that are looked at, stopped and ended as a group: those of this test's own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from autocraft.sandbox import processes
from tests.waiting import until

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="the group is read from /proc")

MARK = f"of-{os.getpid()}-alone"
TWO = "sleep 600 & sleep 600 & wait"


@pytest.fixture
def shell() -> Iterator[subprocess.Popen[bytes]]:
    """A process with two below it."""
    with subprocess.Popen(["sh", "-c", TWO], env={"PATH": os.environ["PATH"], "MARK": MARK}) as child:
        until(lambda: len(sleeping(child.pid)) == 2, "two sleeping processes")
        yield child
        for each in processes.below(child.pid):
            os.kill(each.pid, signal.SIGKILL)
        child.kill()


def sleeping(root: int) -> list[int]:
    """Return the processes below that have become `sleep`."""
    return [each.pid for each in processes.below(root) if (each.folder / "comm").read_bytes() == b"sleep\n"]


def states(root: int) -> dict[int, str]:
    return {each.pid: each.state for each in processes.below(root)}


def test_all_stand_still_while_they_are_looked_at_and_those_stopped_before_stay(shell: subprocess.Popen[bytes]) -> None:
    first, second = sleeping(shell.pid)
    os.kill(first, signal.SIGSTOP)
    until(lambda: states(shell.pid)[first] == "T", "the stop")
    with processes.stopped(shell.pid) as group:
        assert {each.pid for each in group} == {first, second}
        until(lambda: set(states(shell.pid).values()) == {"T"}, "the stop of all")
    until(lambda: states(shell.pid)[second] == "S", "going on")
    assert states(shell.pid)[first] == "T"


def test_those_that_carry_a_mark_are_ended_and_no_others(shell: subprocess.Popen[bytes]) -> None:
    processes.kill_marked(f"MARK={MARK[:-1]}")
    assert len(sleeping(shell.pid)) == 2, "a part of the value is no mark"
    assert set(sleeping(shell.pid)) <= set(states(os.getpid())), "they are below whoever started their parent, too"
    processes.kill_marked(f"MARK={MARK}")
    assert shell.wait(60) == -signal.SIGKILL
