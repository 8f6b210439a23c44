"""The first bound: plans seen as takes from [0] alone, and what must lie in the grid at each.

Between two takes each cell that changes costs an action, unless the output lands in it; which slots hold what, and how
many lie in a cell, is left out. So no plan can be shorter than the cheapest way here. `docs/crafting.md` has the proof.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autocraft.worlds.crafting.minimal.problem import Counts, Problem, Way
from autocraft.worlds.crafting.minimal.sharing import fills, start_fills
from autocraft.worlds.crafting.minimal.weights import Weights

TRIES = 20
"""Ways tried for each state that may be looked at."""
Smelting = tuple[int, int]
"""(input, output)."""


class State(NamedTuple):
    """After a take: the counts, the number of the pattern that was taken, and what has been smelted so far.

    Smelting is settled late: what was smelted once may count as smelted wherever it is needed.
    """

    counts: Counts
    pattern: int
    smelted: frozenset[Smelting]


class Draw(NamedTuple):
    """A way to find what a pattern needs: counts and smeltings after it, and how many of each were smelted."""

    counts: Counts
    smelted: frozenset[Smelting]
    amounts: tuple[tuple[Smelting, int], ...]


class Next(NamedTuple):
    """A state that follows: by a take of `way`, or by smelting what is wanted (then `way` is None).

    `filled` actions put something into cells, `smelts` do not; with the take they are the cost.
    """

    state: State
    cost: int
    way: Way | None
    filled: int
    smelts: int
    amounts: tuple[tuple[Smelting, int], ...]


class _TooMany(Exception):
    """More ways were tried than a search may; stays within this module."""


@dataclass
class Tries:
    """How many more ways to lay and to draw may be tried: one state can have millions."""

    left: int

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _TooMany


@dataclass
class Takes:
    """A best-first search that can be asked to go on; `best` is the least cost once it is known.

    It looks at `nodes` states and tries `TRIES` times as many ways, at most.
    """

    problem: Problem
    weights: Weights
    nodes: int
    best: int | None = field(default=None, init=False)
    seen: int = field(default=0, init=False)
    after: dict[State, list[Next]] = field(init=False, default_factory=dict)
    _costs: dict[State, int] = field(init=False, default_factory=dict)
    _heap: list[tuple[int, int, int, State]] = field(init=False, default_factory=list)
    _fills: dict[tuple[int, int], int] = field(init=False, default_factory=dict)
    _tries: Tries = field(init=False)

    def __post_init__(self) -> None:
        self._tries = Tries(self.nodes * TRIES)
        # What lies in the grid at the start may be smelted to clear it, so that costs nothing more.
        lying = {stack[0] for stack in self.problem.grid if stack}
        smelted = {(item, made) for made, inputs in self.problem.sources.items() for item in inputs if item in lying}
        self.start = State(self.problem.start, 0, frozenset(smelted))
        self._costs[self.start] = 0
        self._heap.append((self.least(self.start), 0, 0, self.start))

    def least(self, state: State) -> int:
        """Actions that must follow, by weights; none may be left although the goal is not met, as smelting is settled
        late."""
        if self.problem.met(state.counts):
            return 0
        return self.weights.at_least(state.counts, self.problem.patterns[state.pattern].craft)

    def search(self, cost: int | None = None) -> bool:
        """Until the first way to the goal, or through all states on ways of at most `cost`; False at a limit."""
        while self._heap:
            bound, spent, _, state = self._heap[0]
            if cost is not None and bound > cost:
                return True
            if self.seen >= self.nodes:
                return False
            first = heapq.heappop(self._heap)
            if -spent > self._costs[state]:
                continue
            if self.problem.met(state.counts):
                self.after[state] = []
                if self.best is None:
                    self.best = -spent
                if cost is None:
                    return True
                continue
            self.seen += 1
            try:
                self.after[state] = list(self.follow(state))
            except _TooMany:
                heapq.heappush(self._heap, first)
                return False
            for step in self.after[state]:
                total = step.cost - spent
                if total < self._costs.get(step.state, total + 1):
                    self._costs[step.state] = total
                    least = max(total + self.least(step.state), bound)
                    heapq.heappush(self._heap, (least, -total, len(self._costs), step.state))
        return True

    def floor(self) -> int:
        """The cost that every way not seen yet has at least."""
        return self._heap[0][0]

    def follow(self, state: State) -> Iterator[Next]:
        problem = self.problem
        if problem.sources:
            yield from self._finish(state)
        there = self._there(state.counts)
        for craft in problem.crafts:
            for way in problem.ways(craft, there):
                self._tries.spend()
                number = problem.pattern(craft, way)
                filled = self.filled(state.pattern, number)
                for draw in draws(problem, state, problem.patterns[number].need, self._tries):
                    step = taken(problem, state, number, way, filled, draw)
                    yield step
                    if not step.filled and problem.sources:
                        # One cell may be filled although none must be, to smelt into it.
                        more = taken(problem, state, number, way, 1, draw)
                        if more.state.smelted != step.state.smelted:
                            yield more

    def _finish(self, state: State) -> Iterator[Next]:
        lacking = tuple((item, want) for item, want in enumerate(self.problem.wanted) if want)
        for draw in draws(self.problem, state, lacking, self._tries):
            new = len(draw.smelted) - len(state.smelted)
            counts = list(draw.counts)
            for item, want in lacking:
                counts[item] += want
            after = State(tuple(counts), state.pattern, draw.smelted)
            if after != state:
                yield Next(after, new, None, 0, new, draw.amounts)

    def _there(self, counts: Counts) -> list[bool]:
        """Which items there are, or can be smelted."""
        there = [count > 0 for count in counts]
        changed = bool(self.problem.sources)
        while changed:
            changed = False
            for made, inputs in self.problem.sources.items():
                if not there[made] and any(there[item] for item in inputs):
                    there[made] = changed = True
        return there

    def filled(self, before: int, after: int) -> int:
        key = (before, after)
        if key not in self._fills:
            patterns = self.problem.patterns
            self._fills[key] = (
                fills(patterns[before], patterns[after]) if before else start_fills(self.problem, patterns[after])
            )
        return self._fills[key]

    def distances(self) -> dict[State, int]:
        """For each state seen from which a way to the goal was seen: the actions that must follow."""
        before: dict[State, list[tuple[State, int]]] = {}
        known: dict[State, int] = {}
        heap: list[tuple[int, int, State]] = []
        for state, steps in self.after.items():
            if self.problem.met(state.counts):
                known[state] = 0
                heap.append((0, len(heap), state))
            for step in steps:
                before.setdefault(step.state, []).append((state, step.cost))
        pushed = len(heap)
        while heap:
            distance, _, state = heapq.heappop(heap)
            if distance > known[state]:
                continue
            for earlier, cost in before.get(state, ()):
                if distance + cost < known.get(earlier, distance + cost + 1):
                    known[earlier] = distance + cost
                    pushed += 1
                    heapq.heappush(heap, (distance + cost, pushed, earlier))
        return known


def taken(problem: Problem, state: State, number: int, way: Way, filled: int, draw: Draw) -> Next:
    """The state after a take of pattern `number`, for which `filled` cells were filled."""
    pattern = problem.patterns[number]
    wanted = {item for item, _ in pattern.need}
    new = draw.smelted - state.smelted
    direct = any(made in wanted for _, made in new)
    smelts = sum(made not in wanted for _, made in new)
    filled = max(filled, 1) if direct else filled
    smelted = draw.smelted
    if filled and problem.sources:
        # A cell is filled by smelting into it at no further cost, so any input may now count as smelted.
        smelted |= {(item, made) for made in wanted for item in problem.sources.get(made, ())}
    counts = list(draw.counts)
    counts[pattern.makes] += pattern.count
    after = State(tuple(counts), number, frozenset(smelted))
    return Next(after, 1 + filled + smelts, way, filled, smelts, draw.amounts)


def draws(problem: Problem, state: State, need: tuple[tuple[int, int], ...], tries: Tries) -> list[Draw]:
    """All ways to take `need` out of the counts: what is there first, the rest smelted from its inputs."""
    if all(state.counts[item] >= count for item, count in need):
        counts = list(state.counts)
        for item, count in need:
            counts[item] -= count
        return [Draw(tuple(counts), state.smelted, ())]
    found: list[Draw] = []

    def draw(counts: Counts, open_needs: tuple[tuple[int, int], ...], smelted: dict[Smelting, int]) -> None:
        tries.spend()
        if not open_needs:
            amounts = tuple(smelted.items())
            found.append(Draw(counts, state.smelted.union(smelted), amounts))
            return
        (item, count), rest = open_needs[0], open_needs[1:]
        own = min(count, counts[item])
        counts = (*counts[:item], counts[item] - own, *counts[item + 1 :])
        if own == count:
            draw(counts, rest, smelted)
            return
        inputs = problem.sources.get(item, ())
        for shares in _splits(count - own, [counts[each] + problem.smeltable(each, counts) for each in inputs]):
            parts = [(each, share) for each, share in zip(inputs, shares, strict=True) if share]
            more = {(each, item): share + smelted.get((each, item), 0) for each, share in parts}
            draw(counts, (*parts, *rest), smelted | more)

    draw(state.counts, need, {})
    return found


def _splits(total: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to write `total` as a sum of one number for each of `most`, none above it."""
    if not most:
        if not total:
            yield ()
        return
    for first in range(max(0, total - sum(most[1:])), min(total, most[0]) + 1):
        for rest in _splits(total - first, most[1:]):
            yield (first, *rest)
