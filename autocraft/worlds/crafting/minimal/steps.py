"""The actions of a plan as commands of the crafting world, each with its purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autocraft.protocols import Step
from autocraft.worlds.crafting.minimal.acting import Action
from autocraft.worlds.crafting.slots import GRID, OUTPUT, name_of
from autocraft.worlds.crafting.table import CraftingTable


def steps_of(actions: Sequence[Action], table: CraftingTable, wanted: Mapping[str, int]) -> Iterator[Step]:
    """Yield the actions from `table` on as commands, until all that is wanted is held."""
    for action in actions:
        if _holds(table, wanted):
            return
        table, stack = table.copy(), table[action.source]
        (table.smelt if action.kind == "smelt" else table.move)(action.source, action.target, action.quantity)
        args = {"source": name_of(action.source), "target": name_of(action.target), "quantity": action.quantity}
        yield Step(action.kind, args, _purpose(action.source, action.target, stack, table))


def _holds(table: CraftingTable, wanted: Mapping[str, int]) -> bool:
    counts = table.counts()
    return all(counts.get(item, 0) >= count for item, count in wanted.items())


def _purpose(source: int, target: int, stack: tuple[str, int] | None, after: CraftingTable) -> str:
    """Return why a planned action is done."""
    result = after[target]
    assert stack is not None
    assert result is not None
    if source == OUTPUT:
        return f"takes {stack[1]} {stack[0]}"
    if result[0] != stack[0]:
        return f"smelts {stack[0]} into {result[0]}"
    output = after[OUTPUT]
    shows = f"; [0] then shows {output[1]} {output[0]}" if output and target in GRID else ""
    return f"puts {stack[0]} into {name_of(target)}{shows}"
