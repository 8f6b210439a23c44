"""Turns goals of a kind of item, such as any log, into goals of single items, which the planners understand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import TypeVar

from autocraft.goals import Goal, held
from autocraft.protocols import Plan
from autocraft.worlds.crafting.minimal.planner import MinimalPlan
from autocraft.worlds.crafting.model import reachable
from autocraft.worlds.crafting.recipes import RecipeBook

MOST = 64
"""The most choices of items to plan for."""


AnyPlan = TypeVar("AnyPlan", Plan, MinimalPlan)
"""A plan of whole recipes, or of single moves."""


def with_kinds(
    book: RecipeBook,
    counts: Mapping[str, int],
    goals: Sequence[Goal],
    decide: Callable[[Sequence[Goal]], AnyPlan],
    type_of_plan: type[AnyPlan],
) -> tuple[Sequence[Goal], AnyPlan]:
    """Choose an item for each kind until `decide` finds a plan. Return the goals of these items, and the plan.

    If no choice leads to a plan, its verdict is "not found". If some kind has no reachable item, one choice decides.
    """
    kinds = {item for goal in goals for item, _ in goal.items if item.startswith("#")}
    if not kinds:
        return goals, decide(goals)
    have = reachable(book, counts)
    members = {kind: sorted(item for item in book.items if held(kind, {item: 1})) for kind in kinds}
    near = {kind: [item for item in members[kind] if item in have] for kind in kinds}
    order = [sorted(near[kind] or members[kind][:1], key=lambda item: -counts.get(item, 0)) for kind in kinds]
    for choice in islice(product(*order), MOST):
        single_goals = list(_single_items(goals, dict(zip(kinds, choice, strict=True)), counts))
        plan = decide(single_goals)
        if plan.verdict == "found" or not all(near.values()):
            return single_goals, plan
    why = f"no plan was found with one kind of {', '.join(sorted(kinds))} beside what is there"
    return goals, type_of_plan("not found", why=why)


def _single_items(goals: Sequence[Goal], choice: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[Goal]:
    """Yield the goals with items in place of kinds: all held items of a kind, and the chosen one for the rest."""
    for goal in goals:
        items: dict[str, int] = {}
        for item, count in goal.items:
            mine = {name: have for name, have in counts.items() if have and held(item, {name: 1})}
            items |= dict(mine if item in choice else {item: count})
            if item in choice and sum(mine.values()) < count:
                items[choice[item]] = count - sum(mine.values()) + mine.get(choice[item], 0)
        yield replace(goal, items=tuple(items.items()))
