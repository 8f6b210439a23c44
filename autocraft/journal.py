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
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from autocraft.durable import sync_folder, write_atomic
from autocraft.errors import SessionError
from autocraft.protocols import Json

VERSION = 1
TYPES = frozenset(
    ["goal", "answer", "reply", "question", "decision", "intent", "result", "feedback", "limit", "note", "end"]
)
BLOB_BYTES = 64 * 1024
"""A string longer than this is stored in `blobs/` by its hash, and the event holds a reference."""


class Journal:
    """Appends events to ``FOLDER/events.jsonl``. One writer at a time: the session's lock sees to that."""

    def __init__(self, folder: Path, *, durable: bool = False, secrets: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.durable = durable
        self.seq = 0
        self.turn = 0
        self.listeners: list[Callable[[Json], None]] = []
        self._secrets = [s.encode() for s in secrets if len(s) >= 8]
        self._file = os.open(folder / "events.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        sync_folder(folder)

    def append(self, type: str, *, agent: str = "main", sync: bool = False, **fields: Any) -> Json:
        """Write one event, tell the listeners, return it. Raises SessionError when the disk refuses it."""
        if type not in TYPES:
            raise ValueError(f"unknown event type {type!r}")
        self.seq += 1
        event = {"v": VERSION, "seq": self.seq, "t": round(time.time(), 3), "agent": agent, "turn": self.turn}
        event |= {"type": type, **fields}
        self._write(event)
        if sync or self.durable:
            self.sync()
        self.replay(event)
        return event

    def replay(self, event: Json) -> None:
        """Show an event that is already on disk to the listeners."""
        self.seq, self.turn = event["seq"], event["turn"]
        for listener in self.listeners:
            listener(event)

    def sync(self) -> None:
        """Make all that was written survive a power cut."""
        os.fsync(self._file)

    def close(self) -> None:
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1

    def _write(self, event: Json) -> None:
        line = encode(event)
        if len(line) > BLOB_BYTES:
            line = encode(self._store_blobs(event))
        for secret in self._secrets:
            line = line.replace(secret, b"[key removed]")
        try:
            written = os.write(self._file, line)
            if written != len(line):  # the disk is full: leave no half line for a later one to follow
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
                raise OSError("only a part of the line fits on the disk")
        except OSError as error:
            raise SessionError(
                f"cannot write the journal in {self.folder}: {error}; free some space, then resume"
            ) from error

    def _store_blobs(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._store_blobs(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._store_blobs(item) for item in value]
        if isinstance(value, str) and len(value) > BLOB_BYTES // 4:
            data = value.encode("utf-8", "surrogatepass")
            if len(data) > BLOB_BYTES:
                name = hashlib.sha256(data).hexdigest()
                path = self.folder / "blobs" / name
                if not path.exists():
                    write_atomic(path, data, mode=0o600)
                return {"$blob": name, "bytes": len(data)}
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


def _fetch_blobs(value: Any, folder: Path) -> Any:
    if isinstance(value, dict):
        if "$blob" in value:
            try:
                return (folder / "blobs" / str(value["$blob"])).read_bytes().decode("utf-8", "surrogatepass")
            except OSError:
                raise SessionError(f"session {folder.name} has lost the file blobs/{value['$blob']}") from None
        return {key: _fetch_blobs(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_fetch_blobs(item, folder) for item in value]
    return value


def tail(events: list[Json], type: str) -> Iterator[Json]:
    """The events of one type, newest first."""
    return (event for event in reversed(events) if event["type"] == type)
