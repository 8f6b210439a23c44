"""A plan of commands that is followed to its end, though the world is asked for a plan before each command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autocraft.goals import Goal
from autocraft.protocols import Plan
from autocraft.worlds.crafting.making import carry_out
from autocraft.worlds.crafting.table import CraftingTable


@dataclass(frozen=True)
class Following:
    """A plan with single moves, and the table before each step.

    Planned anew in the middle of a recipe, another recipe may look better, and what lies in the grid would be taken
    out and laid again for ever.
    """

    goals: tuple[Goal, ...]
    tables: tuple[CraftingTable, ...]
    plan: Plan

    @classmethod
    def of(cls, table: CraftingTable, goals: Sequence[Goal], plan: Plan) -> Following | None:
        """Return the plan as one to follow. Return None for a plan without single moves."""
        if not any(step.name == "move" for step in plan.steps):
            return None
        tables = [table.copy()]
        for step in plan.steps[:-1]:
            tables.append(carry_out(tables[-1], step.name, step.args).table)
        return cls(tuple(goals), tuple(tables), plan)

    def rest(self, table: CraftingTable, goals: Sequence[Goal]) -> Plan | None:
        """Return the plan from `table` on. Return None if it does not come by this table or has other goals."""
        places = [place for place, passed in enumerate(self.tables) if passed == table]
        if tuple(goals) != self.goals or not places:
            return None
        steps = self.plan.steps[places[-1] :]
        return replace(self.plan, steps=steps, why=f"{len(steps)} steps")
