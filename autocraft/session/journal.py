"""The journal: every event of a run, one JSON line each, written before anything else sees it.

`append` writes an event at once with one system call, so it survives kill -9. It syncs the event to disk if the caller
asks for it, and always with `durable`. Listeners (`agent/state.py`, `agent/transcript.py`, `console/`) then see the
event exactly as it was written, live and on resume.
"""

from __future__ import annotations

import contextlib
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from autocraft.errors import SessionError
from autocraft.protocols import Json
from autocraft.session.atomic import append_whole, next_step, sha256, sync_folder, write_atomic
from autocraft.session.events import Answer, Event, Expense, Note
from autocraft.session.fields import too_deep
from autocraft.session.reading import FILE, Events, Mark
from autocraft.text.characters import well_formed
from autocraft.text.redact import Mask

E = TypeVar("E", bound=Event)
BLOB_BYTES = 64 * 1024
"""A longer string is stored in `blobs/` by its hash, and the event holds a reference."""


class Journal:
    """Appends events to ``FOLDER/events.jsonl``. The lock of the session makes it the only writer."""

    bot = ""
    """The bot whose events it writes; empty for the first one."""

    def __init__(self, folder: Path, *, durable: bool = False, mask: Mask | None = None) -> None:
        self.folder = folder
        self.mask = mask or Mask()
        """Cuts the secrets out of every event."""
        self.durable = durable
        self.mark = Mark()
        """The place where the next line begins."""
        self.turns = {"main": 0}
        """Agent -> the number of its last answer; the person acts in the main agent's turn."""
        self.answers: Counter[str] = Counter()
        """The number of answers of each role of this bot's brain."""
        self.clock: Callable[[], int | None] = lambda: None
        """Returns the world's time in game ticks; None if the world has no clock."""
        self.listeners: list[Callable[[Event], None]] = []
        """Functions that must see every event: those of state and transcript."""
        self.viewers: list[Callable[[Event], None]] = []
        """Functions that show events. One that fails is dropped, and the run goes on."""
        self.bots: dict[str, BotJournal] = {}
        """The bots beside the first, by name. An event that names one reaches its listeners alone."""
        self.payers: list[Callable[[Event], None]] = []
        """Functions that also see each event of another bot than the first, also of one that a resume leaves out."""
        self._fault: SessionError | None = None
        """Why nothing more is written: after an event that is lost, nothing that comes later would be true."""
        try:
            self._file = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            sync_folder(folder)
        except OSError as error:
            step = next_step(error, "check its permissions")
            raise SessionError(f"cannot write in {folder}: {error.strerror}; {step}") from None

    def append(self, event: E, *, sync: bool = False) -> E:
        """Write one event and call the listeners. Return the event as it was written.

        This sets its number, time, turn and ticks. Raises SessionError if the disk refuses it; the listeners then never
        see it, and the journal takes nothing more.
        """
        own = self.bots.get(event.bot, self)
        turn = own.turns.get(event.agent, own.turns["main"])
        now = round(time.time(), 3)
        data = self._masked(replace(event, seq=self.seq + 1, time=now, turn=turn, ticks=own.clock()))
        try:
            copy = type(event).from_json(data)
        except ValueError as fault:
            raise ValueError(f"an event that could not be read again: {fault}") from None
        line = self._write(data)
        if sync or self.durable:
            self.sync()
        self.mark = self.mark.after(line, copy.seq)
        self._tell(copy)
        self._show(copy)
        return copy

    @property
    def seq(self) -> int:
        """Return the number of the last event."""
        return self.mark.seq

    def replay(self, events: Events, pending: Iterable[int] = ()) -> None:
        """Call the listeners with the events after the mark, and cut off a torn last line. Raises SessionError.

        `pending` are the intents without a result at the mark.
        """
        for event, line in events.forward(self.mark, pending):
            self.mark = self.mark.after(line, event.seq)
            self._tell(event)
        events.drop_torn()

    def _tell(self, event: Event) -> None:
        for listener in self.payers if event.bot else ():
            listener(event)
        own = self.bots.get(event.bot) if event.bot else self
        if own is None:  # a resume may have fewer bots
            return
        if isinstance(event, Answer):
            own.turns[event.agent] = event.turn
            own.answers[event.asked_as] += 1
        elif isinstance(event, Expense) and event.role:
            own.answers[event.role] += 1
        for listener in own.listeners:
            listener(event)

    def to_json(self) -> Json:
        return {"turns": dict(self.turns), "answers": dict(self.answers)}

    def restore(self, data: Json) -> None:
        """Take over what `to_json` returned."""
        self.turns = dict(data["turns"])
        answers = dict(data["answers"])
        self.answers.clear()  # the scripted brain holds this object
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
        """Make all events survive a power cut. Raises SessionError."""
        with self._disk_errors():
            os.fsync(self._file)

    @contextlib.contextmanager
    def _disk_errors(self) -> Iterator[None]:
        """Raise SessionError for an error of the disk, now and at each later call."""
        if self._fault is not None:
            raise self._fault
        try:
            yield
        except OSError as error:
            step = next_step(error, "check the disk or free some space")
            why = f"cannot write the journal in {self.folder}: {error.strerror or error}; {step}, then resume"
            self._fault = SessionError(why)
            raise self._fault from error

    def close(self) -> None:
        if self._file >= 0:
            try:
                if self._fault is None:
                    self.sync()
            finally:
                file, self._file = self._file, -1
                os.close(file)

    def _masked(self, event: Event) -> Json:
        """Return the JSON of the event with half characters mended and every secret cut out of its values.

        Raises ValueError for an event that is nested too deeply to be read again.
        """
        try:
            data = event.to_json()
        except RecursionError:
            data = None
        if data is None or too_deep(data):
            raise ValueError(f"an event of type {event.type} has too many levels")
        return {name: self.mask.value(value) for name, value in well_formed(data).items()}

    def _write(self, event: Json) -> bytes:
        """Write the line of an event, completely or not at all, and return it. Raises SessionError."""
        line = encode(event)
        with self._disk_errors():
            if len(line) > BLOB_BYTES:
                blobs: list[Any] = []
                short = self._store_blobs(event, [], blobs)
                line = encode({**short, "blobs": blobs} if blobs else short)
            append_whole(self._file, line)
        return line

    def _store_blobs(self, value: Any, path: list[str | int], blobs: list[Any]) -> Any:
        """Return `value` with its long strings stored and emptied. Add (path of keys, name) of each to `blobs`."""
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


class BotJournal(Journal):
    """The journal as one of several bots has it: its events name the bot, and its listeners hear of no other."""

    def __init__(self, whole: Journal, bot: str) -> None:
        self.whole = whole
        self.bot = bot
        self.folder, self.mask, self.durable = whole.folder, whole.mask, whole.durable
        self.viewers = whole.viewers
        self.answers, self.turns, self.clock, self.listeners = Counter(), {"main": 0}, lambda: None, []
        whole.bots[bot] = self

    def append(self, event: E, *, sync: bool = False) -> E:
        """Write one event of this bot, as `Journal.append` does."""
        return self.whole.append(replace(event, bot=self.bot), sync=sync)

    @property
    def seq(self) -> int:
        return self.whole.seq

    def sync(self) -> None:
        self.whole.sync()

    def close(self) -> None:
        """Do nothing: the whole journal is closed by the run."""


def encode(event: Json) -> bytes:
    """Return one line of JSON."""
    return msgspec.json.encode(event) + b"\n"
