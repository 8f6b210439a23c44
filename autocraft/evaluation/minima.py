"""Plans the fewest actions for an example, once in a process."""

from __future__ import annotations

import functools

from autocraft.worlds.crafting.examples import load_example
from autocraft.worlds.crafting.minimal.planner import MinimalPlan, minimal_plan


@functools.cache
def fewest(id: str) -> MinimalPlan:
    """Return the shortest known plan for an example, with its proof. Raises UsageError for an unknown id."""
    example = load_example(id)
    return minimal_plan(example.table(), [example.goal])


def minimum(id: str) -> tuple[int | None, bool]:
    """Return the number of actions of this plan, and whether it is proven minimal. Return (None, False) without one."""
    plan = fewest(id)
    return (len(plan.actions), plan.minimal) if plan.verdict == "found" else (None, False)
