"""Argument names of other programs, mapped to autocraft's. Later Auto-GPTs renamed theirs, and models mix them up.

A synonym means a name only if the command has that name, and has not the synonym itself. The decorator of a command has
the synonyms of its own name.
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
"""Synonym -> the names that it may mean. The first that the command has counts."""


def with_synonyms(names: Collection[str]) -> list[str]:
    """Return the argument names of a command with all their synonyms."""
    return [*names, *(synonym for synonym in ARGUMENTS if _name_for(synonym, names) != synonym)]


def with_own_names(command: str, args: Args, names: Collection[str]) -> Args:
    """Return `args` under the command's own names.

    Raises InvalidCommand if two names of one argument have different values.
    """
    result: Args = {}
    for synonym, value in args.items():
        name = _name_for(synonym, names)
        if name in result and result[name] != value:
            raise InvalidCommand(f"{command}: the argument '{name}' is given twice: also as '{synonym[:40]}'")
        result[name] = value
    return result


def _name_for(synonym: str, names: Collection[str]) -> str:
    """Return the name that a synonym means. Return the synonym itself if it is one of `names`, or means none."""
    if synonym in names:
        return synonym
    return next((name for name in ARGUMENTS.get(synonym, ()) if name in names), synonym)
