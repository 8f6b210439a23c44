"""A terminal that is closed ends the run plainly, wherever it stands, and the run resumes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import ROOT, Place, kinds
from tests.waiting import until

ASK = ("ask_human", {"question": "Which wood?"})
STICK = ("craft_item", {"name": "oak_planks"})
SLOW = {"text": '{"command": {"name": "do_nothing", "args": {}}}', "wait_for": "go"}
PLACES: dict[str, tuple[Any, list[str], list[str]]] = {
    "question": (STICK, [], ["Input:"]),
    "edit line": (STICK, ["e\r"], ["Input:", "Arguments:"]),
    "question in words": (ASK, [], ["Answer:"]),
    "pause": (STICK, ["\x03"], ["Input:", "Paused."]),
    "thinking": (SLOW, [], ["Goal: "]),
    "running": (("wait", {"seconds": 60}), ["y\r"], ["Input:", "AUTHORISED BY USER"]),
}
"""Where it is closed: what the model wants, what is typed, and what is seen before each."""
CLOSING = """
import os, pty, random, threading
from autocraft.console.typed import _unfinished
for number in range(200):
    ours, theirs = pty.openpty()
    os.dup2(theirs, 0)
    os.close(theirs)
    closing = threading.Timer(random.random() / 1000, os.close, (ours,))
    closing.start()
    while closing.is_alive():
        _unfinished()
"""
"""Terminals that are closed at any moment while the unfinished line is taken out of them."""


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("reader", ["line", "plain"])
@pytest.mark.sampled(2)
def test_a_closed_terminal_ends_the_run_and_the_run_resumes(
    place: Place, terminal: Callable[..., Any], reader: str, where: str
) -> None:
    wanted, typed, seen = PLACES[where]
    flags = ["--plain"] if reader == "plain" else []
    script = place.script(wanted, ("do_nothing", {}))
    child = terminal("run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", script, *flags)
    for nth, words in enumerate(seen):
        child.expect_exact(words)
        if nth < len(typed):
            child.send(typed[nth])
    if where == "running":  # a command that is approved and not begun would run when resumed
        until(lambda: kinds(place.events(), "intent"))
    child.hang_up()
    assert child.wait() in (4, 130), "stopped, or interrupted: which of the two news comes first is open"
    events = place.events()
    assert events[-1]["reason"] in ("stopped", "interrupted")
    assert "fault" not in events[-1]["why"]
    assert not [event for event in kinds(events, "note") if event.get("trace")]
    (place.folder / "go").touch()
    done = place.run("run", "--resume", "last", stdin="n\n")
    assert done.returncode == 4, done.stderr


def test_a_terminal_that_is_closed_while_half_a_line_is_read_is_no_fault() -> None:
    done = subprocess.run([sys.executable, "-c", CLOSING], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_that_is_closed_at_the_goal(terminal: Callable[..., Any]) -> None:
    child = terminal("run")
    child.expect_exact("Name of the agent: ")
    child.hang_up()
    code = child.wait()
    assert (code, child.signalstatus) in ((2, None), (None, 1)), "no goal was given, or the hang-up ended it"
