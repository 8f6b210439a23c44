"""A plan of single actions that can be followed, and rejoined after a detour."""

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
    def of(cls, table: CraftingTable, wanted: dict[str, int], plan: MinimalPlan) -> Route:
        tables: list[CraftingTable] = [table.copy()]
        steps: list[Step] = []
        for step, action in zip(plan.steps, plan.actions, strict=True):
            if _holds(table, wanted):
                break
            table = table.copy()
            stack = table[action.source]
            (table.smelt if action.kind == "smelt" else table.move)(action.source, action.target, action.quantity)
            steps.append(Step(step.name, step.args, _purpose(action.source, action.target, stack, table)))
            tables.append(table)
        return cls(wanted, tuple(tables), tuple(steps), plan.least)

    def rest(self, table: CraftingTable, wanted: dict[str, int]) -> Plan | None:
        """Return the plan from `table` on. Return None if the route does not pass it or has another goal.

        The rest of a shortest way is itself shortest, so the bound holds on the way too. A route that is not shortest
        may pass a table twice. What is between is left out, since it would be done again and again.
        """
        places = [place for place, passed in enumerate(self.tables) if passed == table]
        if wanted != self.wanted or not places:
            return None
        steps, least = self.steps[places[-1] :], self.least - places[0]
        if not steps:
            return Plan("found", why="the goal is already met: nothing needs to be made")
        fewest = "the fewest known" + (f", fewer than {least} cannot do" if least > 1 else "")
        return Plan("found", steps, "proven to be the fewest" if len(steps) <= least else fewest)


def _holds(table: CraftingTable, wanted: dict[str, int]) -> bool:
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
