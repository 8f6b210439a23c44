"""What shows events: a viewer that fails is dropped, and the run goes on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autocraft.console.events import JsonScreen
from autocraft.console.notify import Notifier
from autocraft.console.render import Screen
from autocraft.mcp.attach import AttachedScreen
from autocraft.session.events import Event, Note, Question
from autocraft.session.journal import Journal

Viewer = Callable[[Event], None]


def full(text: str) -> None:
    raise ValueError("nothing can be written here")


def attached() -> Viewer:
    screen = AttachedScreen(full, "Crafter", terminal=False, window=True)
    screen.resize(80, 24)
    return screen.event


NOTE, ASKED = Note(text="the world is there"), Question(command="look", args={})


@pytest.mark.parametrize(
    ("open_viewer", "event"),
    [
        (lambda: Screen(full, "Crafter", terminal=False).event, NOTE),
        (attached, NOTE),
        (lambda: JsonScreen().event, NOTE),
        (lambda: Notifier("/no/such/program", "session", full).event, ASKED),
    ],
    ids=["screen", "attached terminal", "lines of JSON", "notifier"],
)
def test_a_viewer_that_fails_is_dropped_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_viewer: Callable[[], Viewer], event: Event
) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    journal, seen, state = Journal(tmp_path), list[int](), list[int]()
    viewer = open_viewer()
    journal.listeners.append(lambda each: state.append(each.seq))
    journal.viewers += [viewer, lambda each: seen.append(each.seq)]
    for _ in range(2):
        journal.append(event)
    journal.close()
    written = [json.loads(line) for line in (tmp_path / "events.jsonl").read_bytes().splitlines()]
    assert [each["type"] for each in written] == [event.type, "note", event.type]
    assert state == sorted(seen) == [1, 2, 3], "the other viewers go on"
    assert written[1]["text"] == "the screen failed and is not drawn any more"
    assert "ValueError" in written[1]["trace"]
    assert viewer not in journal.viewers
