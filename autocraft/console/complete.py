"""Completes lines: slash commands, and for `/do` the commands, their arguments and the items of the world."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from autocraft.commands.registry import Registry
from autocraft.console.settings import WAYS
from autocraft.console.slash import COMMANDS, MODES
from autocraft.protocols import World
from autocraft.settings.roles import EFFORTS

CLOSED = {"/mode": tuple(MODES), "/keys": WAYS, "/effort": EFFORTS}
"""Slash command -> the words that it takes."""
_ITEM_ARGUMENTS = ("name", "fuel")
MOST = 50


def complete(line: str, registry: Registry, world: World) -> list[str]:
    """Return the whole lines that `line` could become."""
    if not line.startswith("/"):
        return []
    head, space, last = line.rpartition(" ")
    if not space:
        return [f"/{name}" for name in COMMANDS if name.startswith(line[1:])]
    words = head.split()
    if words[0] in CLOSED and len(words) == 1:
        return [f"{head} {value}" for value in CLOSED[words[0]] if value.startswith(last)]
    if words[0] != "/do":
        return []
    commands = {command.name: command for command in registry.commands()}
    if len(words) == 1:
        return [f"{head} {name}" for name in commands if name.startswith(last)]
    if words[1] not in commands:
        return []
    argument, equals, value = last.partition("=")
    if equals:
        kinds = {p.name: p.annotation for p in commands[words[1]].parameters}
        if closed := _values(kinds.get(argument)):
            return [f"{head} {argument}={each}" for each in closed if each.startswith(value)]
        items = world.items if argument in _ITEM_ARGUMENTS else ()
        fitting = sorted(item for item in items if item.startswith(value))
        return [f"{head} {argument}={item}" for item in fitting[:MOST]]
    names_given = {word.partition("=")[0] for word in words[2:]}
    names = [p.name for p in commands[words[1]].parameters if p.name not in names_given]
    return [f"{head} {name}=" for name in names if name.startswith(last)]


def _values(kind: Any) -> tuple[str, ...]:
    """Return the texts of a type that admits only those, such as a Literal or a truth value. Return () for others."""
    if kind is bool:
        return "true", "false"
    return tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else ()
