"""What the bot remembers of one world from run to run: chests, places of use and danger, its grave and its deaths."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic

_VERSION = 1
_FIELDS = ("chests", "places", "grave", "deaths")


class Places:
    """A file with what was last known. A file that cannot be read or written is left out: the bot sees it all again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.facts: Json = {}
        """What the bot gets when it joins: the fields of an observation that are remembered."""
        with contextlib.suppress(OSError, ValueError, RecursionError):
            data = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(data, dict) and data.get("version") == _VERSION:
                self.facts = {name: data[name] for name in _FIELDS if name in data}

    @classmethod
    def of_server(cls, folder: Path, host: str, port: int) -> Places:
        """Return what is known of the world of a server. The server's own number of it tells whether it is still it."""
        return cls(folder / f"{re.sub('[^A-Za-z0-9.-]', '_', host)}_{port}.json")

    def update(self, observation: Json) -> None:
        """Store what an observation tells anew."""
        facts = {name: observation[name] for name in _FIELDS if observation.get(name)}
        if facts == self.facts:
            return
        self.facts = facts
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            data = json.dumps({"version": _VERSION, **facts}, separators=(",", ":")).encode()
            write_atomic(self._path, data, mode=0o600, sync=False)
