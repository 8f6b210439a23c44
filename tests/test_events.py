"""Reading a journal from either end: the same events, whatever the size of a block."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.undo import UndoCommands
from autocraft.errors import SessionError
from autocraft.protocols import commands_of
from autocraft.session import reading as reading
from autocraft.session.journal import Journal
from autocraft.session.reading import Events, Mark, decode
from autocraft.session.shapes import fault_of
from autocraft.text.characters import well_formed
from tests.live import live_registry


def write(folder: Path, count: int, *, torn: bytes = b"") -> Events:
    (folder / "blobs").mkdir(exist_ok=True)
    journal = Journal(folder)
    journal.append("goal", goals=[], options={}, world=None, continuous=False)
    for number in range(1, count):
        journal.append("note", text="x" * (number * 37 % 500))
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
    assert [event["seq"] for event in forwards] == list(range(1, count + 1))
    assert [event for event, _ in backwards] == forwards[::-1]
    assert all(json.loads(data[offset:].split(b"\n")[0]) == event for event, offset in backwards)
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
        marks.append(marks[-1].after(line, event["seq"]))
    for mark in marks:
        assert [event["seq"] for event, _ in events.forward(mark)] == list(range(mark.seq + 1, 31))
        assert events.crc(mark.offset) == mark.crc
    assert events.crc(marks[-1].offset + 1) is None


def test_damage_is_named_by_its_line_from_either_end(tmp_path: Path) -> None:
    events = write(tmp_path, 30)
    lines = events.path.read_bytes().splitlines(keepends=True)
    events.path.write_bytes(b"".join([*lines[:11], b"\0\n", *lines[12:]]))
    for read in (lambda: list(events), lambda: list(events.backward())):
        with pytest.raises(SessionError, match=r"line 12 of .*restore the file from a copy, or start a new run"):
            read()


@pytest.mark.parametrize(
    "text",
    ["1", "18446744073709551616", "-9223372036854775809", "1" * 400, "1e5", '"\\ud83d"', '{"a":[1.5,"é"]}', "0.1"],
)
def test_json_is_read_exactly(text: str) -> None:
    """As Python's own reader does, whose whole numbers have no end; halves of characters are mended."""
    ours, theirs = decode(text.encode()), well_formed(json.loads(text))
    assert (ours, type(ours)) == (theirs, type(theirs))


def test_a_number_that_a_full_disk_used_up_may_be_missing(tmp_path: Path) -> None:
    """An older autocraft counted the event that was refused, and then wrote how the run ended."""
    events = write(tmp_path, 5)
    lines = events.path.read_bytes().splitlines(keepends=True)
    late = lines[-1].replace(b'"seq":5', b'"seq":6')
    events.path.write_bytes(b"".join([*lines[:-1], late]))
    assert [event["seq"] for event in events] == [1, 2, 3, 4, 6]
    events.path.write_bytes(b"".join([*lines[:-1], late.replace(b'"note"', b'"limit"')]))
    with pytest.raises(SessionError, match="lines before it are missing"):
        list(events)


def test_an_event_that_the_disk_refused_uses_up_no_number(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    journal = Journal(tmp_path)
    journal.append("goal", goals=[], options={}, world=None, continuous=False)
    journal.sync()
    good, journal._file = journal._file, -1
    with pytest.raises(SessionError, match="cannot write the journal"):
        journal.append("note", text="lost")
    journal._file = good
    journal.append("note", text="kept")
    journal.close()
    assert [event["seq"] for event in Events(tmp_path)] == [1, 2]


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
    reply: dict[str, Any] = {"ok": True, "stage": "x", "thoughts": {}, "command": "c", "args": {}}
    before = events.path.read_bytes()
    journal = Journal(tmp_path)
    journal.replay(events)
    with pytest.raises(ValueError, match=r"levels|could not be read again"):
        journal.append("reply", **{**reply, **fields})
    assert events.path.read_bytes() == before and journal.seq == 2
    journal.append("reply", **{**reply, "thoughts": nested(300)})  # the control
    journal.close()
    assert [event["seq"] for event in Events(tmp_path)] == [1, 2, 3]


def test_ctrl_c_during_undo_stops_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 20_000)
    read, begun, judge = [0], threading.Event(), fault_of

    def counted(event: dict[str, Any]) -> str:
        read[0] += 1
        begun.set()
        return judge(event)

    monkeypatch.setattr(reading, "fault_of", counted)

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
