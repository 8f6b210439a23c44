"""A snapshot of the fold: what all events up to a place amount to, so that a resume need not read them again.

The journal stays the only truth. A snapshot counts only where the bytes of the journal before its mark have the very
sum that it names; one that is missing, damaged, of another autocraft or of another journal is passed over, and
everything is folded from the first event.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from autocraft import __version__
from autocraft.protocols import Json
from autocraft.session.atomic import sha256, write_atomic
from autocraft.session.events import Event
from autocraft.session.journal import Journal, encode
from autocraft.session.reading import Events, Mark, decode

FORMAT = 2
FILE = "snapshot.json"
EVERY = 5_000
"""Events between two snapshots; so many are folded in a fraction of a second."""
_UNFIT = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


class Kept(Protocol):
    """What can be told in plain values, and taken from them again."""

    def to_json(self) -> Json: ...

    def restore(self, data: Json) -> None:
        """Take what `to_json` gave. Raises ValueError, TypeError, LookupError or AttributeError for anything else."""
        ...


class Fold(Kept, Protocol):
    """What events amount to."""

    def apply(self, event: Event) -> None: ...


class Snapshots:
    """Folds the events of one run, and keeps the snapshot of its folds."""

    def __init__(self, journal: Journal, folds: Mapping[str, Fold]) -> None:
        self.path = journal.folder / FILE
        self.journal = journal
        self.folds = folds
        self._next: float = math.inf
        """The event after which the next one is due."""
        self._whole = True
        """Whether all folds took in every event; a fault of ours in one of them must not be kept for good."""

    def replay(self, pending: Callable[[], Iterable[int]]) -> None:
        """Bring journal and folds to where the run stood, and listen from then on. Raises SessionError.

        `pending` gives the intents that have no result yet, as the folds know them.
        """
        events = Events(self.journal.folder)
        self._restore(events)
        begun = self.journal.seq
        self.journal.listeners.append(self.apply)
        self.journal.replay(events, pending())
        self._next = begun + EVERY
        if self.journal.seq >= self._next:
            self.write()

    def apply(self, event: Event) -> None:
        """Fold one event in, and write a snapshot where it is time."""
        self._whole, whole = False, self._whole
        for fold in self.folds.values():
            fold.apply(event)
        self._whole = whole
        if event.seq >= self._next:
            self.write()

    def write(self) -> None:
        """Replace the snapshot by one of now. A disk that takes none costs time at a resume and nothing else."""
        mark = self.journal.mark
        self._next = mark.seq + EVERY
        if not self._whole:
            return
        kept = {name: each.to_json() for name, each in self._all().items()}
        told = {"format": FORMAT, "autocraft": __version__, "mark": [mark.offset, mark.crc, mark.seq], "folds": kept}
        with contextlib.suppress(OSError, RecursionError):
            body = encode(told)
            write_atomic(self.path, _sum(body) + b"\n" + body, mode=0o600, sync=False)

    def _all(self) -> Mapping[str, Kept]:
        return {"journal": self.journal, **self.folds}

    def _restore(self, events: Events) -> None:
        """Take the snapshot where it fits; otherwise everything stays as it was."""
        kept = read(self.path)
        if kept is None:
            return
        before = {name: each.to_json() for name, each in self._all().items()}
        try:
            offset, crc, seq = kept["mark"]
            if events.crc(offset) != crc:
                return
            for name, each in self._all().items():
                each.restore(kept["folds"][name])
            self.journal.mark = Mark(offset, crc, seq)
        except _UNFIT:
            for name, each in self._all().items():
                each.restore(before[name])


def read(path: Path) -> Json | None:
    """The snapshot as it was written; None where there is none of this format."""
    try:
        total, body = path.read_bytes().split(b"\n", 1)
        kept: Any = decode(body) if total == _sum(body) else None
        return kept if kept["format"] == FORMAT and kept["autocraft"] == __version__ else None
    except (OSError, *_UNFIT):
        return None


def _sum(body: bytes) -> bytes:
    return sha256(body).encode()
