"""Every state that crafting can reach, best first, pruned by the state equation.

Only asked where the state equation alone does not decide: recipes that feed each other (slabs and pillars) can balance
on paper and yet never start. Neighbours: `planner.py` asks, `solver.py` gives the bound, `proofs.py` runs it again.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from autocraft.worlds.crafting.model import Column, Model
from autocraft.worlds.crafting.recipes import Recipe
from autocraft.worlds.crafting.solver import Tableau

State = tuple[int, ...]
"""How many there are of each item of the model."""
Made = tuple[Recipe, tuple[str, ...]]
"""A recipe made once, and what its ingredients were."""


@dataclass(frozen=True, slots=True)
class Found:
    """`steps` lead to the goal, or are None; then `complete` says that all `states` were seen that could matter."""

    steps: list[Made] | None
    complete: bool
    states: int


def search(model: Model, counts: Mapping[str, int], wanted: Mapping[str, int], *, states: int) -> Found:
    """Look at `states` states at most."""
    items = [name for name in model.rows if "|" not in name]
    goal = tuple(wanted.get(item, 0) for item in items)
    start = tuple(counts.get(item, 0) for item in items)
    bound = _Bound(model, items, wanted)
    came: dict[State, tuple[State, Made] | None] = {start: None}
    costs = {start: 0}
    waiting = [(0, 0, start)]
    seen = pushed = 0
    while waiting and seen < states:
        _, _, state = heapq.heappop(waiting)
        seen += 1
        if all(have >= need for have, need in zip(state, goal, strict=True)):
            return Found(_way(came, state), True, seen)
        for column in model.columns:
            for made, after in _fire(column, items, state):
                cost = costs[state] + column.cost
                if after in costs and costs[after] <= cost:
                    continue
                estimate = bound.cost(after)
                if estimate is None:
                    continue
                pushed += 1
                costs[after] = cost
                came[after] = (state, made)
                heapq.heappush(waiting, (cost + estimate, -pushed, after))
    return Found(None, not waiting, seen)


class _Bound:
    """The least cost from a state by the state equation in fractions; None when even those do not suffice."""

    def __init__(self, model: Model, items: list[str], wanted: Mapping[str, int]) -> None:
        self._program = model.program()
        self._rows = list(model.rows)
        self._items = items
        self._wanted = wanted
        self._known: dict[State, int | None] = {}

    def cost(self, state: State) -> int | None:
        if state not in self._known:
            have = dict(zip(self._items, state, strict=True))
            bounds = [self._wanted.get(name, 0) - have.get(name, 0) for name in self._rows]
            tableau = Tableau.of(replace(self._program, bounds=bounds))
            stuck = tableau.optimise()
            self._known[state] = None if stuck else -(-tableau.cost.constant // tableau.cost.scale)
        return self._known[state]


def _fire(column: Column, items: list[str], state: State) -> Iterator[tuple[Made, State]]:
    """Each way to make a column once from `state`, and the state after it."""
    if column.recipe is None:
        return
    have = dict(zip(items, state, strict=True))
    ways = [itertools.combinations_with_replacement(name.split("|"), count) for name, count in column.uses.items()]
    for way in itertools.product(*ways):
        after = dict(have)
        for item in itertools.chain(*way):
            after[item] -= 1
        if min(after.values()) < 0:
            continue
        after[column.makes] += column.count
        drawing = dict(zip(column.recipe.groups, map(iter, way), strict=True))
        picked = tuple(next(drawing[choices]) for choices in column.recipe.ingredients)
        yield (column.recipe, picked), tuple(after.values())


def _way(came: Mapping[State, tuple[State, Made] | None], state: State) -> list[Made]:
    steps = []
    while (step := came[state]) is not None:
        state, made = step
        steps.append(made)
    return steps[::-1]
