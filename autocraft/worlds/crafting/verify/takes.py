"""Checks whether the goal can be met within so many actions, by the first bound of `docs/crafting.md`: takes and
fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autocraft.worlds.crafting.verify.question import Laid, Question, Unsound, Work
from autocraft.worlds.crafting.verify.sharing import fills, first_fills
from autocraft.worlds.crafting.verify.weights import CheckedWeights

Melted = frozenset[tuple[str, str]]
"""Pairs (input, output) of what has been smelted. Any such input may count as its output from then on."""


class Stand(NamedTuple):
    """The state after a take of `grid` (None at the start)."""

    counts: tuple[int, ...]
    grid: Laid | None
    melted: Melted


class Move(NamedTuple):
    """A step to another state: a take, after at least `filled` fills and `smelts` further actions, or smelts alone."""

    to: Stand
    filled: int
    smelts: int
    take: bool

    @property
    def cost(self) -> int:
        return self.filled + self.smelts + self.take


@dataclass
class Reach:
    """Searches depth first and remembers which states cannot meet the goal within which budget."""

    question: Question
    weights: CheckedWeights
    work: Work
    _failed: dict[Stand, int] = field(default_factory=dict)
    _worked: dict[Stand, int] = field(default_factory=dict)
    _moves: dict[Stand, list[Move]] = field(default_factory=dict)
    _fills: dict[tuple[int, int], int] = field(default_factory=dict)

    def start(self) -> Stand:
        """Return the state at the start."""
        grid_names = {stack[0] for stack in self.question.grid if stack}
        melted = {(name, product) for product, inputs in self.question.smelts.items() for name in inputs & grid_names}
        return Stand(self.question.start, None, frozenset(melted))

    def met(self, stand: Stand) -> bool:
        """Return whether the goal is met."""
        return all(have >= want for have, want in zip(stand.counts, self.question.goal, strict=True))

    def within(self, stand: Stand, budget: int) -> bool:
        """Return whether the bound leaves a way of at most `budget` actions. Raises Unsound at the limit of states."""
        if self.met(stand):
            return budget >= 0
        craft = stand.grid.craft if stand.grid else -1
        if budget < 0 or self.weights.left(stand.counts, craft) > budget or self._failed.get(stand, -1) >= budget:
            return False
        if self._worked.get(stand, budget + 1) <= budget:
            return True
        if any(self.within(move.to, budget - move.cost) for move in self.moves(stand) if move.cost <= budget):
            self._worked[stand] = budget
            return True
        self._failed[stand] = budget
        return False

    def moves(self, stand: Stand) -> list[Move]:
        """Return all moves from a state, the cheapest first. Raises Unsound at the limit of states."""
        if stand not in self._moves:
            if len(self._moves) >= self.work.states:
                raise Unsound(f"the bound cannot be checked within {self.work.states} states")
            self._moves[stand] = sorted(self._all_moves(stand), key=lambda move: move.cost)
        return self._moves[stand]

    def _all_moves(self, stand: Stand) -> Iterator[Move]:
        question = self.question
        goal = [(name, want) for name, want in zip(question.names, question.goal, strict=True) if want]
        for counts, melted in self._used(stand, goal):
            back = list(counts)
            for name, want in goal:
                back[question.number[name]] += want
            if tuple(back) != stand.counts:
                yield Move(Stand(tuple(back), stand.grid, melted), 0, len(melted) - len(stand.melted), False)
        there = self._there(stand)
        for number, craft in enumerate(question.crafts):
            for way in question.ways(craft, there):
                self.work.step()
                grid = question.laid(number, way)
                for counts, melted in self._used(stand, grid.need):
                    yield from self._takes(stand, grid, counts, melted)

    def _takes(self, stand: Stand, grid: Laid, counts: tuple[int, ...], melted: Melted) -> Iterator[Move]:
        """Yield the take with as few fills as possible, and one with a fill if none is needed but it could smelt."""
        needed = {name for name, _ in grid.need}
        new = melted - stand.melted
        smelts = sum(product not in needed for _, product in new)
        filled = max(self.fills(stand.grid, grid), any(product in needed for _, product in new))
        after = list(counts)
        after[self.question.number[grid.makes]] += grid.count
        free = melted | {(name, product) for product in needed for name in self.question.smelts.get(product, ())}
        if not filled:
            yield Move(Stand(tuple(after), grid, melted), 0, smelts, True)
        if filled or free != melted:
            yield Move(Stand(tuple(after), grid, free), max(1, filled), smelts, True)

    def fills(self, before: Laid | None, after: Laid) -> int:
        """Return the fills between two grids."""
        key = (id(before), id(after))
        if key not in self._fills:
            self._fills[key] = fills(before, after) if before else first_fills(self.question, after)
        return self._fills[key]

    def _there(self, stand: Stand) -> set[str]:
        """Return what there is, or could be smelted from it."""
        there = {name for name, count in zip(self.question.names, stand.counts, strict=True) if count}
        while more := {product for product, inputs in self.question.smelts.items() if inputs & there} - there:
            there |= more
        return there

    def most(self, counts: Sequence[int], name: str) -> int:
        """Return how many of `name` there are, with those that could be smelted."""
        inputs = self.question.smelts.get(name, ())
        return counts[self.question.number[name]] + sum(self.most(counts, source) for source in inputs)

    def _used(self, stand: Stand, need: Sequence[tuple[str, int]]) -> set[tuple[tuple[int, ...], Melted]]:
        """Return counts without `need`, and what was smelted for it. Existing items are used first."""
        results: set[tuple[tuple[int, ...], Melted]] = set()

        def use(counts: tuple[int, ...], rest: list[tuple[str, int]], melted: Melted) -> None:
            self.work.step()
            if not rest:
                results.add((counts, melted))
                return
            (name, count), *others = rest
            index = self.question.number[name]
            own = min(count, counts[index])
            less = (*counts[:index], counts[index] - own, *counts[index + 1 :])
            if own == count:
                use(less, others, melted)
                return
            inputs = sorted(self.question.smelts.get(name, ()))
            for shares in _shares(count - own, [self.most(less, source) for source in inputs]):
                parts = [(source, share) for source, share in zip(inputs, shares, strict=True) if share]
                use(less, [*parts, *others], melted | {(source, name) for source, _ in parts})

        use(stand.counts, list(need), stand.melted)
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
