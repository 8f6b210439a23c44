"""Argument names of other programs, mapped to autocraft's: later Auto-GPTs renamed theirs, and models mix them up.

A synonym stands for a name only if the command has that name and not the synonym itself. Synonyms of commands are in
their decorators.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autocraft.errors import InvalidCommand
from autocraft.protocols import Args

ARGUMENTS: dict[str, Sequence[str]] = {
    "filename": ("file",),
    "file_name": ("file",),
    "file_path": ("file",),
    "path": ("file", "directory"),
    "folder": ("directory",),
    "dir": ("directory",),
    "contents": ("text",),
    "content": ("text",),
    "data": ("string", "text"),
    "text": ("string",),
    "pattern": ("text",),
    "old_text": ("old",),
    "old_str": ("old",),
    "new_text": ("new",),
    "new_str": ("new",),
    "query": ("input",),
    "from_slot": ("source",),
    "slot_from": ("source",),
    "to_slot": ("target",),
    "slot_to": ("target",),
}
"""Synonym -> names that it may stand for, the first that the command has."""


def accepted(names: Collection[str]) -> list[str]:
    """Return the argument names of a command with all their synonyms."""
    return [*names, *(synonym for synonym in ARGUMENTS if _name_for(synonym, names) != synonym)]


def renamed(command: str, args: Args, names: Collection[str]) -> Args:
    """Return `args` under the command's own names. Raises InvalidCommand if two names of one argument have different
    values."""
    result: Args = {}
    for given, value in args.items():
        name = _name_for(given, names)
        if name in result and result[name] != value:
            raise InvalidCommand(f"{command}: the argument '{name}' is given twice, as '{given[:40]}' too")
        result[name] = value
    return result


def _name_for(given: str, names: Collection[str]) -> str:
    if given in names:
        return given
    return next((name for name in ARGUMENTS.get(given, ()) if name in names), given)
