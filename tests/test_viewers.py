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
from autocraft.session.journal import FILE, Journal

Viewer = Callable[[Event], None]


class Full:
    """An output that takes nothing."""

    def __call__(self, text: str) -> None:
        raise ValueError("nothing can be written here")


def screen(monkeypatch: pytest.MonkeyPatch) -> Viewer:
    return Screen(Full(), "Crafter", terminal=False).event


def attached(monkeypatch: pytest.MonkeyPatch) -> Viewer:
    drawn = AttachedScreen(Full(), "Crafter", terminal=False, window=True)
    drawn.resize(80, 24)
    return drawn.event


def lines_of_json(monkeypatch: pytest.MonkeyPatch) -> Viewer:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    return JsonScreen().event


def notifier(monkeypatch: pytest.MonkeyPatch) -> Viewer:
    return Notifier("/no/such/program", "session", Full()).event


NOTE, ASKED = Note(text="the world is there"), Question(command="look", args={})


@pytest.mark.parametrize(
    ("open_viewer", "event"), [(screen, NOTE), (attached, NOTE), (lines_of_json, NOTE), (notifier, ASKED)]
)
def test_a_viewer_that_fails_is_dropped_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_viewer: Callable[[pytest.MonkeyPatch], Viewer], event: Event
) -> None:
    journal, seen, state = Journal(tmp_path), list[int](), list[int]()
    viewer = open_viewer(monkeypatch)
    journal.listeners.append(lambda each: state.append(each.seq))
    journal.viewers += [viewer, lambda each: seen.append(each.seq)]
    for _ in range(2):
        journal.append(event)
    journal.close()
    written = [json.loads(line) for line in (tmp_path / FILE).read_bytes().splitlines()]
    assert [each["type"] for each in written] == [event.type, "note", event.type]
    assert state == sorted(seen) == [1, 2, 3], "the other viewers go on"
    assert written[1]["text"] == "the screen failed and is not drawn any more"
    assert "ValueError" in written[1]["trace"]
    assert viewer not in journal.viewers
