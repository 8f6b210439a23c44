"""Searches every state that crafting can reach, best first, pruned by the state equation.

It is only used if the state equation alone does not decide: recipes that feed each other (slabs and pillars) can
balance on paper and yet never start.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from autocraft.crafting.model import Column, RecipeModel
from autocraft.crafting.recipes import Recipe
from autocraft.crafting.solver import Tableau

Stock = tuple[int, ...]
"""How many there are of each item of the model."""
CraftStep = tuple[Recipe, tuple[str, ...]]
"""A recipe made once, and the items of its ingredients."""


class SearchResult(NamedTuple):
    """The result of `search`, which evaluated `states` states. `steps` lead to the goal, or are None.

    Then `complete` says whether all states that could matter were visited.
    """

    steps: list[CraftStep] | None
    complete: bool
    states: int


def search(model: RecipeModel, *, states: int) -> SearchResult:
    """Search for a way to hold what is wanted. Evaluate at most `states` states."""
    items = [name for name in model.rows if "|" not in name]
    goal = tuple(model.demand.targets.get(item, 0) for item in items)
    start = tuple(model.demand.counts.get(item, 0) for item in items)
    bound = _Bound(model, items)
    previous: dict[Stock, tuple[Stock, CraftStep] | None] = {start: None}
    costs = {start: 0}
    waiting = [(0, 0, start)]
    pushes = 0
    while waiting:
        _, _, state = heapq.heappop(waiting)
        if all(have >= need for have, need in zip(state, goal, strict=True)):
            return SearchResult(_way(previous, state), True, len(bound.costs))
        for column in model.columns:
            for craft, after in _fire(column, items, state):
                cost = costs[state] + column.cost
                if after in costs and costs[after] <= cost:
                    continue
                if after not in bound.costs and len(bound.costs) == states:
                    return SearchResult(None, False, states)
                estimate = bound.cost(after)
                if estimate is None:
                    continue
                pushes += 1
                costs[after] = cost
                previous[after] = (state, craft)
                heapq.heappush(waiting, (cost + estimate, -pushes, after))
    return SearchResult(None, True, len(bound.costs))


class _Bound:
    """Computes the least cost from each state by the state equation in fractions, and remembers it.

    The cost is None if the equation has no solution.
    """

    def __init__(self, model: RecipeModel, items: list[str]) -> None:
        self._program = model.program()
        self._rows = list(model.rows)
        self._items = items
        self._targets = model.demand.targets
        self.costs: dict[Stock, int | None] = {}

    def cost(self, state: Stock) -> int | None:
        if state not in self.costs:
            have = dict(zip(self._items, state, strict=True))
            bounds = [self._targets.get(name, 0) - have.get(name, 0) for name in self._rows]
            tableau = Tableau.of(self._program._replace(bounds=bounds))
            stuck = tableau.optimise()
            self.costs[state] = None if stuck else -(-tableau.cost.constant // tableau.cost.scale)
        return self.costs[state]


def _fire(column: Column, names: list[str], state: Stock) -> Iterator[tuple[CraftStep, Stock]]:
    """Yield each way to make a column once from `state`, and the state after it."""
    if column.recipe is None:
        return
    have = dict(zip(names, state, strict=True))
    stock = [([item for item in name.split("|") if have[item]], count) for name, count in column.uses.items()]
    ways = [itertools.combinations_with_replacement(items, count) for items, count in stock]
    for way in itertools.product(*ways):
        after = dict(have)
        for item in itertools.chain(*way):
            after[item] -= 1
        if min(after.values()) < 0:
            continue
        after[column.makes] += column.count
        (pick,) = column.recipe.deal(dict(zip(column.recipe.groups, way, strict=True)))
        yield (column.recipe, pick), tuple(after.values())


def _way(previous: Mapping[Stock, tuple[Stock, CraftStep] | None], state: Stock) -> list[CraftStep]:
    steps = []
    while (step := previous[state]) is not None:
        state, craft = step
        steps.append(craft)
    return steps[::-1]
