"""Which skill calls which, read from the programs themselves, so that it cannot be out of date.

A helper that a program declares itself is never another skill's, whatever its name: calls are resolved inside the
program first, and only names that it leaves free reach the library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autocraft.errors import CommandError
from autocraft.skills.known import outlook
from autocraft.skills.store import Entry, Library

Graph = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Needed:
    """One program of those that a skill needs: to be run in a scope of its own, in which `calls` are the skills that
    its free names stand for."""

    name: str
    version: int
    sha256: str
    code: str
    calls: tuple[str, ...]


def graph_of(entries: Sequence[Entry]) -> dict[str, tuple[str, ...]]:
    """Each skill with the skills that it calls."""
    names = {entry.name for entry in entries}
    return {entry.name: outlook(entry.program, names).skills if entry.program else () for entry in entries}


def callers(graph: Graph, name: str) -> list[str]:
    """The skills that call this one, itself left out."""
    return [each for each, calls in graph.items() if name in calls and each != name]


def cycles(graph: Graph) -> list[tuple[str, ...]]:
    """The groups of skills that call each other in a circle, which is allowed, each in order of name.

    Kosaraju's two passes, so that the time grows with the calls alone.
    """
    order: list[str] = []
    met: set[str] = set()
    for start in graph:
        waiting = [(start, False)]
        while waiting:
            name, left = waiting.pop()
            if left:
                order.append(name)
            elif name not in met:
                met.add(name)
                waiting += [(name, True), *((each, False) for each in graph[name])]
    back: dict[str, list[str]] = {name: [] for name in graph}
    for name, calls in graph.items():
        for each in calls:
            back[each].append(name)
    found = []
    for start in reversed(order):
        group, waiting_back = [], [start]
        while waiting_back:
            name = waiting_back.pop()
            if name in met:
                met.remove(name)
                group.append(name)
                waiting_back += back[name]
        if len(group) > 1:
            found.append(tuple(sorted(group)))
    return sorted(found)


def reached(graph: Graph, name: str) -> set[str]:
    """Every skill that this one calls, directly or through others; itself only where it is called back."""
    met: set[str] = set()
    waiting = list(graph.get(name, ()))
    while waiting:
        each = waiting.pop()
        if each not in met:
            met.add(each)
            waiting += graph.get(each, ())
    return met


def needed(library: Library, name: str) -> list[Needed]:
    """The program of a skill after those of all skills that it calls. Raises CommandError where one of them is held.

    The programs are never joined into one text, so two of them may have helpers of the same name.
    """
    library.entry(name)
    entries = {entry.name: entry for entry in library.entries()[0]}
    graph = graph_of(list(entries.values()))
    wanted = [*sorted(reached(graph, name) - {name}), name]
    for each in wanted:
        if each not in entries or entries[each].held:
            why = entries[each].held if each in entries else "unreadable"
            by = "" if each == name else f"{name} calls {each}, and "
            raise CommandError(
                f"{by}{each} is {why}; the person has to approve it with `autocraft skills approve {each}`"
            )
    return [
        Needed(each, entries[each].skill.current, entries[each].skill.version().sha256, entries[each].code, graph[each])
        for each in wanted
    ]
