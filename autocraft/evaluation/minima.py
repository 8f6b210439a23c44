"""The fewest actions for an example, worked out once in a process for whoever asks."""

from __future__ import annotations

import functools

from autocraft.worlds.crafting.examples import load_example
from autocraft.worlds.crafting.minimal.planner import MinimalPlan, minimal_plan


@functools.cache
def fewest(id: str) -> MinimalPlan:
    """The shortest plan known from the start of an example, with its proof. Raises UsageError for an unknown id."""
    example = load_example(id)
    return minimal_plan(example.table(), [example.goal])


def minimum(id: str) -> tuple[int | None, bool]:
    """How many actions that plan has, and whether it is proven that fewer cannot do; (None, False) without one."""
    plan = fewest(id)
    return (len(plan.actions), plan.minimal) if plan.verdict == "found" else (None, False)
