"""What the bot remembers of one world from run to run: chests, places of use and danger, its grave and its deaths."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autocraft.protocols import Json
from autocraft.session.atomic import alone_in, write_atomic
from autocraft.session.fields import whole

_VERSION = 1
_SHARED, _OWN = ("chests", "places"), ("grave", "deaths")


class Places:
    """A file with what was last known. A file that cannot be read or written is left out: the bot sees it all again.

    All bots on a server share the file, and each has a grave and deaths of its own in it, by the name of its `player`.
    """

    def __init__(self, path: Path, player: str = "") -> None:
        self._path = path
        self._player = player
        data = self._read() or {}
        own = data["players"].get(player, {}) if "players" in data else data  # an older autocraft knew of one player
        self.facts: Json = _fields(data, _SHARED) | _fields(own, _OWN)
        """What the bot gets when it joins: the fields of an observation that are remembered."""

    @classmethod
    def of_server(cls, folder: Path, host: str, port: int, player: str) -> Places:
        """Return what is known of the world of a server. The server's own number of it tells whether it is still it."""
        return cls(folder / f"{re.sub('[^A-Za-z0-9.-]', '_', host)}_{port}.json", player)

    def update(self, observation: Json) -> None:
        """Store what an observation tells anew, beside what the other bots have stored meanwhile."""
        facts = _fields(observation, (*_SHARED, *_OWN))
        if facts == self.facts:
            return
        before, self.facts = self.facts, facts
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with alone_in(self._path.parent):
                stored = self._read()
                if stored is None:
                    return
                players = stored.get("players", {}) | {self._player: _fields(facts, _OWN)}
                data = {"version": _VERSION, **_joined(stored, before, facts), "players": players}
                write_atomic(self._path, json.dumps(data, separators=(",", ":")).encode(), mode=0o600, sync=False)

    def _read(self) -> Json | None:
        """Return what the file holds: {} if it cannot be read, None if a newer autocraft has written it."""
        with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError, TypeError):
            data: Json = json.loads(self._path.read_text(encoding="utf-8"))
            version: Any = data.get("version")
            if whole(version) and version > _VERSION:
                return None
            _each(data)
            if version == _VERSION and all(type(player) is dict for player in data.get("players", {}).values()):
                return data
        return {}


def _joined(stored: Json, before: Json, facts: Json) -> Json:
    """Return the chests and places of `facts`, with what is stored of each that is in them as it was `before`."""
    world = facts.get("places", {}).get("world")
    same = stored.get("places", {}).get("world", world) == world
    known, mine = _each(before), _each(facts)
    theirs = {key: value for key, value in _each(stored).items() if same and known.get(key) == mine.get(key)}
    chests = {name: value for (dimension, name, *_), value in (mine | theirs).items() if not dimension}
    places: Json = {}
    for (dimension, name, *_), value in (mine | theirs).items():
        if dimension:
            places.setdefault(dimension, {}).setdefault(name, []).append(value)
    return _fields({"chests": chests, "places": facts.get("places") and {"world": world, "all": places}}, _SHARED)


def _each(facts: Json) -> dict[tuple[Any, ...], Any]:
    """Return the content of each chest by ("", its place), and each place by (dimension, block, x, y, z)."""
    chests = {("", at): content for at, content in facts.get("chests", {}).items()}
    places = facts.get("places", {}).get("all", {}).items()
    return chests | {
        (world, name, *at): at for world, blocks in places for name, known in blocks.items() for at in known
    }


def _fields(data: Json, names: Iterable[str]) -> Json:
    return {name: data[name] for name in names if data.get(name)}
