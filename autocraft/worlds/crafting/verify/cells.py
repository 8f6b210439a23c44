"""Checks whether the goal can be met within so many actions, by the second bound of `docs/crafting.md`.

It follows which cell holds what, and how many items landed in the grid from [0]. They must be used up there, or further
actions must clear them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from autocraft.worlds.crafting.verify.question import NOTHING, Cell, Laid, Question, Unsound
from autocraft.worlds.crafting.verify.sharing import first_actions
from autocraft.worlds.crafting.verify.takes import Move, Reach, Stand


class Landed(NamedTuple):
    """`left` items of `name` that came into the grid from [0], in `cells` of the cells that hold it."""

    name: str
    left: int
    cells: int


class Layout(NamedTuple):
    """Cells whose place is known, names in cells whose place is not, and what has landed."""

    known: tuple[Cell, ...]
    open: tuple[str, ...]
    landed: tuple[Landed, ...]


@dataclass(frozen=True)
class LayoutChange:
    """A layout before a take: what stays (cells by name), what is filled, and what is known after it.

    `filled` includes cells that seemed to stay, but whose landed items were gone. `unsure` are the names in cells that
    stay and can hold more than one of them, so that `stay` counts them too often.
    """

    known: tuple[Cell, ...]
    open: tuple[str, ...]
    stay: Mapping[str, int]
    unsure: Cell
    filled: tuple[Cell, ...]
    lands: bool


@dataclass
class CellReach:
    """Searches depth first, as `Reach` does."""

    reach: Reach
    _failed: dict[tuple[Stand, Layout], int] = field(default_factory=dict)

    @property
    def question(self) -> Question:
        return self.reach.question

    def start(self) -> Layout:
        """Return the layout at the start."""
        stacks: dict[str, list[int]] = {}
        for name, count in filter(None, self.question.grid):
            stacks.setdefault(name, []).append(count)
        cells = tuple(frozenset([stack[0]]) if stack else NOTHING for stack in self.question.grid)
        return Layout(cells, (), tuple(Landed(name, sum(sizes), len(sizes)) for name, sizes in sorted(stacks.items())))

    def within(self, stand: Stand, layout: Layout, budget: int) -> bool:
        """Return whether the bound leaves a way of at most `budget` actions. Raises Unsound at the limit of states."""
        if not self.reach.within(stand, budget):
            return False
        if self.reach.met(stand):
            return True
        here = (stand, layout)
        if self._failed.get(here, -1) >= budget:
            return False
        work = self.reach.work
        if len(self._failed) >= work.states:
            raise Unsound(f"the bound cannot be checked within {work.states} states")
        for move in self.reach.moves(stand):
            if move.cost <= budget:
                for after, cost in self._prices(stand, layout, move):
                    work.step()
                    if cost <= budget and self.within(move.to, after, budget - cost):
                        return True
        self._failed[here] = budget
        return False

    def _prices(self, stand: Stand, layout: Layout, move: Move) -> Iterator[tuple[Layout, int]]:
        """Yield each layout that the move can lead to, with the cost of the whole move."""
        if not move.take:
            yield layout, move.cost
            return
        after = move.to.grid
        assert after is not None
        for new, fills, more, place in self._between(stand, layout, after):
            actions = max(fills + more, min(move.filled, 1))
            if stand.grid is None:
                actions = max(actions, first_actions(self.question, place, shaped=bool(after.places)))
            yield new, 1 + move.smelts + actions

    def _between(
        self, stand: Stand, layout: Layout, after: Laid
    ) -> Iterator[tuple[Layout, int, int, tuple[Cell, ...]]]:
        """Yield (layout, fills, further actions, cells) for each way from one take to the next."""
        before = stand.grid
        holders = Counter(name for cell in (before.cells if before else layout.known) for name in cell)
        for change, place in self._changes(before, layout, after, holders):
            fills = len(change.filled)
            live = self._live(before, layout, change.lands)
            fed = {name for cell in change.filled for name in cell}
            stuck = [
                group for group in live if group.cells and not change.stay.get(group.name) and group.name not in fed
            ]
            going = [group for group in live if group not in stuck]
            for rounds, more in _clearings(stuck):
                fates = [list(self._fates(stand, group, change, holders, rounds)) for group in going]
                for fate in itertools.product(*fates):
                    landed = tuple(sorted(group for group in fate if group))
                    yield Layout(change.known, change.open, landed), fills, more, place
            if live:
                yield Layout(change.known, change.open, ()), fills, _loosening(stuck), place
            if not after.places:
                names = tuple(sorted(name for cell in after.cells for name in cell))
                yield Layout((NOTHING,) * 9, names, ()), fills, _loosening(stuck), place

    def _changes(
        self, before: Laid | None, layout: Layout, after: Laid, holders: Mapping[str, int]
    ) -> Iterator[tuple[LayoutChange, tuple[Cell, ...]]]:
        """Yield what stays and what is filled, for each position of a shape and each cell that [0] can land in."""
        may_land = before is not None and len(before.cells) < 9
        if not after.places:
            stays = _sets(layout, after, holders)
            yield stays, after.cells
            if may_land and before and frozenset([before.makes]) in stays.filled:
                yield _without(stays, frozenset([before.makes])), after.cells
            return
        for place in after.places:
            stays, fresh = _shapes(layout, place, holders)
            yield stays, place
            targets = {
                cell
                for cell, known in zip(place, layout.known, strict=True)
                if may_land and before and before.makes in cell and not known and cell in fresh
            }
            for cell in targets:
                yield _without(stays, cell), place

    def _live(self, before: Laid | None, layout: Layout, lands: bool) -> list[Landed]:
        """Return what has landed and is left. Items that could be smelted away are not followed."""
        live = [group for group in layout.landed if group.left]
        if lands and before:
            live.append(Landed(before.makes, before.count, 0))
        return [group for group in live if group.name not in self.question.inputs]

    def _fates(
        self, stand: Stand, group: Landed, change: LayoutChange, holders: Mapping[str, int], rounds: int
    ) -> Iterator[Landed | None]:
        """Yield what has landed after the next take, by the number of its cells. None means that nothing is known of
        it."""
        name = group.name
        sure = sum(cell == {name} for cell in change.filled)
        perhaps = sum(name in cell for cell in change.filled)
        stay = change.stay.get(name, 0) if group.cells else 1
        low = max(0, group.cells - (holders[name] - stay)) if group.cells else 1
        high = min(group.cells, stay) if group.cells else 1
        others = self.reach.most(stand.counts, name) - group.left
        most = rounds * (max(1, group.cells) + perhaps)
        if most >= group.left:
            yield None
        free = perhaps > sure or name in change.unsure
        for left in range(max(1, group.left - most), group.left - rounds + 1):
            for own, fed in itertools.product(range(low, high + 1), range(perhaps + 1)):
                supplied = free or others >= stay - own + sure - fed
                if 1 <= own + fed <= left and supplied:
                    yield Landed(name, left - own - fed, own + fed)


def _shapes(layout: Layout, place: tuple[Cell, ...], holders: Mapping[str, int]) -> tuple[LayoutChange, list[Cell]]:
    """Return the change, and the cells that hold nothing fitting, for a shape in `place`."""
    loose = list(layout.open)
    stay: Counter[str] = Counter()
    fresh: list[Cell] = []
    unsure: set[str] = set()
    wanting: dict[str, Cell] = {}
    for known, cell in zip(layout.known, place, strict=True):
        common = known & cell
        if cell and not known:
            name = next((name for name in loose if name in cell), None)
            if name:
                loose.remove(name)
                common = frozenset([name])
        stay.update(common)
        wanting |= {name: wanting.get(name, NOTHING) | cell for name in common}
        if len(common) > 1:
            unsure |= common
        if cell and not common:
            fresh.append(cell)
    gone = _use_up(layout, stay, holders)
    filled = (*fresh, *(wanting[name] for name in gone.elements()))
    return LayoutChange(place, (), stay, frozenset(unsure), filled, False), fresh


def _sets(layout: Layout, after: Laid, holders: Mapping[str, int]) -> LayoutChange:
    """Return the change if the next recipe has no shape: filled cells may be anywhere."""
    cells_of = {name: [cell for cell in range(9) if name in layout.known[cell]] for name, _ in after.need}
    there = {name: len(cells) + layout.open.count(name) for name, cells in cells_of.items()}
    stay = Counter({name: min(count, there[name]) for name, count in after.need})
    fresh = [name for name, count in after.need for _ in range(count - stay[name])]
    gone = _use_up(layout, stay, holders)
    known = [NOTHING] * 9
    loose: list[str] = []
    for name, count in after.need:
        # If there are more than needed, or some must be laid again, it is open which cells these will be.
        surely = cells_of[name] if there[name] <= count and not gone[name] else []
        for cell in surely:
            known[cell] = frozenset([name])
        loose += [name] * (count - len(surely))
    filled = tuple(frozenset([name]) for name in (*fresh, *gone.elements()))
    return LayoutChange(tuple(known), tuple(sorted(loose)), stay, NOTHING, filled, False)


def _without(change: LayoutChange, cell: Cell) -> LayoutChange:
    """Return the change if the output of the last take has landed in `cell`."""
    rest = list(change.filled)
    rest.remove(cell)
    return replace(change, filled=tuple(rest), lands=True)


def _use_up(layout: Layout, stay: Counter[str], holders: Mapping[str, int]) -> Counter[str]:
    """Return how many cells of each name cannot stay since their landed items are used up. Remove them from `stay`."""
    gone: Counter[str] = Counter()
    for group in layout.landed:
        if not group.left:
            gone[group.name] = max(0, stay[group.name] - max(0, holders[group.name] - group.cells))
            stay[group.name] -= gone[group.name]
    return gone


def _clearings(stuck: Sequence[Landed]) -> list[tuple[int, int]]:
    """Return (takes of other recipes, actions in all) that clear the grid of what is stuck."""
    rounds = [-(-each.left // each.cells) for each in stuck]
    return [(0, len(stuck)), *((takes, takes + sum(each > takes for each in rounds)) for takes in sorted({*rounds}))]


def _loosening(stuck: Sequence[Landed]) -> int:
    """Return the least actions beyond the fills if one more is done than necessary."""
    return 1 + min(actions for _, actions in _clearings(stuck))
