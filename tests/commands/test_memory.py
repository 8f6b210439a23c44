"""The memory commands on a real local memory: kept once, settled after kill -9, taken back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.memory import MemoryCommands
from autocraft.commands.registry import Registry
from autocraft.errors import CommandError
from autocraft.memory import open_memory
from autocraft.protocols import Call, Memory, Risk, commands_of
from autocraft.worlds.crafting import CraftingWorld
from tests.live import live_registry


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = open_memory("local", path=tmp_path, embedder="lexical")
    yield opened
    opened.close()


def bound(memory: Memory, session: str) -> Registry:
    return live_registry(commands_of(MemoryCommands()), memory=memory, session=session, world=CraftingWorld())


def call(registry: Registry, name: str, id: str = "s:1", **args: Any) -> Call:
    return replace(registry.bind(name, args), id=id)


def effect(made: Call) -> Any:
    return asyncio.run(made.command.run(made.command.owner, made, **made.args))  # type: ignore[arg-type]


def test_names_arguments_and_risks(memory: Memory) -> None:
    commands = commands_of(MemoryCommands())
    assert [(each.name, [p.name for p in each.parameters], each.risk) for each in commands] == [
        ("memory_add", ["string"], Risk.CHANGE),
        ("memory_search", ["query"], Risk.LOOK),
    ]


def test_note_is_kept_once_however_often_it_is_repeated(memory: Memory) -> None:
    registry = bound(memory, "session")
    add = call(registry, "memory_add", string="the village lies north")
    assert registry.settle(add, {}).outcome == "not done"
    assert effect(add) == "Committed to memory."
    settled = registry.settle(add, {})
    assert (settled.outcome, settled.text) == ("done", "Committed to memory.")
    effect(add)
    (row,) = memory.rows(session="session", kind="note")
    assert (row.id, row.text) == ("s:1", "the village lies north")


def test_search(memory: Memory) -> None:
    registry = bound(memory, "s")
    search = call(registry, "memory_search", query="where is the village")
    assert effect(search) == "[Nothing in memory is near to this.]"
    assert registry.settle(search, {}).outcome == "not done"
    effect(call(registry, "memory_add", id="s:1", string="the village lies north"))
    effect(call(registry, "memory_add", id="s:2", string="village: " + "stone " * 1000))
    found = effect(search)
    assert found.startswith("1. the village lies north\n2. village: stone")
    assert found.endswith("[4,009 more characters are left out.]")


def test_undo_forgets_the_note_and_can_be_repeated(memory: Memory) -> None:
    registry = bound(memory, "s")
    add = call(registry, "memory_add", string="wrong")
    evidence = json.loads(json.dumps(registry.evidence(add)))
    effect(add)
    assert registry.undo("memory_add", evidence, add) == "the note was forgotten."
    assert registry.undo("memory_add", evidence, add) == "memory holds no note of it."
    assert memory.rows() == []
    with pytest.raises(CommandError, match="nothing was recorded"):
        registry.undo("memory_add", registry.evidence(call(registry, "memory_add", id="", string="x")), add)


@pytest.mark.parametrize("string", ["", " \n", "x" * 20_001])
def test_empty_and_endless_notes_are_refused(memory: Memory, string: str) -> None:
    registry = bound(memory, "s")
    with pytest.raises(CommandError, match=r"argument string|write a file"):
        effect(call(registry, "memory_add", string=string))
    assert memory.rows() == []


def test_without_memory_nothing_is_promised() -> None:
    registry = bound(open_memory("none"), "s")
    add = call(registry, "memory_add", string="text")
    with pytest.raises(CommandError, match="write it to a file"):
        effect(add)
    assert registry.settle(add, {}).outcome == "not done"
