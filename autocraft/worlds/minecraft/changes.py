"""What the bot placed and broke, kept in the session by the command that did it, so that it can be put back.

Neighbours: `node/bot/journal.js` tells each change at once, `world.py` writes it here and puts it back for `/undo`.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from autocraft.protocols import Json


class Changes:
    """A file of one change a line: {"call", "what", "x", "y", "z", "before", "after"}."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._all: list[Json] = []
        with contextlib.suppress(OSError):
            for line in path.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):  # a torn last line
                    self._all.append(json.loads(line))

    def add(self, call: str, event: Json) -> None:
        """Keep it; a full disk costs the undo, not the run."""
        change = {"call": call, **{name: event[name] for name in ("what", "x", "y", "z", "before", "after")}}
        self._all.append(change)
        with contextlib.suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(change) + "\n")

    def of(self, call: str) -> list[Json]:
        return [each for each in self._all if each["call"] == call]

    def placed(self) -> list[str]:
        """Where blocks stand that the bot placed, as "(x, y, z)"."""
        standing: dict[str, bool] = {}
        for each in self._all:
            standing[f"({each['x']}, {each['y']}, {each['z']})"] = each["what"] == "placed"
        return [place for place, there in standing.items() if there]
