"""Checks whether the bound `takes` of `docs/crafting.md` allows a plan of so many actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autocraft.crafting.verify.question import Pattern, Question, Unsound, Work
from autocraft.crafting.verify.sharing import fills, first_fills
from autocraft.crafting.verify.weights import CheckedWeights

Pairs = frozenset[tuple[str, str]]
"""Pairs of (input, output). The bound may smelt any number of an open pair at any later time."""


class State(NamedTuple):
    """The state after a take with the pattern `grid` (None at the start)."""

    counts: tuple[int, ...]
    grid: Pattern | None
    open_pairs: Pairs


class Transition(NamedTuple):
    """A step to another state: a take after `fills` and `smelts`, or only `smelts`."""

    to: State
    fills: int
    smelts: int
    take: bool

    @property
    def cost(self) -> int:
        return self.fills + self.smelts + self.take


@dataclass
class TakesBound:
    """Searches the ways of the bound `takes` depth first. Remembers which states fail within which budget."""

    question: Question
    weights: CheckedWeights
    work: Work
    _fails: dict[State, int] = field(default_factory=dict)
    _successes: dict[State, int] = field(default_factory=dict)
    _transitions: dict[State, list[Transition]] = field(default_factory=dict)
    _fills: dict[tuple[int, int], int] = field(default_factory=dict)

    def start(self) -> State:
        """Return the state at the start."""
        grid_names = {stack[0] for stack in self.question.grid if stack}
        open_pairs = {
            (name, product) for product, inputs in self.question.smelts.items() for name in inputs & grid_names
        }
        return State(self.question.start, None, frozenset(open_pairs))

    def met(self, state: State) -> bool:
        """Return whether the goal is met."""
        return all(have >= want for have, want in zip(state.counts, self.question.goal, strict=True))

    def within(self, state: State, budget: int) -> bool:
        """Return whether there is a way of at most `budget` actions. Raises Unsound at the limit of states."""
        if self.met(state):
            return budget >= 0
        craft = state.grid.craft if state.grid else -1
        if budget < 0 or self.weights.remaining(state.counts, craft) > budget or self._fails.get(state, -1) >= budget:
            return False
        if self._successes.get(state, budget + 1) <= budget:
            return True
        if any(
            self.within(transition.to, budget - transition.cost)
            for transition in self.transitions(state)
            if transition.cost <= budget
        ):
            self._successes[state] = budget
            return True
        self._fails[state] = budget
        return False

    def transitions(self, state: State) -> list[Transition]:
        """Return all transitions from a state, the cheapest first. Raises Unsound at the limit of states."""
        if state not in self._transitions:
            if len(self._transitions) >= self.work.states:
                raise Unsound(f"the bound cannot be checked within {self.work.states} states")
            self._transitions[state] = sorted(self._all_transitions(state), key=lambda transition: transition.cost)
        return self._transitions[state]

    def _all_transitions(self, state: State) -> Iterator[Transition]:
        question = self.question
        goal = [(name, want) for name, want in zip(question.names, question.goal, strict=True) if want]
        for counts, open_pairs in self._used(state, goal):
            back = list(counts)
            for name, want in goal:
                back[question.number[name]] += want
            if tuple(back) != state.counts:
                yield Transition(
                    State(tuple(back), state.grid, open_pairs), 0, len(open_pairs) - len(state.open_pairs), False
                )
        there = self._there(state)
        for number, craft in enumerate(question.crafts):
            for way in question.ways(craft, there):
                self.work.step()
                grid = question.pattern(number, way)
                for counts, open_pairs in self._used(state, grid.need):
                    yield from self._takes(state, grid, counts, open_pairs)

    def _takes(self, state: State, grid: Pattern, counts: tuple[int, ...], open_pairs: Pairs) -> Iterator[Transition]:
        """Yield the take with the fewest fills, and if these are 0, one with a fill that opens more pairs."""
        needs = {name for name, _ in grid.need}
        new = open_pairs - state.open_pairs
        smelts = sum(product not in needs for _, product in new)
        fill_count = max(self.fills(state.grid, grid), any(product in needs for _, product in new))
        after = list(counts)
        after[self.question.number[grid.makes]] += grid.count
        free = open_pairs | {(name, product) for product in needs for name in self.question.smelts.get(product, ())}
        if not fill_count:
            yield Transition(State(tuple(after), grid, open_pairs), 0, smelts, True)
        if fill_count or free != open_pairs:
            yield Transition(State(tuple(after), grid, free), max(1, fill_count), smelts, True)

    def fills(self, before: Pattern | None, after: Pattern) -> int:
        """Return the fills between two grids."""
        key = (id(before), id(after))
        if key not in self._fills:
            self._fills[key] = fills(before, after) if before else first_fills(self.question, after)
        return self._fills[key]

    def _there(self, state: State) -> set[str]:
        """Return the names that are there or could be smelted."""
        there = {name for name, count in zip(self.question.names, state.counts, strict=True) if count}
        while more := {product for product, inputs in self.question.smelts.items() if inputs & there} - there:
            there |= more
        return there

    def most(self, counts: Sequence[int], name: str) -> int:
        """Return how many of `name` there are, including those that could be smelted."""
        inputs = self.question.smelts.get(name, ())
        return counts[self.question.number[name]] + sum(self.most(counts, source) for source in inputs)

    def _used(self, state: State, need: Sequence[tuple[str, int]]) -> set[tuple[tuple[int, ...], Pairs]]:
        """Return the counts without `need` and the open pairs, for each way to draw it. Existing items go first."""
        results: set[tuple[tuple[int, ...], Pairs]] = set()

        def use(counts: tuple[int, ...], rest: list[tuple[str, int]], open_pairs: Pairs) -> None:
            self.work.step()
            if not rest:
                results.add((counts, open_pairs))
                return
            (name, count), *others = rest
            index = self.question.number[name]
            own = min(count, counts[index])
            less = (*counts[:index], counts[index] - own, *counts[index + 1 :])
            if own == count:
                use(less, others, open_pairs)
                return
            inputs = sorted(self.question.smelts.get(name, ()))
            for shares in _shares(count - own, [self.most(less, source) for source in inputs]):
                parts = [(source, share) for source, share in zip(inputs, shares, strict=True) if share]
                use(less, [*parts, *others], open_pairs | {(source, name) for source, _ in parts})

        use(state.counts, list(need), state.open_pairs)
        return results


def _shares(total: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write `total` as a sum of whole numbers, each at most its `most`."""
    if len(most) == 0:
        yield from [()] if total == 0 else []
    elif total <= sum(most):
        for first in range(min(total, most[0]), -1, -1):
            if total - first > sum(most[1:]):
                return
            for rest in _shares(total - first, most[1:]):
                yield (first, *rest)
