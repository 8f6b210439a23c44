"""The bound `cells`: the ways of `takes.py`, with the content of the nine cells and the items that landed there.

A known number of items lands in a cell from [0]. They must be used up in the grid, or be cleared away by one more
action, or be there at the end. `docs/crafting.md` has the proof.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autocraft.crafting.minimal.problem import Cells, Pattern, Problem
from autocraft.crafting.minimal.sharing import start_actions
from autocraft.crafting.minimal.takes import Takes, TakeState, Transition

_EMPTY: Cells = (0,) * 9


class Group(NamedTuple):
    """The `remaining` items that landed in the grid. They lie in `cells` of the cells that hold `item`."""

    item: int
    remaining: int
    cells: int


class Grid(NamedTuple):
    """The grid after a take: items in known cells (`fixed`), items in open cells (`loose`), and landed items."""

    fixed: Cells
    loose: tuple[int, ...]
    groups: tuple[Group, ...]


Point = tuple[TakeState, Grid]


class Gap(NamedTuple):
    """One way from a take to the next: the grid after it, the actions besides takes, and where [0] landed.

    `fills` cells are filled; `more` further actions clear landed items. `landing` is a cell 0..8, 9 for an open cell,
    or -1 if [0] landed in no cell.
    """

    grid: Grid
    fills: int
    more: int
    landing: int


class GapChange(NamedTuple):
    """The changes of a gap: `stay` is item -> cells that may stay, `fills` are the cells to fill.

    `vague` are items of staying cells that can hold one of two items.
    """

    stay: Counter[int]
    fills: Sequence[int]
    vague: int


class WayStep(NamedTuple):
    """A transition of a way, with the gap before it."""

    step: Transition
    gap: Gap | None
    before: TakeState


def follow(takes: Takes, cost: int, nodes: int) -> tuple[list[WayStep] | None, bool]:
    """Return a way of at most `cost` actions through the states that `takes` has visited, and True.

    If none was found, return None, and whether all ways within the cost were tried.
    """
    problem = takes.problem
    distance = takes.distances()
    start = (takes.start, start_grid(problem))
    if distance.get(takes.start, cost + 1) > cost:
        return None, True
    costs = {start: 0}
    previous: dict[Point, tuple[Point, WayStep]] = {}
    heap = [(distance[takes.start], 0, 0, start)]
    while heap:
        _, minus_cost, _, here = heapq.heappop(heap)
        if -minus_cost > costs[here]:
            continue
        state, grid = here
        if problem.met(state.counts):
            return _way(previous, here), True
        if not nodes:
            return None, False
        nodes -= 1
        gaps = _Gaps(problem, state, grid)
        for step in takes.after[state]:
            if step.state not in distance:
                continue
            room = cost + minus_cost - distance[step.state]
            for gap, price in gaps.before(step):
                after = (step.state, gap.grid if gap else grid)
                if price <= room and price - minus_cost < costs.get(after, cost + 1):
                    costs[after] = price - minus_cost
                    previous[after] = (here, WayStep(step, gap, state))
                    heapq.heappush(heap, (costs[after] + distance[step.state], -costs[after], len(costs), after))
    return None, True


def ways(takes: Takes, cost: int, nodes: int) -> Iterator[list[WayStep]]:
    """Yield the ways of at most `cost`, by a depth-first search that visits at most `nodes` states."""
    problem = takes.problem
    distance = takes.distances()
    remaining = nodes

    def go(state: TakeState, grid: Grid, room: int, way: list[WayStep]) -> Iterator[list[WayStep]]:
        nonlocal remaining
        if problem.met(state.counts):
            yield list(way)
            return
        remaining -= 1
        gaps = _Gaps(problem, state, grid)
        for step in takes.after[state]:
            if remaining <= 0 or step.state not in distance:
                continue
            for gap, price in gaps.before(step):
                if price + distance[step.state] <= room:
                    way.append(WayStep(step, gap, state))
                    yield from go(step.state, gap.grid if gap else grid, room - price, way)
                    way.pop()

    yield from go(takes.start, start_grid(problem), cost, [])


def _way(previous: Mapping[Point, tuple[Point, WayStep]], here: Point) -> list[WayStep]:
    way = []
    while here in previous:
        here, way_step = previous[here]
        way.append(way_step)
    return way[::-1]


def start_grid(problem: Problem) -> Grid:
    """Return the grid at the start. Its items count as landed."""
    stacks: dict[int, list[int]] = {}
    for item, count in filter(None, problem.grid):
        stacks.setdefault(item, []).append(count)
    groups = tuple(Group(item, sum(sizes), len(sizes)) for item, sizes in sorted(stacks.items()))
    return Grid(problem.patterns[0].cells, (), groups)


class _Gaps:
    """The gaps that can follow one state with its grid."""

    def __init__(self, problem: Problem, state: TakeState, grid: Grid) -> None:
        self.problem, self.state, self.grid = problem, state, grid
        self.last = problem.patterns[state.pattern]
        self.can_land = self.last.craft >= 0 and self.last.size < 9
        self.holders = Counter(item for cell in self.last.cells for item in _items(cell))
        """Item -> how many cells of the last pattern may hold it."""

    def before(self, step: Transition) -> Iterator[tuple[Gap | None, int]]:
        """Yield each gap before the take of `step`, with the cost of gap and take."""
        if step.way is None:
            yield None, step.cost
            return
        after = self.problem.patterns[step.state.pattern]
        for gap in self._shaped(after) if after.places else self._shapeless(after):
            actions = max(gap.fills + gap.more, min(step.fills, 1))
            if self.last.craft < 0:
                place = gap.grid.fixed if after.places else after.cells
                actions = max(actions, start_actions(self.problem, place, shaped=bool(after.places)))
            yield gap, 1 + step.smelts + actions

    def _shaped(self, after: Pattern) -> Iterator[Gap]:
        for place in after.places:
            loose = list(self.grid.loose)
            stay: Counter[int] = Counter()
            wants: dict[int, int] = {}
            fresh = []
            vague = 0
            for old, new in zip(self.grid.fixed, place, strict=True):
                common = old & new
                if new and not old and (match := next((cell for cell in loose if cell & new), 0)):
                    loose.remove(match)
                    common = match & new
                if new and not common:
                    fresh.append(new)
                if common & (common - 1):
                    vague |= common
                for item in _items(common):
                    stay[item] += 1
                    wants[item] = wants.get(item, 0) | new
            refills = [wants[item] for item in self._use_up(stay).elements()]
            landings = [
                (cell, new)
                for cell, (old, new) in enumerate(zip(self.grid.fixed, place, strict=True))
                if self.can_land and new >> self.last.makes & 1 and not old and new in fresh
            ]
            yield from self._landings(after, Grid(place, (), ()), GapChange(stay, fresh + refills, vague), landings)

    def _shapeless(self, after: Pattern) -> Iterator[Gap]:
        cells_of = {item: [cell for cell in range(9) if self.grid.fixed[cell] >> item & 1] for item, _ in after.need}
        there = {item: len(cells) + self.grid.loose.count(1 << item) for item, cells in cells_of.items()}
        stay = Counter({item: min(count, there[item]) for item, count in after.need})
        fresh = [1 << item for item, count in after.need for _ in range(count - stay[item])]
        used_up = self._use_up(stay)
        fixed = [0] * 9
        loose: list[int] = []
        for item, count in after.need:
            # The cells that stay are known only if all of them stay; an item that is laid again can lie elsewhere.
            sure = cells_of[item] if there[item] <= count and not used_up[item] else []
            for cell in sure:
                fixed[cell] = 1 << item
            loose += [1 << item] * (count - len(sure))
        change = GapChange(stay, fresh + [1 << item for item in used_up.elements()], 0)
        landings = [(9, 1 << self.last.makes)] if self.can_land and 1 << self.last.makes in fresh else []
        yield from self._landings(after, Grid(tuple(fixed), tuple(sorted(loose)), ()), change, landings)

    def _use_up(self, stay: Counter[int]) -> Counter[int]:
        """Remove from `stay` the cells whose landed items are used up. Return item -> how many these are."""
        used_up: Counter[int] = Counter()
        for group in self.grid.groups:
            most = max(0, self.holders[group.item] - group.cells)
            if not group.remaining and stay[group.item] > most:
                used_up[group.item] = stay[group.item] - most
                stay[group.item] = most
        return used_up

    def _landings(
        self, after: Pattern, grid: Grid, change: GapChange, landings: Sequence[tuple[int, int]]
    ) -> Iterator[Gap]:
        """Yield the gaps for each cell where [0] can land, as (cell, its items), and for each future of landed items.

        Landed items stay in cells of the next pattern, or more actions clear them.
        """
        for landing, content in ((-1, 0), *landings):
            fills = list(change.fills)
            live = [group for group in self.grid.groups if group.remaining]
            if landing >= 0:
                fills.remove(content)
                live.append(Group(self.last.makes, self.last.count, 0))
            rest = change._replace(fills=fills)
            # Items that can be smelted away are not followed.
            live = [group for group in live if group.item not in self.problem.inputs]
            fresh = functools.reduce(operator.or_, fills, 0)
            stuck = [
                group for group in live if group.cells and not change.stay[group.item] and not fresh >> group.item & 1
            ]
            free = [group for group in live if group not in stuck]
            # Another take clears one item of each cell; what has more in a cell needs an action of its own.
            rounds = [-(-group.remaining // group.cells) for group in stuck]
            clearings = [(takes, takes + sum(least > takes for least in rounds)) for takes in sorted({0, *rounds})]
            for takes, more in clearings:
                fates = [list(self._carry(group, rest, takes)) for group in free]
                for groups in itertools.product(*fates):
                    yield Gap(grid._replace(groups=tuple(sorted(filter(None, groups)))), len(fills), more, landing)
            # With one action more than clearing takes, nothing is known any more of landed items.
            more = 1 + min(actions for _, actions in clearings)
            if live:
                yield Gap(grid, len(fills), more, landing)
            if not after.places:
                yield Gap(Grid(_EMPTY, after.cells, ()), len(fills), more, landing)

    def _carry(self, group: Group, change: GapChange, takes: int) -> Iterator[Group | None]:
        """Yield the group after the next take, for each number of cells in which its items can lie.

        Before it, `takes` takes of other recipes use one item of each of its cells. If they can use it up, yield None.
        """
        item, counts = group.item, self.state.counts
        stay = low = high = 1  # the cell in which it lands
        if group.cells:
            stay = change.stay[item]
            low, high = max(0, group.cells - (self.holders[item] - stay)), min(group.cells, stay)
        sure = sum(cell == 1 << item for cell in change.fills)
        perhaps = sum(cell >> item & 1 for cell in change.fills)
        free = perhaps > sure or change.vague >> item & 1
        elsewhere = counts[item] + self.problem.smeltable(item, counts) - group.remaining
        most = takes * (max(group.cells, 1) + perhaps)
        if most >= group.remaining:
            yield None
        for remaining in range(max(1, group.remaining - most), group.remaining - takes + 1):
            for own, more in itertools.product(range(low, high + 1), range(perhaps + 1)):
                if own + more in range(1, remaining + 1) and (free or elsewhere >= stay - own + sure - more):
                    yield Group(item, remaining - own - more, own + more)


def _items(cell: int) -> Iterator[int]:
    """Yield the items of a set of bits."""
    while cell:
        low = cell & -cell
        yield low.bit_length() - 1
        cell ^= low
