"""A snapshot of the fold of all events up to a place, so that a resume need not read them again.

The journal stays the only truth. A snapshot counts only if it names the checksum of the journal's bytes before its
mark. One that is missing, damaged, of another autocraft or of another journal is ignored, and all events are folded
from the first.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from autocraft import __version__
from autocraft.protocols import Json
from autocraft.session.atomic import sha256, write_atomic
from autocraft.session.events import Event
from autocraft.session.journal import Journal, encode
from autocraft.session.reading import Events, Mark

FORMAT = 6
FILE = "snapshot.json"
EVERY = 5_000
"""Events between two snapshots. Folding so many takes a fraction of a second."""
_UNFIT = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


class Storable(Protocol):
    """A fold or journal that can be written as plain values and restored from them."""

    def to_json(self) -> Json: ...

    def restore(self, data: Json) -> None:
        """Take over what `to_json` returned. Raises ValueError, TypeError, LookupError or AttributeError otherwise."""
        ...


class Fold(Storable, Protocol):
    """The fold of events into a value."""

    def apply(self, event: Event) -> None: ...


class Snapshots:
    """Folds the events of one run, and writes snapshots of the folds.

    `folds` are those of the first bot. `others` are those of each bot beside it, by its name.
    """

    def __init__(
        self, journal: Journal, folds: Mapping[str, Fold], others: Mapping[str, Mapping[str, Fold]] | None = None
    ) -> None:
        self.path = journal.folder / FILE
        self.journal = journal
        self.folds = {"": folds, **(others or {})}
        self._parts: dict[str, Storable] = {"journal": journal, **folds}
        for bot, own in (others or {}).items():
            self._parts |= {
                f"{bot} journal": journal.bots[bot],
                **{f"{bot} {name}": fold for name, fold in own.items()},
            }
        self._next: float = math.inf
        """The number of the event after which the next snapshot is due."""
        self._whole = True
        """Whether all folds took in every event. A bug in a fold must not be stored for good."""

    def replay(self, pending: Callable[[], Iterable[int]]) -> None:
        """Fold the journal, and listen to new events. Raises SessionError.

        `pending` returns the intents without a result, as the folds know them.
        """
        events = Events(self.journal.folder)
        self._restore(events)
        start = self.journal.seq
        for each in (self.journal, *self.journal.bots.values()):
            each.listeners.append(self.apply)
        self.journal.replay(events, pending())
        self._next = start + EVERY
        if self.journal.seq >= self._next:
            self.write()

    def apply(self, event: Event) -> None:
        """Fold in one event, and write a snapshot if one is due."""
        self._whole, whole = False, self._whole
        for fold in self.folds[event.bot].values():
            fold.apply(event)
        self._whole = whole
        if event.seq >= self._next:
            self.write()

    def write(self) -> None:
        """Replace the snapshot. If the disk refuses it, only the next resume takes longer."""
        mark = self.journal.mark
        self._next = mark.seq + EVERY
        if not self._whole:
            return
        folds = {name: fold.to_json() for name, fold in self._parts.items()}
        data = {"format": FORMAT, "autocraft": __version__, "mark": [mark.offset, mark.crc, mark.seq], "folds": folds}
        with contextlib.suppress(OSError, RecursionError):
            body = encode(data)
            write_atomic(self.path, _sum(body) + b"\n" + body, mode=0o600, sync=False)

    def _restore(self, events: Events) -> None:
        """Restore the snapshot if it fits. Otherwise change nothing."""
        data = read(self.path)
        if data is None:
            return
        before = {name: fold.to_json() for name, fold in self._parts.items()}
        try:
            offset, crc, seq = data["mark"]
            if events.crc(offset) != crc:
                return
            for name, fold in self._parts.items():
                fold.restore(data["folds"][name])
            self.journal.mark = Mark(offset, crc, seq)
        except _UNFIT:
            for name, fold in self._parts.items():
                fold.restore(before[name])


def read(path: Path) -> Json | None:
    """Return the snapshot. Return None if there is none of this format and version, or it is damaged."""
    try:
        total, body = path.read_bytes().split(b"\n", 1)
        data: Any = msgspec.json.decode(body) if total == _sum(body) else None
        return data if data["format"] == FORMAT and data["autocraft"] == __version__ else None
    except (OSError, *_UNFIT):
        return None


def _sum(body: bytes) -> bytes:
    return sha256(body).encode()
