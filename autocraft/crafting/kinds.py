"""Turns goals of a kind of item, such as any log, into goals of single items, which the planners understand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from msgspec.structs import replace

from autocraft.crafting.model import reachable
from autocraft.crafting.planner import plan
from autocraft.crafting.table import CraftingTable
from autocraft.goals import Goal, held

MOST = 64
"""The most choices of items to plan for."""
_MOST_FOUND = 12  # plans, of which the shortest is chosen
NO_CHOICE = "no plan was found with one kind of what is wanted beside what is there"


def single_items(table: CraftingTable, goals: Sequence[Goal]) -> Sequence[Goal] | None:
    """Choose an item for each kind, so that the plan of whole recipes is short. Return the goals of these items.

    Goals without kinds are returned as they are. Return None if no choice leads to a plan. If some kind has no
    reachable item, one choice stands for all, so that a planner can say what is missing.
    """
    kinds = list(dict.fromkeys(item for goal in goals for item, _ in goal.items if item.startswith("#")))
    if not kinds:
        return goals
    book, counts = table.book, table.counts()
    have = reachable(book, counts)
    members = {kind: sorted(item for item in book.items if held(kind, {item: 1})) for kind in kinds}
    near = {kind: [item for item in members[kind] if item in have] for kind in kinds}
    order = [sorted(near[kind] or members[kind][:1], key=lambda item: -counts.get(item, 0)) for kind in kinds]
    choices = (dict(zip(kinds, choice, strict=True)) for choice in islice(product(*order), MOST))
    singles = (list(_single_items(goals, choice, counts)) for choice in choices)
    if not all(near.values()):
        return next(singles)
    plans = ((each, plan(book, counts, each, table)) for each in singles)
    found = islice((pair for pair in plans if pair[1].verdict == "found"), _MOST_FOUND)
    return min(found, key=lambda pair: len(pair[1].steps), default=(None,))[0]


def _single_items(goals: Sequence[Goal], choice: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[Goal]:
    """Yield the goals with items in place of kinds: others of a kind that are held, and the chosen one for the rest."""
    for goal in goals:
        items: dict[str, int] = {}
        for wanted, count in goal.items:
            item = choice.get(wanted, wanted)
            for name, have in counts.items() if item != wanted else ():
                if name != item and count and held(wanted, {name: 1}):
                    items[name] = max(items.get(name, 0), min(have, count))
                    count -= min(have, count)
            if count:
                items[item] = max(items.get(item, 0), count)
        yield replace(goal, items=tuple(items.items()))
