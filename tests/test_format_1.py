"""A journal of format 1, written by the program before its events had types: it loads, folds and reports as before.

`format_1/` holds the journal of a run with helpers, a program, memory, feedback and every permission, and what the
autocraft that wrote it made of it: `folds.jsonl` tells where the run stands after each line.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from autocraft.agent.state import State
from autocraft.console.report import history, report
from autocraft.session.events import Event
from autocraft.session.formats import VERSION
from autocraft.session.reading import Events
from tests.conftest import Place
from tests.test_snapshot import Resumed, resume

KEPT = Path(__file__).parent / "format_1"
SESSION = "20261122-212710-207569"
LINES = (KEPT / "events.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture
def session(place: Place) -> Path:
    """A copy of the session, whose workspace is in this place."""
    folder = place.state / "sessions" / SESSION
    shutil.copytree(KEPT / "blobs", folder / "blobs")
    (folder / "events.jsonl").write_bytes(b"".join(LINES).replace(b"@PLACE@", bytes(place.folder)))
    return folder


def test_the_journal_holds_what_it_is_there_for() -> None:
    events = [json.loads(line) for line in LINES]
    assert {event["v"] for event in events} == {1} and VERSION > 1
    notes = [event for event in events if event["type"] == "note"]
    for field in ("spawn", "message", "deleted", "budget", "continuous", "forget", "recalled", "usage"):
        assert any(field in note for note in notes), field
    assert {"scout", "digger", "program", "person"} <= {event["agent"] for event in events}


def test_each_note_becomes_what_it_carries(session: Path) -> None:
    before = Counter(json.loads(line)["type"] for line in LINES)
    now = Counter(event.type for event in Events(session))
    split = {"permission": 4, "recalled": 1, "spawn": 2, "message": 3, "deleted": 1, "expense": 1}
    assert now == before - Counter(note=sum(split.values())) + Counter(split)


def test_what_is_written_again_is_read_as_the_same(session: Path) -> None:
    for event in Events(session):
        data = json.loads(json.dumps(event.to_json()))
        assert data["v"] == VERSION and Event.from_json(data) == event


def test_it_folds_as_before_at_every_line(session: Path) -> None:
    folds_as_before(session, KEPT)


def folds_as_before(session: Path, kept: Path) -> None:
    """Resume the journal after each of its lines: it stands where the autocraft that wrote it stood."""
    lines = (session / "events.jsonl").read_bytes().splitlines(keepends=True)
    expected = [json.loads(line) for line in (kept / "folds.jsonl").read_text().splitlines()]
    assert len(expected) == len(lines)
    for number, told in enumerate(expected, 1):
        (session / "events.jsonl").write_bytes(b"".join(lines[:number]))
        now, deleted = json.loads(json.dumps(stand(resume(session)))), set(told.pop("deleted").values())
        assert now == told and not now["helpers"].keys() & deleted, f"after line {number}"


def test_it_is_told_as_before(session: Path) -> None:
    _, *story = report(Events(session), "S").splitlines()  # without the local time at which it began
    assert story == (KEPT / "report.txt").read_text().splitlines()[1:]
    assert history(Events(session)).splitlines() == (KEPT / "history.txt").read_text().splitlines()


def test_it_is_resumed_to_its_goal(place: Place, session: Path) -> None:
    (place.folder / "workspace").mkdir()
    before = (session / "events.jsonl").read_bytes()
    done = place.run("run", "--resume", "last", "--brain", "planner", "--continuous", "--json")
    assert done.returncode == 0, done.stderr
    written = [json.loads(line) for line in done.stdout.splitlines()]
    assert (session / "events.jsonl").read_bytes().startswith(before)
    assert {event["v"] for event in written} == {VERSION}
    assert [event["type"] for event in written][:2] == ["permission", "answer"]
    end = written[-1]
    assert (end["turns"], end["errors"], end["stages"]) == (15, 1, {"plain": 14, "invalid": 1})
    assert end["inventory"] == {"oak_log": 6, "stone_pickaxe": 1, "oak_planks": 10, "stick": 2}
    assert end["why"] == "stone_pickaxe: have 1, need 1; stick: have 2, need 1"
    assert [event.seq for event in Events(session)] == list(range(1, end["seq"] + 1))


def stand(run: Resumed) -> dict[str, Any]:
    """Where a run stands, in plain values, as it was kept of the autocraft that wrote the journal."""
    helpers = {
        name: [
            *(stand_of(each.state), each.spawn.key, each.spawn.task, each.spawn.grants),
            *(each.spawn.call, sorted(each.messages), each.turns_at_message),
            short(each.transcript.messages("x")[-1].content),
        ]
        for name, each in run.helpers.live.items()
    }
    kept = {"made": run.helpers.last_key, "turns": run.journal.turns}
    main = {"main": stand_of(run.state), "prompt": short(run.prompt), "helpers": helpers}
    return {**main, **kept, "answers": dict(run.journal.answers)}


def stand_of(state: State) -> list[Any]:
    totals = state.totals
    costs = [totals.cost, totals.cost_known, round(totals.seconds, 4)]
    spent = [state.turns, state.errors, state.invalid_in_a_row, *costs]
    allowed = {name: int(risk) for name, risk in state.allowed.items()}
    counted = [totals.usage.to_json(), dict(state.stages), state.budget, state.continuous, allowed, state.world]
    waiting = [len(state.pending_feedback), sorted(state.open_intents), state.repetition]
    return [*spent, *counted, *waiting, [row["id"] for row in state.recalled], state.turn.done, state.goal_text]


def short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
