"""The actions of a plan as commands of the crafting world, each with its purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from autocraft.crafting.planner import holds
from autocraft.crafting.slots import GRID, OUTPUT, name_of
from autocraft.crafting.table import Action, CraftingTable, Stack
from autocraft.protocols import Step


def steps_of(actions: Sequence[Action], table: CraftingTable, targets: Mapping[str, int]) -> Iterator[Step]:
    """Yield the actions from `table` on as commands, until all that is wanted is held."""
    for action in actions:
        if holds(table.counts(), targets):
            return
        table, stack = table.copy(), table[action.source]
        table.act(action)
        yield action.step(_purpose(action, stack, table))


def _purpose(action: Action, stack: Stack | None, after: CraftingTable) -> str:
    """Return what an action does. `stack` lay in its source before."""
    result = after[action.target]
    assert stack is not None
    assert result is not None
    if action.source == OUTPUT:
        return f"takes {stack[1]} {stack[0]}"
    if result[0] != stack[0]:
        return f"smelts {stack[0]} into {result[0]}"
    output = after[OUTPUT]
    shows = f"; [0] then shows {output[1]} {output[0]}" if output and action.target in GRID else ""
    return f"puts {stack[0]} into {name_of(action.target)}{shows}"
