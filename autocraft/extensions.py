"""The brains, worlds and memories that a run chooses by name: autocraft's own, and those of installed packages.

A package names its parts as entry points of the groups in `GROUPS`. An entry point is a class, or a function that
makes the part. If it has ``for_run``, that is called with the options of its kind, else the part is made without any.
The package runs with the person's rights, as all installed code does. It is imported only if its part is chosen.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from autocraft.errors import AutocraftError, UsageError
from autocraft.features import PARTS
from autocraft.text.phrases import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = {
    "brain": "autocraft.brains",
    "world": "autocraft.worlds",
    "memory": "autocraft.memories",
    "commands": "autocraft.commands",
}
"""Kind of extension -> the group of its entry points."""


def installed(kind: str) -> Sequence[EntryPoint]:
    """Return the entry points of installed packages for one kind of extension, sorted by name."""
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUPS[kind]), key=lambda entry: entry.name)


def names_of(kind: str) -> list[str]:
    """Return the names of all parts of a kind: autocraft's own, then those of packages."""
    return list(dict.fromkeys([*PARTS[kind], *(entry.name for entry in installed(kind))]))


def is_known(kind: str, name: str) -> bool:
    """Tell whether there is a part of this name. Nothing is imported."""
    return name in PARTS[kind] or name in names_of(kind)


def load(kind: str, name: str) -> Any:
    """Return the class or the function that makes a part. Raises UsageError if it is unknown or cannot be imported.

    A package cannot replace a part of autocraft's own.
    """
    if name in PARTS[kind]:
        return resolve_name(PARTS[kind][name])
    entry = _entry_of(kind, name)
    part = guarded(entry.load, source_of(entry))
    if not callable(part):
        raise UsageError(f"{source_of(entry)} is not a class: name the class of the {kind}")
    return part


def _entry_of(kind: str, name: str) -> EntryPoint:
    """Return the first entry point of this name. Raises UsageError if no package has one."""
    for entry in installed(kind):
        if entry.name == name:
            return entry
    raise unknown(kind, name, names_of(kind))


def make(kind: str, name: str, options: Any, given: Any = None) -> Any:
    """Make the part of a run, or take the one that a program has `given`.

    Raises UsageError if it is unknown or cannot be made, or an error of its own making.
    """
    if given is not None:
        return _whole(kind, given, f"the {kind} {name}")
    part = load(kind, name)
    if name in PARTS[kind]:
        return part.for_run(options)
    source = source_of(_entry_of(kind, name))
    for_run = getattr(part, "for_run", None)
    return _whole(kind, guarded(part if for_run is None else lambda: for_run(options), source), source)


def _whole(kind: str, part: Any, source: str) -> Any:
    """Return a part that has all that its protocol declares. Raises UsageError for another one."""
    missing = [each for each in members_of(kind) if not hasattr(part, each)]
    if missing:
        raise UsageError(f"{source} is no whole {kind}, as it lacks {', '.join(missing)}: add them")
    return part


def name_of(kind: str, part: Any) -> str:
    """Return the name of a part that a program gives. Raises UsageError for none, and for one of autocraft's own."""
    name = getattr(part, "name", None)
    if isinstance(part, type) or not isinstance(name, str) or not name:
        raise UsageError(f"{str(part)[:60]} is no {kind}: give an object that has a name")
    if name in PARTS[kind]:
        raise UsageError(f"autocraft has a {kind} of the name {name!r}: give yours another name")
    return name


def members_of(kind: str) -> list[str]:
    """Return the names that each part of this kind must have, as its protocol declares them."""
    from autocraft import protocols

    protocol = {"brain": protocols.Brain, "world": protocols.World, "memory": protocols.Memory}[kind]
    return sorted(name for name in {*protocol.__annotations__, *vars(protocol)} if not name.startswith("_"))


def unknown(kind: str, name: str, names: Iterable[str]) -> UsageError:
    """Return the error for a name that none of the `names` is."""
    names = list(names)
    return UsageError(f"unknown {kind} {name[:40]!r}: {did_you_mean(name, names)}choose {', '.join(names)}")


def source_of(entry: EntryPoint) -> str:
    """Return an entry point in words, with the package that brings it."""
    package = f" of the package {entry.dist.name}" if entry.dist is not None else ""
    return f"the entry point {entry.name} ({entry.value}){package}"


def guarded(action: Callable[[], Any], source: str, file: str = "") -> Any:
    """Return what `action` returns. Turn any exception into one line with the last place in `file`."""
    try:
        return action()
    except AutocraftError:
        raise
    except SyntaxError as error:
        raise UsageError(f"{source}, line {error.lineno}: {error.msg}; correct it, or move it away") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a person's module may raise anything
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == file]
        where = f"{source}, line {lines[-1]}" if lines else source
        message = str(error).splitlines()
        why = f"{type(error).__name__}: {message[0][:200]}" if message else type(error).__name__
        raise UsageError(f"{where}: {why}; correct it, or move it away") from None
