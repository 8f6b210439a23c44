"""The journal: every event of a run, one JSON line each, written before anything else knows of it.

`append` writes an event at once with one system call, so it survives kill -9; it is synced to disk where the caller
says so, or always with `durable`. Listeners (`agent/state.py`, `agent/transcript.py`, `console/`) then see the very
event that was written, live and on resume alike.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import orjson

from autocraft.errors import SessionError
from autocraft.protocols import Json
from autocraft.session.atomic import next_step, sha256, sync_folder, write_atomic
from autocraft.session.events import Answer, Event, Note
from autocraft.session.fields import too_deep
from autocraft.session.reading import FILE, Events, Mark
from autocraft.text.characters import well_formed
from autocraft.text.redact import Mask

E = TypeVar("E", bound=Event)
BLOB_BYTES = 64 * 1024
"""A string longer than this is stored in `blobs/` by its hash, and the event holds a reference."""


class Journal:
    """Appends events to ``FOLDER/events.jsonl``. One writer at a time: the session's lock sees to that."""

    def __init__(self, folder: Path, *, durable: bool = False, mask: Mask | None = None) -> None:
        self.folder = folder
        self.mask = mask or Mask()
        """Cuts the secrets out of all that is written."""
        self.durable = durable
        self.mark = Mark()
        """Where the next line begins."""
        self.turns = {"main": 0}
        """Agent -> the number of its last answer; the person acts in the main agent's turn."""
        self.answers: Counter[str] = Counter()
        """How many answers each role of the brain has given."""
        self.clock: Callable[[], int | None] = lambda: None
        """Tells the world's time in game ticks; None where the world has no clock."""
        self.listeners: list[Callable[[Event], None]] = []
        """Who must see every event: state and transcript."""
        self.viewers: list[Callable[[Event], None]] = []
        """Who shows events; one that fails is dropped, and the run goes on."""
        try:
            self._file = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            sync_folder(folder)
        except OSError as error:
            step = next_step(error, "check its permissions")
            raise SessionError(f"cannot write in {folder}: {error.strerror}; {step}") from None

    def append(self, event: E, *, sync: bool = False) -> E:
        """Write one event, tell the listeners, return it as it was written.

        Its number, time, turn and ticks are set here. Raises SessionError when the disk refuses it.
        """
        turn = self.turns.get(event.agent, self.turns["main"])
        stamps: Json = {"seq": self.seq + 1, "t": round(time.time(), 3), "turn": turn}
        ticks = self.clock()
        if ticks is not None:
            stamps["ticks"] = ticks
        data = self._masked(event.to_json() | stamps)
        try:
            written = type(event).from_json(data)
        except ValueError as fault:
            raise ValueError(f"an event that could not be read again: {fault}") from None
        self._write(data)
        if sync or self.durable:
            self.sync()
        self._tell(written)
        self._show(written)
        return written

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self.mark.seq

    def replay(self, events: Events, pending: Iterable[int] = ()) -> None:
        """Tell the listeners of the events after the mark, and drop a torn last line. Raises SessionError.

        `pending` are the intents that have no result at the mark.
        """
        for event, line in events.forward(self.mark, pending):
            self.mark = self.mark.after(line, event.seq)
            self._tell(event)
        events.drop_torn()

    def _tell(self, event: Event) -> None:
        if isinstance(event, Answer):
            self.turns[event.agent] = event.turn
            self.answers["smart" if event.agent == "main" else "fast"] += 1
        for listener in self.listeners:
            listener(event)

    def to_json(self) -> Json:
        return {"turns": dict(self.turns), "answers": dict(self.answers)}

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave."""
        self.turns = dict(data["turns"])
        answers = dict(data["answers"])
        self.answers.clear()  # the scripted brain holds on to it
        self.answers.update(answers)

    def _show(self, event: Event) -> None:
        for viewer in list(self.viewers):
            try:
                viewer(event)
            except Exception:  # noqa: BLE001 - a screen that fails must not end the run
                self.viewers.remove(viewer)
                text = "the screen failed and is not drawn any more"
                self.append(Note(text=text, trace=traceback.format_exc()))

    def sync(self) -> None:
        """Make all that was written survive a power cut."""
        os.fsync(self._file)

    def close(self) -> None:
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1

    def _masked(self, event: Json) -> Json:
        """Return the event with halves of characters mended and every secret cut out of the values of its fields.

        Raises ValueError for one that is nested too deeply to be read again.
        """
        if too_deep(event):
            raise ValueError(f"an event of type {event['type']} has too many levels")
        return {name: self.mask.value(value) for name, value in well_formed(event).items()}

    def _write(self, event: Json) -> None:
        line = encode(event)
        if len(line) > BLOB_BYTES:
            blobs: list[Any] = []
            short = self._store_blobs(event, [], blobs)
            line = encode({**short, "blobs": blobs} if blobs else short)
        try:
            written = os.write(self._file, line)
            if written != len(line):  # the disk is full: leave no half line for a later one to follow
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
                raise OSError("only a part of the line fits on the disk")
        except OSError as error:
            raise SessionError(
                f"cannot write the journal in {self.folder}: {error}; free some space, then resume"
            ) from error
        self.mark = self.mark.after(line, event["seq"])

    def _store_blobs(self, value: Any, path: list[str | int], blobs: list[Any]) -> Any:
        """`value` with its long strings emptied and stored; `blobs` gets (path of keys, name) for each."""
        if isinstance(value, dict):
            return {key: self._store_blobs(item, [*path, key], blobs) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._store_blobs(item, [*path, at], blobs) for at, item in enumerate(value)]
        if isinstance(value, str) and len(value) > BLOB_BYTES // 4:
            data = value.encode()
            if len(data) > BLOB_BYTES:
                name = sha256(data)
                file = self.folder / "blobs" / name
                if not file.exists():
                    write_atomic(file, data, mode=0o600)
                blobs.append([path, name])
                return ""
        return value


def encode(event: Json) -> bytes:
    """One line of JSON. What orjson cannot hold (integers over 64 bits) goes the slow way."""
    try:
        return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return json.dumps(event, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
