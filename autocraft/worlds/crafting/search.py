"""Every state that crafting can reach, best first, pruned by the state equation.

Only asked where the state equation alone does not decide: recipes that feed each other (slabs and pillars) can balance
on paper and yet never start.
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
    """`steps` lead to the goal, or are None; then `complete` says that all were seen that could matter;
    `states` counts those that were weighed."""

    steps: list[Made] | None
    complete: bool
    states: int


def search(model: Model, counts: Mapping[str, int], wanted: Mapping[str, int], *, states: int) -> Found:
    """Weigh `states` states at most."""
    items = [name for name in model.rows if "|" not in name]
    goal = tuple(wanted.get(item, 0) for item in items)
    start = tuple(counts.get(item, 0) for item in items)
    bound = _Bound(model, items, wanted)
    came: dict[State, tuple[State, Made] | None] = {start: None}
    costs = {start: 0}
    waiting = [(0, 0, start)]
    pushed = 0
    while waiting:
        _, _, state = heapq.heappop(waiting)
        if all(have >= need for have, need in zip(state, goal, strict=True)):
            return Found(_way(came, state), True, len(bound.known))
        for column in model.columns:
            for made, after in _fire(column, items, state):
                cost = costs[state] + column.cost
                if after in costs and costs[after] <= cost:
                    continue
                if after not in bound.known and len(bound.known) == states:
                    return Found(None, False, states)
                estimate = bound.cost(after)
                if estimate is None:
                    continue
                pushed += 1
                costs[after] = cost
                came[after] = (state, made)
                heapq.heappush(waiting, (cost + estimate, -pushed, after))
    return Found(None, True, len(bound.known))


class _Bound:
    """The least cost from a state by the state equation in fractions; None when even those do not suffice."""

    def __init__(self, model: Model, items: list[str], wanted: Mapping[str, int]) -> None:
        self._program = model.program()
        self._rows = list(model.rows)
        self._items = items
        self._wanted = wanted
        self.known: dict[State, int | None] = {}

    def cost(self, state: State) -> int | None:
        if state not in self.known:
            have = dict(zip(self._items, state, strict=True))
            bounds = [self._wanted.get(name, 0) - have.get(name, 0) for name in self._rows]
            tableau = Tableau.of(replace(self._program, bounds=bounds))
            stuck = tableau.optimise()
            self.known[state] = None if stuck else -(-tableau.cost.constant // tableau.cost.scale)
        return self.known[state]


def _fire(column: Column, names: list[str], state: State) -> Iterator[tuple[Made, State]]:
    """Each way to make a column once from `state`, and the state after it."""
    if column.recipe is None:
        return
    have = dict(zip(names, state, strict=True))
    held = [([item for item in name.split("|") if have[item]], count) for name, count in column.uses.items()]
    ways = [itertools.combinations_with_replacement(items, count) for items, count in held]
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
