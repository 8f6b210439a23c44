"""The bound `takes`: a plan as a sequence of takes from [0], each with a pattern in the grid.

Between two takes each cell that changes costs an action, unless the output lands in it. The content of slots and the
number of items in a cell are ignored. So no plan is shorter than the cheapest way. `docs/crafting.md` has the proof.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autocraft.crafting.minimal.problem import Counts, Problem, Way
from autocraft.crafting.minimal.sharing import fills, start_fills
from autocraft.crafting.minimal.weights import Weights

TRIES = 20
"""The limit of ways to try is this times the limit of states."""
Smelting = tuple[int, int]
"""(input, output)."""


class TakeState(NamedTuple):
    """The state after a take: the counts, the number of the last pattern, and the open pairs (`smeltings`).

    An open pair may smelt more at any later time.
    """

    counts: Counts
    pattern: int
    smeltings: frozenset[Smelting]


class Draw(NamedTuple):
    """A way to draw the items of a pattern: the counts and open pairs after it, and how many each pair smelts."""

    counts: Counts
    smeltings: frozenset[Smelting]
    amounts: tuple[tuple[Smelting, int], ...]


class Transition(NamedTuple):
    """A step to another state: a take of `way`, or smelting a wanted item (then `way` is None).

    `fills` actions fill cells, `smelts` do not. With the take they are the cost.
    """

    state: TakeState
    cost: int
    way: Way | None
    fills: int
    smelts: int
    amounts: tuple[tuple[Smelting, int], ...]


class _TooMany(Exception):
    """The error that the limit of tries is reached. It never leaves this module."""


@dataclass
class TryBudget:
    """How many more ways to lay and to draw may be tried. One state can have millions."""

    remaining: int

    def spend(self) -> None:
        """Count one try. Raises _TooMany at the limit."""
        self.remaining -= 1
        if self.remaining < 0:
            raise _TooMany


@dataclass
class Takes:
    """A best-first search that can be continued. `best` is the least cost, or None before it is known.

    It visits at most `nodes` states and tries at most `TRIES` times as many ways.
    """

    problem: Problem
    weights: Weights
    nodes: int
    best: int | None = field(default=None, init=False)
    visited: int = field(default=0, init=False)
    after: dict[TakeState, list[Transition]] = field(init=False, default_factory=dict)
    _costs: dict[TakeState, int] = field(init=False, default_factory=dict)
    _heap: list[tuple[int, int, int, TakeState]] = field(init=False, default_factory=list)
    _fills: dict[tuple[int, int], int] = field(init=False, default_factory=dict)
    _tries: TryBudget = field(init=False)

    def __post_init__(self) -> None:
        self._tries = TryBudget(self.nodes * TRIES)
        # Smelting can clear an item out of the grid at the start, so these pairs are open from the start.
        in_grid = {stack[0] for stack in self.problem.grid if stack}
        smelted = {
            (item, product) for product, inputs in self.problem.sources.items() for item in inputs if item in in_grid
        }
        self.start = TakeState(self.problem.start, 0, frozenset(smelted))
        self._costs[self.start] = 0
        self._heap.append((self.least(self.start), 0, 0, self.start))

    def least(self, state: TakeState) -> int:
        """Return the least actions that must follow, by the weights. It can be 0 before the goal is met."""
        if self.problem.met(state.counts):
            return 0
        return self.weights.at_least(state.counts, self.problem.patterns[state.pattern].craft)

    def search(self, cost: int | None = None) -> bool:
        """Search to the first way to the goal, or all ways of at most `cost`. Return False at a limit."""
        while self._heap:
            bound, minus_cost, _, state = self._heap[0]
            if cost is not None and bound > cost:
                return True
            if self.visited >= self.nodes:
                return False
            first = heapq.heappop(self._heap)
            if -minus_cost > self._costs[state]:
                continue
            if self.problem.met(state.counts):
                self.after[state] = []
                if self.best is None:
                    self.best = -minus_cost
                if cost is None:
                    return True
                continue
            self.visited += 1
            try:
                self.after[state] = list(self.follow(state))
            except _TooMany:
                heapq.heappush(self._heap, first)
                return False
            for step in self.after[state]:
                total = step.cost - minus_cost
                if total < self._costs.get(step.state, total + 1):
                    self._costs[step.state] = total
                    least = max(total + self.least(step.state), bound)
                    heapq.heappush(self._heap, (least, -total, len(self._costs), step.state))
        return True

    def floor(self) -> int:
        """Return the least cost of the ways that were not visited yet."""
        return self._heap[0][0]

    def follow(self, state: TakeState) -> Iterator[Transition]:
        """Yield the transitions from `state`."""
        problem = self.problem
        if problem.sources:
            yield from self._finish(state)
        there = self._there(state.counts)
        for craft in problem.crafts:
            for way in problem.ways(craft, there):
                self._tries.spend()
                number = problem.pattern(craft, way)
                fill_count = self.fill_count(state.pattern, number)
                for draw in draws(problem, state, problem.patterns[number].need, self._tries):
                    step = after_take(problem, state, number, way, fill_count, draw)
                    yield step
                    if not step.fills and problem.sources:
                        # A cell can be filled although none must be, to open a pair by smelting into it.
                        more = after_take(problem, state, number, way, 1, draw)
                        if more.state.smeltings != step.state.smeltings:
                            yield more

    def _finish(self, state: TakeState) -> Iterator[Transition]:
        """Yield each way to smelt what is still wanted."""
        lacking = tuple((item, want) for item, want in enumerate(self.problem.targets) if want)
        for draw in draws(self.problem, state, lacking, self._tries):
            new = len(draw.smeltings) - len(state.smeltings)
            counts = list(draw.counts)
            for item, want in lacking:
                counts[item] += want
            after = TakeState(tuple(counts), state.pattern, draw.smeltings)
            if after != state:
                yield Transition(after, new, None, 0, new, draw.amounts)

    def _there(self, counts: Counts) -> set[int]:
        """Return the items of which there is one, or one can be smelted."""
        there = {item for item, count in enumerate(counts) if count}
        while more := {item for item, inputs in self.problem.sources.items() if not there.isdisjoint(inputs)} - there:
            there |= more
        return there

    def fill_count(self, before: int, after: int) -> int:
        """Return how many cells must be filled between the patterns with these numbers."""
        key = (before, after)
        if key not in self._fills:
            patterns = self.problem.patterns
            self._fills[key] = (
                fills(patterns[before], patterns[after]) if before else start_fills(self.problem, patterns[after])
            )
        return self._fills[key]

    def distances(self) -> dict[TakeState, int]:
        """Return the actions that must follow, for each visited state on a way to the goal."""
        before: dict[TakeState, list[tuple[TakeState, int]]] = {}
        costs: dict[TakeState, int] = {}
        heap: list[tuple[int, int, TakeState]] = []
        for state, steps in self.after.items():
            if self.problem.met(state.counts):
                costs[state] = 0
                heap.append((0, len(heap), state))
            for step in steps:
                before.setdefault(step.state, []).append((state, step.cost))
        pushes = len(heap)
        while heap:
            distance, _, state = heapq.heappop(heap)
            if distance > costs[state]:
                continue
            for earlier, cost in before.get(state, ()):
                if distance + cost < costs.get(earlier, distance + cost + 1):
                    costs[earlier] = distance + cost
                    pushes += 1
                    heapq.heappush(heap, (distance + cost, pushes, earlier))
        return costs


def after_take(problem: Problem, state: TakeState, number: int, way: Way, fill_count: int, draw: Draw) -> Transition:
    """Return the transition by a take of pattern `number`, for which `fill_count` cells were filled."""
    pattern = problem.patterns[number]
    needs = {item for item, _ in pattern.need}
    new = draw.smeltings - state.smeltings
    direct = any(product in needs for _, product in new)
    smelts = sum(product not in needs for _, product in new)
    fill_count = max(fill_count, 1) if direct else fill_count
    smeltings = draw.smeltings
    if fill_count and problem.sources:
        # The cell can be filled by smelting into it at no further cost, which opens these pairs.
        smeltings |= {(item, product) for product in needs for item in problem.sources.get(product, ())}
    counts = list(draw.counts)
    counts[pattern.makes] += pattern.count
    after = TakeState(tuple(counts), number, frozenset(smeltings))
    return Transition(after, 1 + fill_count + smelts, way, fill_count, smelts, draw.amounts)


def draws(problem: Problem, state: TakeState, need: tuple[tuple[int, int], ...], tries: TryBudget) -> list[Draw]:
    """Return all ways to draw `need` from the counts: existing items first, then smelted ones."""
    if all(state.counts[item] >= count for item, count in need):
        counts = list(state.counts)
        for item, count in need:
            counts[item] -= count
        return [Draw(tuple(counts), state.smeltings, ())]
    options: list[Draw] = []

    def draw(counts: Counts, open_needs: tuple[tuple[int, int], ...], smeltings: dict[Smelting, int]) -> None:
        tries.spend()
        if not open_needs:
            amounts = tuple(smeltings.items())
            options.append(Draw(counts, state.smeltings.union(smeltings), amounts))
            return
        (item, count), rest = open_needs[0], open_needs[1:]
        own = min(count, counts[item])
        counts = (*counts[:item], counts[item] - own, *counts[item + 1 :])
        if own == count:
            draw(counts, rest, smeltings)
            return
        inputs = problem.sources.get(item, ())
        for shares in _splits(count - own, [counts[source] + problem.smeltable(source, counts) for source in inputs]):
            parts = [(source, share) for source, share in zip(inputs, shares, strict=True) if share]
            more = {(source, item): share + smeltings.get((source, item), 0) for source, share in parts}
            draw(counts, (*parts, *rest), smeltings | more)

    draw(state.counts, need, {})
    return options


def _splits(total: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write `total` as a sum of one number for each of `most`, none above it."""
    if not most:
        if not total:
            yield ()
        return
    for first in range(max(0, total - sum(most[1:])), min(total, most[0]) + 1):
        for rest in _splits(total - first, most[1:]):
            yield (first, *rest)
