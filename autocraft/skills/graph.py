"""Which skill calls which. It is read from the programs themselves, so it cannot be out of date.

A call is resolved inside the program first. Only a name that the program does not declare can be another skill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from autocraft.errors import CommandError
from autocraft.skills.known import outlook
from autocraft.skills.store import Entry, Library

Graph = Mapping[str, tuple[str, ...]]


class Dependency(NamedTuple):
    """One program that a skill needs, or the skill itself. In its own scope, its free names are the skills `calls`."""

    name: str
    version: int
    sha256: str
    code: str
    calls: tuple[str, ...]


def graph_of(entries: Sequence[Entry]) -> dict[str, tuple[str, ...]]:
    """Return for each skill the skills that it calls."""
    names = {entry.name for entry in entries}
    return {entry.name: outlook(entry.program, names).skills if entry.program else () for entry in entries}


def callers(graph: Graph, name: str) -> list[str]:
    """Return the other skills that call this one."""
    return [caller for caller, calls in graph.items() if name in calls and caller != name]


def cycles(graph: Graph) -> list[tuple[str, ...]]:
    """Return the groups of skills that call each other in a circle, which is allowed. Each group is sorted."""
    sorter, blocked = TopologicalSorter(graph), set(graph)
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        sorter.done(*ready)
        blocked.difference_update(ready)
    reach = {name: callees(graph, name) for name in blocked}  # only skills that call a circle, or are in one
    groups = {tuple(sorted(skill for skill in reach[name] if name in reach.get(skill, ()))) for name in blocked}
    return sorted(group for group in groups if len(group) > 1)


def callees(graph: Graph, name: str) -> set[str]:
    """Return every skill that this one calls, directly or through others. A skill in a circle calls itself."""
    names: set[str] = set()
    waiting = list(graph.get(name, ()))
    while waiting:
        skill = waiting.pop()
        if skill not in names:
            names.add(skill)
            waiting += graph.get(skill, ())
    return names


def dependencies(library: Library, name: str) -> list[Dependency]:
    """Return the programs of all skills that this one calls, and at the end its own.

    The programs are never joined into one text, so two of them may have helpers of the same name. Raises CommandError
    if one of them is held.
    """
    library.entry(name)
    entries = {entry.name: entry for entry in library.entries()[0]}
    graph = graph_of(list(entries.values()))
    names = [*sorted(callees(graph, name) - {name}), name]
    for skill in names:
        if skill not in entries or entries[skill].hold:
            why = entries[skill].hold if skill in entries else "unreadable"
            by = "" if skill == name else f"{name} calls {skill}, and "
            way = f"the person has to approve it with `autocraft skills approve {skill}`"
            raise CommandError(f"{by}{skill} is {why}; {way}")
    versions = {skill: entries[skill].skill.version() for skill in names}
    return [
        Dependency(skill, version.number, version.sha256, entries[skill].code, graph[skill])
        for skill, version in versions.items()
    ]
