"""Checks whether the held items meet a goal, and which part of a goal with "then" is to be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autocraft.goals import Goal, held
from autocraft.protocols import Check


def check_counts(goal: Goal, counts: Mapping[str, int]) -> Check:
    """Return `met` if `counts` hold the items of the goal, or `cannot tell` if it asks for more than items."""
    if not goal.items and not goal.deeds:
        return Check("cannot tell", "this goal names no items, so only a person can judge it")
    why = ", ".join(f"{item.removeprefix('#')}: have {held(item, counts)}, need {need}" for item, need in goal.items)
    if any(held(item, counts) < need for item, need in goal.items):
        return Check("not met", why)
    return beyond(goal, why)


def beyond(goal: Goal, why: str) -> Check:
    """Return the check of a goal whose items and deeds are done: `cannot tell` if it has further words."""
    return Check("cannot tell", f"{why}; only a person can judge {goal.words!r}") if goal.words else Check("met", why)


def parts_met(goal: Goal, met: int, is_met: Callable[[Goal], bool]) -> int:
    """Return how many parts before a "then" have been met, if `met` were before. Each need be met only once."""
    *before, _ = goal.phases
    while met < len(before) and is_met(before[met]):
        met += 1
    return met


def in_part(goal: Goal, met: int, check: Check) -> Check:
    """Return the check of the part that is to be done, with its number if there are several."""
    count = len(goal.phases)
    return check._replace(why=f"part {met + 1} of {count}: {check.why}") if count > 1 else check
