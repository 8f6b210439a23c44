"""Reads a journal line by line, from either end, never all of it at once.

Every line is checked here, so that folds may rely on the fields of events. Damage of any kind raises SessionError with
the number of the line.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec

from autocraft.errors import OtherFormat, SessionError
from autocraft.protocols import Json
from autocraft.session.atomic import sha256
from autocraft.session.event import VERSION, read_line
from autocraft.session.events import Event, Goals, Intent, Result, Rewind
from autocraft.session.fields import DEEPEST, too_deep, whole
from autocraft.text.characters import well_formed

FILE = "events.jsonl"
BLOCK = 1 << 18
"""The number of bytes in one read."""
ADVICE = "restore the file from a copy, or start a new run"


class Mark(NamedTuple):
    """A place between two lines: the bytes before it, their CRC-32, and the number of the last event."""

    offset: int = 0
    crc: int = 0
    seq: int = 0

    def after(self, line: bytes, seq: int) -> Mark:
        return Mark(self.offset + len(line), zlib.crc32(line, self.crc), seq)


class Events:
    """The journal of the session in `folder`; reading it anew each time is cheap in memory.

    `most_text` is the most bytes of the long texts of one event, for the journal of a stranger. None does not count.
    """

    def __init__(self, folder: Path, most_text: int | None = None) -> None:
        self.folder = folder
        self._most_text = most_text
        self.path = folder / FILE

    def __iter__(self) -> Iterator[Event]:
        """Yield all events, the oldest first, without a torn last line."""
        return (event for event, _ in self.forward())

    def forward(self, start: Mark | None = None, pending: Iterable[int] = ()) -> Iterator[tuple[Event, bytes]]:
        """Yield each event after `start` with its line. `pending` are the intents without a result at `start`."""
        mark = start or Mark()
        offset, seq, waiting = mark.offset, mark.seq, set(pending)
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    event = self._read(line, offset)
                    self._check_order(event, offset, seq, waiting)
                    seq = event.seq
                    offset += len(line)
                    yield event, line
        except OSError as error:
            self._unreadable(error)

    def backward(self, end: int | None = None) -> Generator[tuple[Event, int], None, None]:
        """Yield each event before the byte `end` with its offset, the newest first. By default, yield all events."""
        for offset, line in self._lines_backward(end):
            yield self._read(line, offset), offset

    def first(self) -> Goals | None:
        """Return the first goals of the run. Return None if they were not written."""
        return next((event for event in self if isinstance(event, Goals)), None)

    def intent_of(self, result: Result, offset: int) -> Intent:
        """Return the intent of a result at `offset`. Raises SessionError."""
        events = (event for event, _ in self.backward(offset) if event.seq <= result.intent)
        intent = next(events, None)
        if not isinstance(intent, Intent) or intent.seq != result.intent:
            self._damaged(offset, "the intent of this result is missing")
        return intent

    def last_world(self, end: int | None = None) -> tuple[Json | None, int]:
        """Return the newest state of the world before the byte `end`, and its offset; None and 0 without one."""
        for event, offset in self.backward(end):
            if isinstance(event, (Goals, Result, Rewind)) and event.world:
                return event.world, offset
        return None, 0

    def world_before(self, seq: int) -> Json | None:
        """Return the state of the world before the event with this number. Return None without one."""
        offset = next((offset for event, offset in self.backward() if event.seq == seq), 0)
        return self.last_world(offset)[0]

    def crc(self, offset: int) -> int | None:
        """Return the CRC-32 of the bytes before `offset`. Return None if the journal is shorter."""
        crc = 0
        try:
            with self.path.open("rb") as file:
                while offset > 0:
                    block = file.read(min(offset, 4 * BLOCK))
                    if not block:
                        return None
                    crc = zlib.crc32(block, crc)
                    offset -= len(block)
        except OSError as error:
            self._unreadable(error)
        return crc

    def torn(self) -> int:
        """Return the length in bytes of an incomplete last line."""
        last = next(self._lines_backward(None), None)
        end = self.path.stat().st_size
        return end if last is None else end - (last[0] + len(last[1]) + 1)

    def drop_torn(self) -> None:
        """Cut off an incomplete last line."""
        torn = self.torn()
        if torn:
            os.truncate(self.path, self.path.stat().st_size - torn)

    def damaged_world(self, why: str) -> NoReturn:
        """Raise SessionError, because the world cannot restore its newest state."""
        _, offset = self.last_world()
        self._damaged(offset, f"its world cannot be read: {why}")

    # ------------------------------------------------------------ single lines

    def _lines_backward(self, end: int | None) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, line) of every complete line before `end`, the last first."""
        try:
            with self.path.open("rb") as file:
                position = file.seek(0, os.SEEK_END) if end is None else end
                rest, torn = b"", True
                while position > 0:
                    start = max(0, position - max(BLOCK, len(rest)))
                    file.seek(start)
                    block = file.read(position - start) + rest
                    rest, *lines = block.split(b"\n")
                    at = start + len(block)
                    for line in reversed(lines):
                        at -= len(line)
                        if not torn:
                            yield at, line
                        torn = False  # only the part after the last line end
                        at -= 1
                    position = start
                if not torn:
                    yield 0, rest
        except OSError as error:
            self._unreadable(error)

    def _read(self, line: bytes, offset: int) -> Event:
        """Return one event with its long texts. Raises SessionError for a damaged line, or one of another format."""
        try:
            deep = len(line) > DEEPEST and line.count(b"[") + line.count(b"{") > DEEPEST
            if not deep and b'"blobs"' not in line:
                return read_line(line)
            data = msgspec.json.decode(line)
            if too_deep(data):
                self._damaged(offset, "it is nested too deeply")
            if type(data) is not dict or "blobs" not in data:
                return read_line(line)
            self._check_format(data, offset)
            self._fetch_blobs(data, offset)
            return Event.from_json(data)
        except RecursionError:
            self._damaged(offset, "it is nested too deeply")
        except ValueError as fault:
            try:
                data = msgspec.json.decode(line)
            except (ValueError, RecursionError):
                self._damaged(offset, "it is not JSON")
            self._check_format(data, offset)
            self._damaged(offset, str(fault))

    def _check_format(self, event: Any, offset: int) -> None:
        """Raise SessionError for a line that is no event of this format, whatever else may be wrong with it."""
        if type(event) is not dict:
            self._damaged(offset, "it is not a JSON object")
        version = event.get("v")
        if not whole(version) or version == 0:
            self._damaged(offset, "it names no format")
        if version < VERSION:
            raise OtherFormat(
                f"session {self.folder.name} is from a build before the first release (format {version}), which cannot "
                "be read any more; start a new run"
            )
        if version > VERSION:
            raise OtherFormat(
                f"session {self.folder.name} was written by a newer autocraft (format {version}); update autocraft"
            )

    def _check_order(self, event: Event, offset: int, before: int, waiting: set[int]) -> None:
        """Raise SessionError if a line is lost, repeated or in the wrong place."""
        if offset == 0 and not (isinstance(event, Goals) and event.options is not None):
            self._damaged(offset, "a run begins with its goal")
        if event.seq <= before:
            self._damaged(offset, "it stands in the wrong place")
        if event.seq > before + 1:
            self._damaged(offset, "lines before it are missing")
        if isinstance(event, Intent):
            waiting.add(event.seq)
        elif isinstance(event, Result):
            if event.intent not in waiting:
                self._damaged(offset, "the intent of this result is missing")
            waiting.discard(event.intent)

    def _fetch_blobs(self, event: Json, offset: int) -> None:
        """Put the long texts back in place. Trust only the event's own list of blobs, never its contents."""
        blobs = event.pop("blobs")
        if type(blobs) is not list or any(type(each) is not list or len(each) != 2 for each in blobs):
            self._damaged(offset, "its list of blobs cannot be read")
        size = 0
        for path, name in blobs:
            if type(name) is not str or not re.fullmatch(r"[0-9a-f]{64}", name):
                self._damaged(offset, "the name of a blob in it is not 64 hexadecimal digits")
            holder, key = self._place(event, path, offset)
            try:
                data = (self.folder / "blobs" / name).read_bytes()
            except OSError:
                self._damaged(offset, f"the file blobs/{name} is lost")
            size += len(data)
            if self._most_text is not None and size > self._most_text:
                self._damaged(offset, f"its texts have more than {self._most_text:,} bytes")
            if sha256(data) != name:
                self._damaged(offset, f"the file blobs/{name} was changed")
            try:
                holder[key] = well_formed(data.decode("utf-8", "surrogatepass"))
            except UnicodeDecodeError:
                self._damaged(offset, f"the file blobs/{name} is not text")

    def _place(self, event: Json, path: Any, offset: int) -> tuple[Any, Any]:
        """Return the object or list that a blob's path leads to, and the key of the empty text in it."""
        holder: Any = event
        try:
            *parents, key = path
            for each in parents:
                holder = holder[each]
            there = type(holder) in (dict, list) and holder[key] == ""
        except (TypeError, ValueError, LookupError):
            there = False
        if not there:
            self._damaged(offset, "one of its blobs belongs to no field")
        return holder, key

    def _damaged(self, offset: int, why: str) -> NoReturn:
        with self.path.open("rb") as file:
            number, rest = 1, offset
            while rest > 0 and (block := file.read(min(rest, BLOCK))):
                number, rest = number + block.count(b"\n"), rest - len(block)
        raise SessionError(f"line {number} of {self.folder.name}/{FILE} is damaged ({why}); {ADVICE}") from None

    def _unreadable(self, error: OSError) -> NoReturn:
        why = error.strerror or error
        raise SessionError(f"cannot read the journal of session {self.folder.name}: {why}; {ADVICE}") from None
