"""A plan that is stored and followed to its end, although the brain asks for a plan before each command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from autocraft.crafting.execute import carry_out
from autocraft.crafting.planner import ALREADY_MET
from autocraft.crafting.table import CraftingTable
from autocraft.goals import Goal
from autocraft.protocols import Plan


class Route(NamedTuple):
    """A plan, with the table before each step and at the end.

    A new plan in the middle of a recipe could prefer another recipe. Then the items in the grid would be taken out and
    laid again for ever.
    """

    goals: tuple[Goal, ...]
    tables: tuple[CraftingTable, ...]
    plan: Plan
    least: int | None = None
    """No plan from the first table has fewer steps. It is None if no bound is known."""

    @classmethod
    def of(cls, table: CraftingTable, goals: Sequence[Goal], plan: Plan, least: int | None = None) -> Route:
        tables = [table.copy()]
        for step in plan.steps:
            tables.append(carry_out(tables[-1], step.name, step.args).table)
        return cls(tuple(goals), tuple(tables), plan, least)

    def rest(self, table: CraftingTable, goals: Sequence[Goal]) -> Plan | None:
        """Return the rest of the plan from `table`. Return None if the route does not pass it or has other goals.

        The rest of a shortest plan is shortest too, so the bound still holds. A longer route may pass a table twice.
        The steps between are left out, since they would be repeated for ever.
        """
        places = [place for place, other in enumerate(self.tables) if other == table]
        if tuple(goals) != self.goals or not places:
            return None
        steps = self.plan.steps[places[-1] :]
        if not steps:
            return Plan("found", why=ALREADY_MET)
        if self.least is None:
            return replace(self.plan, steps=steps, why=f"{len(steps)} steps")
        least = self.least - places[0]
        fewest = "the fewest known" + (f", fewer than {least} cannot do" if least > 1 else "")
        return replace(self.plan, steps=steps, why="proven to be the fewest" if len(steps) <= least else fewest)
