"""What servers say of their tools, and the record of what they said when the person let them in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from autocraft.errors import UsageError
from autocraft.protocols import Json
from autocraft.session.atomic import alone_in, sha256, write_atomic
from autocraft.session.folder import private_folder

VERSION = 2
_READ = (1, VERSION)
"""The versions that can be read. In the first one nobody was asked whether a server is to be confined."""
MOST_TOOLS = 100
MOST_CHARACTERS = 20_000
"""The most characters of one definition. A longer one is left out."""


@dataclass(frozen=True)
class Definition:
    """A tool as its server describes it."""

    name: str
    description: str
    schema: Json

    @cached_property
    def text(self) -> str:
        return json.dumps([self.name, self.description, self.schema], sort_keys=True)

    @cached_property
    def sha256(self) -> str:
        return sha256(self.text.encode())


class Pins:
    """The file of the definitions that are offered, by server, and of those that a server has now.

    A server is its name and its source. What it says later does not change what is offered, until the person agrees.
    """

    def __init__(self, root: Path) -> None:
        self._file = root / "mcp_tools.json"

    def offer(self, server: str, source: str) -> dict[str, Definition] | None:
        """Return the definitions that are offered, by name. Return None for a server that was never seen."""
        return _definitions(self._entry(server, source).get("pinned"))

    def found(self, server: str, source: str) -> dict[str, Definition] | None:
        """Return what the server said when it was last started. Return None if that is what is pinned."""
        return _definitions(self._entry(server, source).get("found"))

    def confined(self, server: str, source: str) -> bool:
        """Tell whether the person wanted the server confined when it was first seen."""
        return bool(self._entry(server, source).get("confined"))

    def pin(self, server: str, source: str, tools: Mapping[str, Definition], *, confined: bool | None = None) -> None:
        """Pin the tools. `confined` is the person's answer, and None keeps the one that is there."""
        self._write(server, source, {"pinned": _rows(tools)}, confined)

    def note(self, server: str, source: str, tools: Mapping[str, Definition]) -> None:
        """Note what the server says now, if it differs from what is pinned."""
        pins = self.offer(server, source)
        entry = {"pinned": _rows(pins or {})}
        self._write(server, source, entry if pins == dict(tools) else entry | {"found": _rows(tools)})

    def _entry(self, server: str, source: str) -> Json:
        entry = self._read().get(f"{server}:{source}")
        return entry if isinstance(entry, dict) else {}

    def _read(self) -> Json:
        """Return the entries by server. Raises UsageError if the file cannot be read."""
        try:
            data = json.loads(self._file.read_bytes())
            version, servers = data["version"], dict(data["servers"])
            for entry in servers.values() if version in _READ else ():
                list(map(_definitions, (entry.get("pinned"), entry.get("found"))))
                if not isinstance(entry.get("confined", False), bool):
                    raise TypeError("confined")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise UsageError(f"{self._file} cannot be read: move it away, and the tools are pinned again") from None
        if version not in _READ:
            raise UsageError(f"{self._file} is of version {version!r}: use a newer autocraft, or move the file away")
        return servers

    def _write(self, server: str, source: str, entry: Json, confined: bool | None = None) -> None:
        with alone_in(private_folder(self._file.parent)):
            servers, name = self._read(), f"{server}:{source}"
            before = servers.get(name, {})
            answer = before.get("confined") if confined is None else confined
            entry |= {} if answer is None else {"confined": answer}
            if before != entry:
                servers[name] = entry
                data = json.dumps({"version": VERSION, "servers": servers}, indent=1).encode()
                write_atomic(self._file, data, mode=0o600)


def _rows(tools: Mapping[str, Definition]) -> list[Json]:
    return [asdict(each) for each in tools.values()]


def _definitions(rows: Any) -> dict[str, Definition] | None:
    if rows is None:
        return None
    definitions = [Definition(str(row["name"]), str(row["description"]), dict(row["schema"])) for row in rows]
    return {each.name: each for each in definitions}


def usable(tools: Sequence[Definition], server: str) -> tuple[dict[str, Definition], list[str]]:
    """Return the tools of bounded size by name, and a line for each that is left out."""
    tools_by_name: dict[str, Definition] = {}
    lines = []
    for each in tools:
        if len(each.text) > MOST_CHARACTERS or len(each.name) > 128:
            lines.append(f"{server}: the tool {each.name[:40]!r} is left out, since its description is too long")
        elif each.name in tools_by_name:
            lines.append(f"{server}: the tool {each.name[:40]!r} is listed twice, and only the first is taken")
        elif len(tools_by_name) == MOST_TOOLS:
            lines.append(f"{server}: {len(tools)} tools are too many: only the first {MOST_TOOLS} are taken")
            break
        else:
            tools_by_name[each.name] = each
    return tools_by_name, lines
