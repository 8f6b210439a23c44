"""Who calls whom: by what the programs leave free, never by a helper's name."""

from __future__ import annotations

import pytest

from autocraft.errors import CommandError
from autocraft.skills.graph import callees, callers, cycles, dependencies, graph_of
from autocraft.skills.store import Library
from tests.skills.conftest import draft

HELPER = "async function ensure(bot) {{ await craftItem(bot, '{0}', 1); }}\n"


def keep(library: Library, name: str, *calls: str, helper: str = "") -> None:
    body = " ".join(f"await {each}(bot);" for each in calls) or "bot.chat('x');"
    said = draft(name, body)
    library.save(name, said if not helper else draft(name, f"{body} }}\n{HELPER.format(helper)}async function z(b) {{"))


def test_calls_and_circles(library: Library) -> None:
    for name, calls in {"a": "b", "b": "c", "c": "a", "d": "a", "e": "e", "f": ""}.items():
        keep(library, name, *calls)
    graph = graph_of(library.entries()[0])
    assert graph == {"a": ("b",), "b": ("c",), "c": ("a",), "d": ("a",), "e": (), "f": ()}
    assert cycles(graph) == [("a", "b", "c")]
    assert callers(graph, "a") == ["c", "d"]
    assert callees(graph, "d") == {"a", "b", "c"}
    library.delete("b")
    graph = graph_of(library.entries()[0])
    assert (graph["a"], cycles(graph)) == ((), [])


def test_two_circles_and_a_long_chain() -> None:
    assert cycles({"a": ("b",), "b": ("a", "c"), "c": ("d",), "d": ("c",)}) == [("a", "b"), ("c", "d")]
    long = {f"s{n}": (f"s{n + 1}",) for n in range(5000)} | {"s5000": ()}
    assert cycles(long) == []
    assert len(callees(long, "s0")) == 5000


def test_helpers_of_the_same_name_do_not_meet(library: Library) -> None:
    """Each keeps its own `ensure`, and neither is a call to the skill of that name."""
    keep(library, "ensure")
    keep(library, "one", "ensure", helper="torch")
    keep(library, "two", "one", "ensure", helper="chest")
    graph = graph_of(library.entries()[0])
    assert graph == {"ensure": (), "one": (), "two": ("one",)}
    programs = dependencies(library, "two")
    assert [(each.name, each.calls) for each in programs] == [("one", ()), ("two", ("one",))]
    assert "'torch'" in programs[0].code
    assert "'chest'" in programs[1].code
    assert all(each.version == 1 and len(each.sha256) == 64 for each in programs)


def test_what_is_needed_must_be_released(library: Library) -> None:
    library.add("b", [draft("b", quarantine=True)])
    keep(library, "a", "b")
    with pytest.raises(CommandError, match=r"a calls b, and b is in quarantine.*skills approve b"):
        dependencies(library, "a")
    library.approve("b")
    assert [each.name for each in dependencies(library, "a")] == ["b", "a"]
    with pytest.raises(CommandError, match="no skill called 'z'"):
        dependencies(library, "z")
