"""Reading a journal from either end: the same events, whatever the size of a block."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autocraft.agent.state import State
from autocraft.commands.undo import UndoCommands
from autocraft.errors import SessionError
from autocraft.goals import Goal
from autocraft.protocols import Risk, commands_of
from autocraft.session import reading as reading
from autocraft.session.event import read_line
from autocraft.session.events import Answer, Event, Feedback, Goals, Intent, Note, Reply
from autocraft.session.journal import BotJournal, Journal
from autocraft.session.reading import Events, Mark
from autocraft.session.snapshot import FILE, Snapshots
from autocraft.usage import Usage
from tests.live import live_registry


def write(folder: Path, count: int, *, torn: bytes = b"") -> Events:
    (folder / "blobs").mkdir(exist_ok=True)
    journal = Journal(folder)
    journal.append(Goals(goals=(), options={}))
    for number in range(1, count):
        journal.append(Note(text="x" * (number * 37 % 500)))
    journal.close()
    with (folder / "events.jsonl").open("ab") as file:
        file.write(torn)
    return Events(folder)


@pytest.mark.parametrize("block", [1, 7, 64, 1000, 1 << 18])
@pytest.mark.parametrize("torn", [b"", b"{", b"torn" * 200])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_backwards_is_the_reverse_of_forwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, torn: bytes, count: int
) -> None:
    monkeypatch.setattr(reading, "BLOCK", block)
    events = write(tmp_path, count, torn=torn)
    data = (tmp_path / "events.jsonl").read_bytes()
    forwards = list(events)
    backwards = list(events.backward())
    assert [event.seq for event in forwards] == list(range(1, count + 1))
    assert [event for event, _ in backwards] == forwards[::-1]
    assert all(data[offset:].split(b"\n")[0] == msgspec.json.encode(event) for event, offset in backwards)
    middle = backwards[len(backwards) // 2][1]
    assert [event for event, _ in events.backward(middle)] == [event for event, at in backwards if at < middle]
    assert events.torn() == len(torn)
    events.drop_torn()
    assert (events.torn(), list(events)) == (0, forwards)


def test_an_empty_journal_has_no_events(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_bytes(b"")
    events = Events(tmp_path)
    assert (list(events), list(events.backward()), events.torn(), events.first()) == ([], [], 0, None)


def test_what_is_after_a_mark_is_found_by_it(tmp_path: Path) -> None:
    events = write(tmp_path, 30)
    marks = [Mark()]
    for event, line in events.forward():
        marks.append(marks[-1].after(line, event.seq))
    for mark in marks:
        assert [event.seq for event, _ in events.forward(mark)] == list(range(mark.seq + 1, 31))
        assert events.crc(mark.offset) == mark.crc
    assert events.crc(marks[-1].offset + 1) is None


def test_damage_is_named_by_its_line_from_either_end(tmp_path: Path) -> None:
    events = write(tmp_path, 30)
    lines = events.path.read_bytes().splitlines(keepends=True)
    events.path.write_bytes(b"".join([*lines[:11], b"\0\n", *lines[12:]]))
    for read in (lambda: list(events), lambda: list(events.backward())):
        with pytest.raises(SessionError, match=r"line 12 of .*restore the file from a copy, or start a new run"):
            read()


def test_a_number_that_is_missing_is_damage(tmp_path: Path) -> None:
    events = write(tmp_path, 5)
    lines = events.path.read_bytes().splitlines(keepends=True)
    events.path.write_bytes(b"".join([*lines[:-1], lines[-1].replace(b'"seq":5', b'"seq":6')]))
    with pytest.raises(SessionError, match=r"line 5 of .*lines before it are missing"):
        list(events)


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "18446744073709551616",
        "-9223372036854775809",
        "1" * 400,
        "1e5",
        '"\\ud83d\\ude00"',
        '{"a":[1.5,"é"]}',
        "0.1",
    ],
)
def test_json_is_read_exactly(tmp_path: Path, text: str) -> None:
    """As Python's own reader does, whose whole numbers have no end."""
    value = json.loads(text)
    (tmp_path / "blobs").mkdir()
    journal = Journal(tmp_path)
    journal.append(Goals(goals=(), options={}))
    written = journal.append(Reply(stage="x", thoughts=value, command="c", args={}))
    journal.close()
    (_, read) = Events(tmp_path)
    assert read == written
    assert isinstance(read, Reply) and (read.thoughts, type(read.thoughts)) == (value, type(value))


def test_after_an_event_that_the_disk_refused_nothing_more_is_taken(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    journal = Journal(tmp_path)
    journal.append(Goals(goals=(), options={}))
    journal.sync()
    good, journal._file = journal._file, -1
    with pytest.raises(SessionError, match="cannot write the journal"):
        journal.append(Note(text="lost"))
    journal._file = good
    with pytest.raises(SessionError, match="cannot write the journal"):
        journal.append(Note(text="not taken"))
    journal.close()
    assert [event.seq for event in Events(tmp_path)] == [1]


def nested(levels: int) -> object:
    value: object = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "fields",
    [
        *({"thoughts": nested(levels)} for levels in (400, 420, 700, 5000)),
        {"args": []},
        {"stage": 3},
    ],
)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, fields: dict[str, Any]) -> None:
    events = write(tmp_path, 2)
    reply: dict[str, Any] = {"stage": "x", "thoughts": {}, "command": "c", "args": {}}
    before = events.path.read_bytes()
    journal = Journal(tmp_path)
    journal.replay(events)
    with pytest.raises(ValueError, match=r"levels|could not be read again"):
        journal.append(Reply(**{**reply, **fields}))
    assert events.path.read_bytes() == before and journal.seq == 2
    journal.append(Reply(**{**reply, "thoughts": nested(300)}))  # the control
    journal.close()
    assert [event.seq for event in Events(tmp_path)] == [1, 2, 3]


def test_ctrl_c_during_undo_stops_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 20_000)
    read, begun, judge = [0], threading.Event(), read_line

    def counted(line: bytes) -> Event:
        read[0] += 1
        begun.set()
        return judge(line)

    monkeypatch.setattr(reading, "read_line", counted)

    async def interrupted() -> None:
        registry = live_registry(commands_of(UndoCommands()), journal=Journal(tmp_path))
        undo: Any = registry.bind("undo", {}, agent="person")
        task = asyncio.create_task(undo.command.run(undo.command.owner, undo))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())  # waits for the thread
    assert 0 < read[0] < 20_000


def test_each_event_carries_the_clock_of_a_world_that_has_one(tmp_path: Path) -> None:
    ticks: list[int | None] = [None, 24_000, None]
    journal = Journal(tmp_path)
    journal.clock = lambda: ticks.pop(0)
    written = [journal.append(Goals(goals=(), options={})), *(journal.append(Note(text=text)) for text in "ab")]
    journal.close()
    assert [event.ticks for event in written] == [None, 24_000, None]
    assert ["ticks" in event.to_json() for event in written] == [False, True, False]
    assert list(Events(tmp_path)) == written


def test_an_event_is_read_by_the_types_of_its_fields() -> None:
    good = Feedback(text="use birch", seq=3, time=1.5, turn=2).to_json()
    assert Event.from_json(good) == Feedback.from_json(good) == Feedback(text="use birch", seq=3, time=1.5, turn=2)
    wrongs: dict[str, list[Any]] = {"text": [1], "by": [None], "seq": [-1, "1"], "t": [-1.0], "ticks": [0.5]}
    for wrong in ({name: value} for name, values in (wrongs | {"type": ["wish", []]}).items() for value in values):
        with pytest.raises(ValueError, match=r"cannot be that|of no known type"):
            Event.from_json({**good, **wrong})
    for name in ("seq", "t", "agent", "turn", "text"):
        with pytest.raises(ValueError, match=f"feedback: it has no {name}"):
            Event.from_json({key: value for key, value in good.items() if key != name})
    with pytest.raises(ValueError, match="another event was expected"):
        Note.from_json(good)


def test_no_field_of_a_line_can_stand_in_for_a_method() -> None:
    event = Event.from_json({**Note(text="x").to_json(), "to_json": 1, "type_": 2})
    assert event == Note(text="x") and callable(event.to_json)


@pytest.mark.parametrize("risk", [0, 1, "CHANGE", "network", True, [], 3, -1, None])
def test_a_risk_that_is_no_word_of_the_three_is_refused(risk: object) -> None:
    intent = Intent(id="", command="look", args={}, evidence={}).to_json()
    assert [Event.from_json(intent | {"risk": each.value}).to_json()["risk"] for each in Risk] == [
        "look",
        "change",
        "destroy",
    ]
    with pytest.raises(ValueError, match="its risk cannot be that"):
        Event.from_json(intent | {"risk": risk})


def test_an_event_can_name_its_bot(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    journal = Journal(tmp_path)
    written = [journal.append(Goals(goals=(), options={})), journal.append(Note(text="x", bot="Alex"))]
    journal.close()
    assert list(Events(tmp_path)) == written
    assert ["bot" in json.loads(line) for line in (tmp_path / "events.jsonl").open()] == [False, True]


def test_each_bot_hears_its_own_events_live_and_on_a_resume(tmp_path: Path) -> None:
    def opened() -> tuple[Journal, BotJournal, State, State, Snapshots]:
        journal = Journal(tmp_path)
        other, first, second = BotJournal(journal, "Ann2"), State(), State()
        journal.payers.append(first.pay)
        return journal, other, first, second, Snapshots(journal, {"state": first}, {"Ann2": {"state": second}})

    (tmp_path / "blobs").mkdir()
    journal, other, first, second, snapshots = opened()
    snapshots.replay(lambda: ())
    goal = Goal.parse("get 2 stick", ["stick"])
    journal.append(Goals(goals=(goal,), options={}))
    answer: dict[str, Any] = dict.fromkeys(("text", "finish_reason", "reasoning", "refusal"), "")
    answer |= {"tool_calls": [], "usage": Usage(7, 1), "cost": 0.5, "seconds": 1.0, "heard": 1, "role": "smart"}
    journal.turns["main"] = 1
    journal.append(Answer(**answer))
    for turn in (1, 2, 3):
        other.turns["main"] = turn
        assert other.append(Answer(**answer)).bot == "Ann2"
    intent = other.append(Intent(id="x", command="build", args={}, evidence={}))
    assert (intent.turn, other.seq, journal.seq) == (3, 6, 6)

    def check(first: State, second: State) -> None:
        assert (first.turns, second.turns, first.goals, second.goals) == (1, 3, (goal,), ())
        assert (first.totals.cost, second.totals.cost) == (2.0, 1.5), (
            "the first one pays for the run, the other for itself"
        )
        assert (list(first.open_intents), list(second.open_intents)) == ([], [6])

    check(first, second)
    snapshots.write()
    journal.close()
    for stored in (True, False):  # from the snapshot, and from the first event
        journal, other, first, second, snapshots = opened()
        snapshots.replay(lambda: ())
        check(first, second)
        assert (journal.turns, other.turns) == ({"main": 1}, {"main": 3})
        assert (journal.answers["smart"], other.answers["smart"]) == (1, 3), "each bot has a brain of its own"
        journal.close()
        (tmp_path / FILE).unlink(missing_ok=stored is False)
    alone, state = Journal(tmp_path), State()
    alone.payers.append(state.pay)
    Snapshots(alone, {"state": state}).replay(lambda: state.open_intents)
    assert state.turns == 1 and not state.open_intents, "a resume may have fewer bots"
    assert state.totals.cost == 2.0, "and still counts what the others have paid"
    alone.close()


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("place", [0, 3])
def test_a_journal_of_before_the_first_release_is_refused_in_one_line(tmp_path: Path, version: int, place: int) -> None:
    events = write(tmp_path, 5)
    lines = events.path.read_bytes().splitlines(keepends=True)
    lines[place] = lines[place].replace(b'"v":4', b'"v":%d' % version)
    events.path.write_bytes(b"".join(lines))
    why = rf"is from a build before the first release \(format {version}\).*; start a new run"
    for read in (lambda: list(events), lambda: list(events.backward())):
        with pytest.raises(SessionError, match=why):
            read()
