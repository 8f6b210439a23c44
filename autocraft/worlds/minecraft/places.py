"""What the bot remembers of one world from run to run: chests, places of use and danger, its grave and its deaths."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic
from autocraft.session.fields import items

_VERSION = 1
_SHARED, _OWN = ("chests", "places"), ("grave", "deaths")


class Places:
    """A file with what was last known. A file that cannot be read or written is left out: the bot sees it all again.

    All bots on a server share the file, and each has a grave and deaths of its own in it, by the name of its `player`.
    """

    def __init__(self, path: Path, player: str = "") -> None:
        self._path = path
        self._player = player
        data = self._read()
        own = data["players"].get(player, {}) if "players" in data else data  # an older autocraft knew of one player
        self.facts: Json = _fields(data, _SHARED) | _fields(own, _OWN)
        """What the bot gets when it joins: the fields of an observation that are remembered."""

    @classmethod
    def of_server(cls, folder: Path, host: str, port: int, player: str) -> Places:
        """Return what is known of the world of a server. The server's own number of it tells whether it is still it."""
        return cls(folder / f"{re.sub('[^A-Za-z0-9.-]', '_', host)}_{port}.json", player)

    def update(self, observation: Json) -> None:
        """Store what an observation tells anew."""
        facts = _fields(observation, (*_SHARED, *_OWN))
        if facts == self.facts:
            return
        self.facts = facts
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            players = self._read().get("players", {}) | {self._player: _fields(facts, _OWN)}
            data = {"version": _VERSION, **_fields(facts, _SHARED), "players": players}
            write_atomic(self._path, json.dumps(data, separators=(",", ":")).encode(), mode=0o600, sync=False)

    def _read(self) -> Json:
        """Return what the file holds. Return {} if it cannot be read."""
        with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError):
            data: Json = json.loads(self._path.read_text(encoding="utf-8"))
            if data.get("version") == _VERSION and all(map(items, data.get("players", {}).values())):
                return data
        return {}


def _fields(data: Json, names: Iterable[str]) -> Json:
    return {name: data[name] for name in names if data.get(name)}
