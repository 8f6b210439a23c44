"""The journal: every event of a run, one JSON line each, written before anything else knows of it.

An event is ``{v, seq, t, agent, turn, type, …}``. `append` writes it at once with one system call, so it survives
kill -9; it is synced to disk where the caller says so, or always with `durable`. Listeners (`state.py`,
`transcript.py`, `console/`) then see the very event that was written, live and on resume alike.
Neighbours: `session.py` owns the folder, `state.py` folds the events.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from autocraft.durable import sync_folder, write_atomic
from autocraft.errors import SessionError
from autocraft.masking import Mask
from autocraft.protocols import Json

VERSION = 1
TYPES = frozenset(
    ["goal", "answer", "reply", "question", "decision", "intent", "result", "feedback", "limit", "note", "end"]
)
BLOB_BYTES = 64 * 1024
"""A string longer than this is stored in `blobs/` by its hash, and the event holds a reference."""


class Journal:
    """Appends events to ``FOLDER/events.jsonl``. One writer at a time: the session's lock sees to that."""

    def __init__(self, folder: Path, *, durable: bool = False, mask: Mask | None = None) -> None:
        self.folder = folder
        self.mask = mask or Mask()
        """Cuts the secrets out of all that is written."""
        self.durable = durable
        self.seq = 0
        self.turns = {"main": 0}
        """Agent -> the number of its last answer; the person acts in the main agent's turn."""
        self.listeners: list[Callable[[Json], None]] = []
        """Who must see every event: state and transcript."""
        self.viewers: list[Callable[[Json], None]] = []
        """Who shows events; one that fails is dropped, and the run goes on."""
        try:
            self._file = os.open(folder / "events.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            sync_folder(folder)
        except OSError as error:
            raise SessionError(f"cannot write in {folder}: {error.strerror}; check its permissions") from None

    def append(self, type: str, *, agent: str = "main", sync: bool = False, **fields: Any) -> Json:
        """Write one event, tell the listeners, return it. Raises SessionError when the disk refuses it."""
        if type not in TYPES:
            raise ValueError(f"unknown event type {type!r}")
        self.seq += 1
        turn = self.turns.get(agent, self.turns["main"])
        event = {"v": VERSION, "seq": self.seq, "t": round(time.time(), 3), "agent": agent, "turn": turn}
        event |= {"type": type, **fields}
        event = self._write(event)
        if sync or self.durable:
            self.sync()
        self.replay(event)
        self._show(event)
        return event

    def replay(self, event: Json) -> None:
        """Show an event that is already on disk to the listeners."""
        self.seq = event["seq"]
        if event["type"] == "answer":
            self.turns[event["agent"]] = event["turn"]
        for listener in self.listeners:
            listener(event)

    def _show(self, event: Json) -> None:
        for viewer in list(self.viewers):
            try:
                viewer(event)
            except Exception:
                self.viewers.remove(viewer)
                self.append("note", text="the screen failed and is not drawn any more", trace=traceback.format_exc())

    def sync(self) -> None:
        """Make all that was written survive a power cut."""
        os.fsync(self._file)

    def close(self) -> None:
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1

    def _write(self, event: Json) -> Json:
        """Write the event with every secret cut out of it, and return it as written."""
        event = self.mask.value(event)
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
        return event

    def _store_blobs(self, value: Any, path: list[str | int], blobs: list[Any]) -> Any:
        """`value` with its long strings emptied and stored; `blobs` gets (path of keys, name) for each."""
        if isinstance(value, dict):
            return {key: self._store_blobs(item, [*path, key], blobs) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._store_blobs(item, [*path, at], blobs) for at, item in enumerate(value)]
        if isinstance(value, str) and len(value) > BLOB_BYTES // 4:
            data = value.encode("utf-8", "surrogatepass")
            if len(data) > BLOB_BYTES:
                name = hashlib.sha256(data).hexdigest()
                file = self.folder / "blobs" / name
                if not file.exists():
                    write_atomic(file, data, mode=0o600)
                blobs.append([path, name])
                return ""
        return value


def encode(event: Json) -> bytes:
    """One line of JSON. What orjson cannot hold (lone surrogates, integers over 64 bits) goes the slow way."""
    try:
        return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return json.dumps(event, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def read_events(folder: Path) -> tuple[list[Json], int]:
    """All events of a session and the length in bytes of a torn last line (0 when whole).

    Raises SessionError when a line before the last is damaged, or a newer autocraft wrote the file.
    """
    try:
        data = (folder / "events.jsonl").read_bytes()
    except OSError as error:
        raise SessionError(f"cannot read the journal of session {folder.name}: {error.strerror}") from None
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].splitlines()
    events = []
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
            version = event["v"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise SessionError(
                f"line {number} of {folder.name}/events.jsonl is damaged; restore the file from a copy"
            ) from None
        if version > VERSION:
            raise SessionError(
                f"session {folder.name} was written by a newer autocraft (format {version}); update autocraft"
            )
        events.append(_fetch_blobs(event, folder))
    return events, len(data) - whole


def drop_torn_line(folder: Path, length: int) -> None:
    """Cut the last `length` bytes, which never became a whole event, off the journal."""
    path = folder / "events.jsonl"
    os.truncate(path, path.stat().st_size - length)


def _fetch_blobs(event: Json, folder: Path) -> Json:
    """Put the long strings back where they were. Only this event's own list is believed, never its contents."""
    for path, name in event.pop("blobs", []):
        if not re.fullmatch(r"[0-9a-f]{64}", str(name)):
            raise SessionError(f"session {folder.name} names the blob {str(name)[:80]!r}, which is none of ours")
        try:
            text = (folder / "blobs" / name).read_bytes().decode("utf-8", "surrogatepass")
        except OSError:
            raise SessionError(f"session {folder.name} has lost the file blobs/{name}") from None
        holder: Any = event
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = text
    return event
