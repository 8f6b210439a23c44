"""Checks whether the held items meet a goal."""

from __future__ import annotations

from collections.abc import Mapping

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
