"""A plan of single actions that can be followed, and joined again after a detour."""

from __future__ import annotations

from dataclasses import dataclass

from autocraft.protocols import Plan, Step
from autocraft.worlds.crafting.minimal.planner import MinimalPlan
from autocraft.worlds.crafting.slots import GRID, OUTPUT, name_of
from autocraft.worlds.crafting.table import CraftingTable


@dataclass(frozen=True)
class Route:
    """A plan of single moves and smelts, and the table before each of them, so that it can be followed or rejoined."""

    wanted: dict[str, int]
    tables: tuple[CraftingTable, ...]
    steps: tuple[Step, ...]
    least: int
    """No plan from the first table has fewer steps."""

    @classmethod
    def of(cls, table: CraftingTable, wanted: dict[str, int], found: MinimalPlan) -> Route:
        tables: list[CraftingTable] = [table.copy()]
        steps: list[Step] = []
        for step, action in zip(found.steps, found.actions, strict=True):
            if _holds(table, wanted):
                break
            table = table.copy()
            taken = table[action.source]
            (table.smelt if action.kind == "smelt" else table.move)(action.source, action.target, action.quantity)
            steps.append(Step(step.name, step.args, _purpose(action.source, action.target, taken, table)))
            tables.append(table)
        return cls(wanted, tuple(tables), tuple(steps), found.least)

    def rest(self, table: CraftingTable, wanted: dict[str, int]) -> Plan | None:
        """The plan from `table` on; None where the route does not pass it or leads elsewhere.

        What is left of a shortest way is itself shortest, so the bound holds on the way too.
        """
        if wanted != self.wanted or table not in self.tables:
            return None
        done = self.tables.index(table)
        left, least = self.steps[done:], self.least - done
        if not left:
            return Plan("found", why="everything wanted is there already")
        fewest = "the fewest known" + (f", fewer than {least} cannot do" if least > 1 else "")
        return Plan("found", left, "proven to be the fewest" if len(left) <= least else fewest)


def _holds(table: CraftingTable, wanted: dict[str, int]) -> bool:
    counts = table.counts()
    return all(counts.get(item, 0) >= count for item, count in wanted.items())


def _purpose(source: int, target: int, taken: tuple[str, int] | None, after: CraftingTable) -> str:
    """Why a planned action is done."""
    made = after[target]
    assert taken is not None
    assert made is not None
    if source == OUTPUT:
        return f"takes {taken[1]} {taken[0]}"
    if made[0] != taken[0]:
        return f"smelts {taken[0]} into {made[0]}"
    shown = after[OUTPUT]
    shows = f"; [0] then shows {shown[1]} {shown[0]}" if shown and target in GRID else ""
    return f"puts {taken[0]} into {name_of(target)}{shows}"
