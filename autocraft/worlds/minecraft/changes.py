"""What the bot did to the world, kept in the session: blocks by the command that changed them, so that they can be put
back, and the server commands that it used.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

from autocraft.protocols import Json

_FIELDS = ("what", "x", "y", "z", "before", "after")


class Changes:
    """A file of one change a line: {"call", "what", "x", "y", "z", "before", "after"} or {"cheat"}.

    `told` is told, once, when the disk takes no more: that costs the undo after a resume, not the run.
    """

    def __init__(self, path: Path, told: Callable[[str], None] = lambda text: None) -> None:
        self._path = path
        self._told = told
        self._full = False
        self._blocks: list[Json] = []
        self.cheats = 0
        """Server commands that were used, in earlier runs of this session too."""
        with contextlib.suppress(OSError):
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                with contextlib.suppress(ValueError, RecursionError):  # a torn last line
                    self._take(json.loads(line))

    def add(self, call: str, event: Json) -> None:
        """Keep a block that the command `call` changed."""
        self._keep({"call": call, **{name: event[name] for name in _FIELDS}})

    def cheat(self, text: str) -> None:
        """Keep a server command."""
        self._keep({"cheat": text[:300]})

    def of(self, call: str) -> list[Json]:
        return [each for each in self._blocks if each["call"] == call]

    def placed(self) -> list[str]:
        """Where blocks stand that the bot placed, as "(x, y, z)"."""
        standing: dict[str, bool] = {}
        for each in self._blocks:
            standing[f"({each['x']}, {each['y']}, {each['z']})"] = each["what"] == "placed"
        return [place for place, there in standing.items() if there]

    def _take(self, change: object) -> None:
        if isinstance(change, dict) and "cheat" in change:
            self.cheats += 1
        elif isinstance(change, dict) and all(name in change for name in ("call", *_FIELDS)):
            self._blocks.append(change)

    def _keep(self, change: Json) -> None:
        self._take(change)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(change) + "\n")
        except OSError as error:
            if not self._full:
                self._full = True
                self._told(
                    f"{self._path} cannot be written ({error.strerror}): a resume does not know what was changed"
                )
