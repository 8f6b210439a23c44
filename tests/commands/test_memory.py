"""The memory commands on a real local memory: kept once, settled after kill -9, taken back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autocraft.commands.memory import MemoryCommands
from autocraft.errors import CommandError
from autocraft.memory import open_memory
from autocraft.protocols import Call, Memory, Risk, commands_of


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = open_memory("local", path=tmp_path, embedder="lexical")
    yield opened
    opened.close()


def call(family: MemoryCommands, name: str, id: str = "s:1", **args: Any) -> Call:
    found = {each.name: each for each in commands_of(family)}[name]
    return Call(found, args, found.risk_of(args), id=id)


def effect(family: MemoryCommands, made: Call) -> Any:
    return asyncio.run(made.command.run(family, made, **made.args))  # type: ignore[arg-type]


def test_names_arguments_and_risks(memory: Memory) -> None:
    commands = commands_of(MemoryCommands(memory, "s"))
    assert [(each.name, [p.name for p in each.parameters], each.risk) for each in commands] == [
        ("memory_add", ["string"], Risk.CHANGE),
        ("memory_search", ["query"], Risk.LOOK),
    ]


def test_note_is_kept_once_however_often_it_is_repeated(memory: Memory) -> None:
    family = MemoryCommands(memory, "session")
    add = call(family, "memory_add", string="the village lies north")
    assert family.settle(add, {}).outcome == "not done"
    assert effect(family, add) == "Committed to memory."
    settled = family.settle(add, {})
    assert (settled.outcome, settled.text) == ("done", "Committed to memory.")
    effect(family, add)
    (row,) = memory.rows(session="session", kind="note")
    assert (row.id, row.text) == ("s:1", "the village lies north")


def test_search(memory: Memory) -> None:
    family = MemoryCommands(memory, "s")
    search = call(family, "memory_search", query="where is the village")
    assert effect(family, search) == "[Nothing in memory is near to this.]"
    assert family.settle(search, {}).outcome == "not done"
    effect(family, call(family, "memory_add", id="s:1", string="the village lies north"))
    effect(family, call(family, "memory_add", id="s:2", string="village: " + "stone " * 1000))
    found = effect(family, search)
    assert found.startswith("1. the village lies north\n2. village: stone")
    assert found.endswith("[4,009 more characters are left out.]")


def test_undo_forgets_the_note_and_can_be_repeated(memory: Memory) -> None:
    family = MemoryCommands(memory, "s")
    add = call(family, "memory_add", string="wrong")
    evidence = json.loads(json.dumps(family.evidence(add)))
    effect(family, add)
    assert family.undo(evidence) == "the note was forgotten."
    assert family.undo(evidence) == "the note was already forgotten."
    assert memory.rows() == []
    with pytest.raises(CommandError, match="nothing was recorded"):
        family.undo(family.evidence(call(family, "memory_add", id="", string="x")))


@pytest.mark.parametrize("string", ["", " \n", "x" * 20_001])
def test_empty_and_endless_notes_are_refused(memory: Memory, string: str) -> None:
    family = MemoryCommands(memory, "s")
    with pytest.raises(CommandError, match=r"argument string|write a file"):
        effect(family, call(family, "memory_add", string=string))
    assert memory.rows() == []


def test_without_memory_nothing_is_promised() -> None:
    family = MemoryCommands(open_memory("none"), "s")
    add = call(family, "memory_add", string="text")
    with pytest.raises(CommandError, match="write it to a file"):
        effect(family, add)
    assert family.settle(add, {}).outcome == "not done"
