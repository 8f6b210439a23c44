"""The second bound: the ways of `takes.py`, with the nine cells in their places and the items that landed there.

A known number of items lands in a cell from [0]. They must be used up in cells of the grid, or be cleared away by one
more action, or be there at the end. `docs/crafting.md` has the proof.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autocraft.worlds.crafting.minimal.problem import Cells, Pattern, Problem
from autocraft.worlds.crafting.minimal.sharing import start_actions
from autocraft.worlds.crafting.minimal.takes import Next, Takes, TakeState

_EMPTY: Cells = (0,) * 9


class Group(NamedTuple):
    """`left` items that landed in the grid and are in `cells` of the cells that hold `item`."""

    item: int
    left: int
    cells: int


class Grid(NamedTuple):
    """The grid after a take: items in known cells (`fixed`), items in cells that are still open (`loose`), landed
    items."""

    fixed: Cells
    loose: tuple[int, ...]
    groups: tuple[Group, ...]


Point = tuple[TakeState, Grid]


class Gap(NamedTuple):
    """One way to get from a take to the next: the grid after it, the actions besides takes, and where [0] landed.

    `filled` cells are filled; `more` further actions free what had landed. `landed` is a cell 0..8, 9 for a cell that
    is still open, -1 for none.
    """

    grid: Grid
    filled: int
    more: int
    landed: int


class GapChange(NamedTuple):
    """What stays and what is filled in a gap: `kept` is item -> cells that may stay, `filled` the cells to fill.

    `vague` are items that a staying cell may or may not hold, since two are possible there.
    """

    kept: Mapping[int, int]
    filled: Sequence[int]
    vague: int


class Placed(NamedTuple):
    """A step of a way, with the gap before it."""

    step: Next
    gap: Gap | None
    before: TakeState


@dataclass
class FollowResult:
    """The result of `follow`. `way` is None if there is no way within the cost; then `complete` says that all were
    tried."""

    way: list[Placed] | None
    complete: bool
    nodes: int


def follow(takes: Takes, cost: int, nodes: int) -> FollowResult:
    """Return a way of at most `cost` actions through the states that `takes` has visited."""
    problem = takes.problem
    distance = takes.distances()
    start = (takes.start, start_grid(problem))
    if distance.get(takes.start, cost + 1) > cost:
        return FollowResult(None, True, 0)
    costs = {start: 0}
    previous: dict[Point, tuple[Point, Placed]] = {}
    heap = [(distance[takes.start], 0, 0, start)]
    visited = 0
    while heap:
        _, spent, _, here = heapq.heappop(heap)
        if -spent > costs[here]:
            continue
        state, grid = here
        if problem.met(state.counts):
            return FollowResult(_way(previous, here), True, visited)
        if visited >= nodes:
            return FollowResult(None, False, visited)
        visited += 1
        for step in takes.after[state]:
            if step.state not in distance:
                continue
            room = cost + spent - distance[step.state]
            for gap, price in _prices(problem, state, grid, step):
                after = (step.state, gap.grid if gap else grid)
                if price <= room and price - spent < costs.get(after, cost + 1):
                    costs[after] = price - spent
                    previous[after] = (here, Placed(step, gap, state))
                    heapq.heappush(heap, (costs[after] + distance[step.state], -costs[after], len(costs), after))
    return FollowResult(None, True, visited)


def ways(takes: Takes, cost: int, nodes: int) -> Iterator[list[Placed]]:
    """Yield all ways of at most `cost`, by a depth-first search that visits `nodes` states at most."""
    problem = takes.problem
    distance = takes.distances()
    remaining = nodes

    def go(state: TakeState, grid: Grid, room: int, way: list[Placed]) -> Iterator[list[Placed]]:
        nonlocal remaining
        if problem.met(state.counts):
            yield list(way)
            return
        remaining -= 1
        for step in takes.after[state]:
            if remaining <= 0 or step.state not in distance:
                continue
            for gap, price in _prices(problem, state, grid, step):
                if price + distance[step.state] <= room:
                    way.append(Placed(step, gap, state))
                    yield from go(step.state, gap.grid if gap else grid, room - price, way)
                    way.pop()

    yield from go(takes.start, start_grid(problem), cost, [])


def _way(previous: Mapping[Point, tuple[Point, Placed]], here: Point) -> list[Placed]:
    way = []
    while here in previous:
        here, placed = previous[here]
        way.append(placed)
    return way[::-1]


def _prices(problem: Problem, state: TakeState, grid: Grid, step: Next) -> Iterator[tuple[Gap | None, int]]:
    """Yield each gap before the take of `step`, with the cost of both."""
    if step.way is None:
        yield None, step.cost
        return
    before, after = problem.patterns[state.pattern], problem.patterns[step.state.pattern]
    for gap in gaps(problem, state, grid, before, after):
        actions = max(gap.filled + gap.more, min(step.filled, 1))
        if before.craft < 0:
            place = gap.grid.fixed if after.places else after.cells
            actions = max(actions, start_actions(problem, place, shaped=bool(after.places)))
        yield gap, 1 + step.smelts + actions


def gaps(problem: Problem, state: TakeState, grid: Grid, before: Pattern, after: Pattern) -> Iterator[Gap]:
    """Yield all gaps between takes of the two patterns that can matter."""
    if after.places:
        for place in after.places:
            yield from _shaped(problem, state, grid, before, after, place)
    else:
        yield from _shapeless(problem, state, grid, before, after)


def start_grid(problem: Problem) -> Grid:
    """Return the grid at the start. Its items are known as if they had landed."""
    counts: dict[int, tuple[int, int]] = {}
    for stack in filter(None, problem.grid):
        total, cells = counts.get(stack[0], (0, 0))
        counts[stack[0]] = (total + stack[1], cells + 1)
    return Grid(problem.patterns[0].cells, (), tuple(Group(item, *sizes) for item, sizes in sorted(counts.items())))


def _exhausted(grid: Grid, kept: dict[int, int], holders: Mapping[int, int]) -> dict[int, int]:
    """Remove the cells that were used up from `kept`. Return item -> how many."""
    gone = {}
    for group in grid.groups:
        if not group.left and group.item in kept:
            most = max(0, holders.get(group.item, 0) - group.cells)
            if kept[group.item] > most:
                gone[group.item] = kept[group.item] - most
                kept[group.item] = most
    return gone


def _holders(before: Pattern) -> dict[int, int]:
    """Return item -> how many cells of the pattern may hold it."""
    holders: dict[int, int] = {}
    for cell in before.cells:
        for item in _items(cell):
            holders[item] = holders.get(item, 0) + 1
    return holders


def _items(cell: int) -> Iterator[int]:
    while cell:
        low = cell & -cell
        yield low.bit_length() - 1
        cell ^= low


def _shaped(
    problem: Problem, state: TakeState, grid: Grid, before: Pattern, after: Pattern, place: Cells
) -> Iterator[Gap]:
    loose = list(grid.loose)
    kept: dict[int, int] = {}
    wants: dict[int, int] = {}
    fresh = []
    vague = 0
    for cell, wanted in enumerate(place):
        if not wanted:
            continue
        common = grid.fixed[cell] & wanted
        if not common and not grid.fixed[cell]:
            match = next((open_cell for open_cell in loose if open_cell & wanted), 0)
            if match:
                loose.remove(match)
                common = match & wanted
        if not common:
            fresh.append(cell)
        elif common & (common - 1):
            vague |= common
        for item in _items(common):
            kept[item] = kept.get(item, 0) + 1
            wants[item] = wants.get(item, 0) | wanted
    gone = _exhausted(grid, kept, _holders(before))
    refilled = [wants[item] for item, cells in gone.items() for _ in range(cells)]
    landing = [-1]
    if before.craft >= 0 and before.size < 9:
        landing += [cell for cell in range(9) if place[cell] >> before.makes & 1 and not grid.fixed[cell]]
    for landed in landing:
        filled = [place[cell] for cell in fresh]
        if landed >= 0:
            if place[landed] not in filled:
                continue
            filled.remove(place[landed])
        filled += refilled
        for groups, more in _groups(problem, state, grid, before, GapChange(kept, filled, vague), landed >= 0):
            yield Gap(Grid(place, (), groups), len(filled), more, landed)


def _shapeless(problem: Problem, state: TakeState, grid: Grid, before: Pattern, after: Pattern) -> Iterator[Gap]:
    cells_of = {item: [cell for cell in range(9) if grid.fixed[cell] >> item & 1] for item, _ in after.need}
    there = {
        item: len(cells) + sum(open_cell >> item & 1 for open_cell in grid.loose) for item, cells in cells_of.items()
    }
    kept = {item: min(count, there[item]) for item, count in after.need if there[item]}
    fresh = [1 << item for item, count in after.need for _ in range(count - kept.get(item, 0))]
    gone = _exhausted(grid, kept, _holders(before))
    refilled = [1 << item for item, cells in gone.items() for _ in range(cells)]
    fixed = [0] * 9
    loose: list[int] = []
    for item, count in after.need:
        # Which of them stay is only known if all do; an item that is laid again may be elsewhere.
        sure = cells_of[item] if there[item] <= count and item not in gone else []
        for cell in sure:
            fixed[cell] = 1 << item
        loose += [1 << item] * (count - len(sure))
    landing = [-1]
    if before.craft >= 0 and before.size < 9 and 1 << before.makes in fresh:
        landing.append(9)
    for landed in landing:
        filled = fresh + refilled
        if landed >= 0:
            filled.remove(1 << before.makes)
        change = GapChange(kept, filled, 0)
        for groups, more in _groups(problem, state, grid, before, change, landed >= 0):
            yield Gap(Grid(tuple(fixed), tuple(sorted(loose)), groups), len(filled), more, landed)
        # With one more action, an item that could stay may also be laid elsewhere.
        more = _loosening(_stuck(_live(problem, grid, before, landed >= 0), change))
        yield Gap(Grid(_EMPTY, after.cells, ()), len(filled), more, landed)


def _groups(
    problem: Problem,
    state: TakeState,
    grid: Grid,
    before: Pattern,
    change: GapChange,
    landed: bool,
) -> Iterator[tuple[tuple[Group, ...], int]]:
    """Yield what becomes of the landed items: they stay in cells of the next pattern, or more actions free them."""
    live = _live(problem, grid, before, landed)
    if not live:
        yield (), 0
        return
    holders = _holders(before)
    stuck = _stuck(live, change)
    free = [group for group in live if group not in stuck]
    stays = [_staying(group, holders, change.kept) if group.cells else (1, 1, 1) for group in free]
    for takes, more in _clearings(stuck):
        options = [
            list(_carry(problem, state, group, stay, change, takes)) for group, stay in zip(free, stays, strict=True)
        ]
        for way in itertools.product(*options):
            yield tuple(sorted(group for group in way if group)), more
    yield (), _loosening(stuck)


def _live(problem: Problem, grid: Grid, before: Pattern, landed: bool) -> list[Group]:
    """Return the groups that have items left, with the one that landed. Items that can be smelted away bind nothing."""
    live = [group for group in grid.groups if group.left]
    if landed:
        live.append(Group(before.makes, before.count, 0))
    return [group for group in live if not any(group.item in inputs for inputs in problem.sources.values())]


def _stuck(live: Sequence[Group], change: GapChange) -> list[Group]:
    """Return the groups that can neither stay nor fill another cell. Each takes an action to clear."""
    return [
        group
        for group in live
        if group.cells and not change.kept.get(group.item) and not any(cell >> group.item & 1 for cell in change.filled)
    ]


def _clearings(stuck: Sequence[Group]) -> Iterator[tuple[int, int]]:
    """Yield (takes of other recipes, actions in all) that clear `stuck`. Such a take clears every filled cell of one
    item."""
    rounds = [-(-group.left // group.cells) for group in stuck]
    yield 0, len(stuck)
    for takes in sorted(set(rounds)):
        yield takes, takes + sum(needed > takes for needed in rounds)


def _loosening(stuck: Sequence[Group]) -> int:
    """Return the actions after which nothing is known of what had landed: one more than clearing takes."""
    return min(actions for _, actions in _clearings(stuck)) + 1


def _staying(group: Group, holders: Mapping[int, int], kept: Mapping[int, int]) -> tuple[int, int, int]:
    """Return the fewest and the most cells of the group that stay, and how many cells of its item stay in all."""
    stay = kept.get(group.item, 0)
    return max(0, group.cells - (holders[group.item] - stay)), min(group.cells, stay), stay


def _carry(
    problem: Problem, state: TakeState, group: Group, staying: tuple[int, int, int], change: GapChange, takes: int
) -> Iterator[Group | None]:
    """Yield the group after the next take, for each number of cells that its items can be in.

    Before it, `takes` takes of other recipes use one item of each of its cells. None is yielded if they may use it up.
    """
    item, (low, high, stay) = group.item, staying
    sure = sum(cell == 1 << item for cell in change.filled)
    mixed = sum(cell >> item & 1 for cell in change.filled) - sure
    open_ = mixed > 0 or change.vague >> item & 1 > 0
    elsewhere = state.counts[item] + problem.smeltable(item, state.counts) - group.left
    most = takes * (max(group.cells, 1) + sure + mixed)
    if most >= group.left:
        yield None
    for remaining in range(max(1, group.left - most), group.left - takes + 1):
        for own in range(low, high + 1):
            for more in range(sure + mixed + 1):
                cells = own + more
                enough = open_ or elsewhere >= (stay - own) + (sure - more)
                if 1 <= cells <= remaining and enough:
                    yield Group(item, remaining - cells, cells)
