"""Checks whether the bound `cells` of `docs/crafting.md` allows a plan of so many actions.

It follows the content of each cell, and how many items landed in the grid from [0]. They must be used up there, or
further actions must clear them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from autocraft.crafting.verify.question import NOTHING, Cell, Pattern, Question, Unsound
from autocraft.crafting.verify.sharing import first_actions
from autocraft.crafting.verify.takes import State, TakesBound, Transition


class Group(NamedTuple):
    """The `remaining` items of `name` that landed in the grid. They lie in `cells` of the cells that hold it."""

    name: str
    remaining: int
    cells: int


class Layout(NamedTuple):
    """The grid after a take: names in known cells, names in open cells, and landed items."""

    known: tuple[Cell, ...]
    open: tuple[str, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class LayoutChange:
    """The changes before a take: the cells that stay (by name), the cells that are filled, and the layout after it.

    `fills` includes cells that seemed to stay, but whose landed items are used up. `unsure` are the names in staying
    cells that can hold more than one of them, so `stay` counts each of them.
    """

    known: tuple[Cell, ...]
    open: tuple[str, ...]
    stay: Mapping[str, int]
    unsure: Cell
    fills: tuple[Cell, ...]
    lands: bool


@dataclass
class CellsBound:
    """Searches the ways of the bound `cells` depth first, as `TakesBound` does."""

    takes: TakesBound
    _fails: dict[tuple[State, Layout], int] = field(default_factory=dict)

    @property
    def question(self) -> Question:
        return self.takes.question

    def start(self) -> Layout:
        """Return the layout at the start."""
        stacks: dict[str, list[int]] = {}
        for name, count in filter(None, self.question.grid):
            stacks.setdefault(name, []).append(count)
        cells = tuple(frozenset([stack[0]]) if stack else NOTHING for stack in self.question.grid)
        return Layout(cells, (), tuple(Group(name, sum(sizes), len(sizes)) for name, sizes in sorted(stacks.items())))

    def within(self, state: State, layout: Layout, budget: int) -> bool:
        """Return whether there is a way of at most `budget` actions. Raises Unsound at the limit of states."""
        if not self.takes.within(state, budget):
            return False
        if self.takes.met(state):
            return True
        here = (state, layout)
        if self._fails.get(here, -1) >= budget:
            return False
        work = self.takes.work
        if len(self._fails) >= work.states:
            raise Unsound(f"the bound cannot be checked within {work.states} states")
        for transition in self.takes.transitions(state):
            if transition.cost <= budget:
                for after, cost in self._prices(state, layout, transition):
                    work.step()
                    if cost <= budget and self.within(transition.to, after, budget - cost):
                        return True
        self._fails[here] = budget
        return False

    def _prices(self, state: State, layout: Layout, transition: Transition) -> Iterator[tuple[Layout, int]]:
        """Yield each layout that the transition can lead to, with the cost of the whole transition."""
        if not transition.take:
            yield layout, transition.cost
            return
        after = transition.to.grid
        assert after is not None
        for new, fills, more, place in self._between(state, layout, after):
            actions = max(fills + more, min(transition.fills, 1))
            if state.grid is None:
                actions = max(actions, first_actions(self.question, place, shaped=bool(after.places)))
            yield new, 1 + transition.smelts + actions

    def _between(
        self, state: State, layout: Layout, after: Pattern
    ) -> Iterator[tuple[Layout, int, int, tuple[Cell, ...]]]:
        """Yield (layout, fills, further actions, cells) for each gap between the two takes."""
        before = state.grid
        holders = Counter(name for cell in (before.cells if before else layout.known) for name in cell)
        for change, place in self._changes(before, layout, after, holders):
            fills = len(change.fills)
            live = self._live(before, layout, change.lands)
            fresh = {name for cell in change.fills for name in cell}
            stuck = [
                group for group in live if group.cells and not change.stay.get(group.name) and group.name not in fresh
            ]
            free = [group for group in live if group not in stuck]
            for rounds, more in _clearings(stuck):
                options = [list(self._groups_after(state, group, change, holders, rounds)) for group in free]
                for groups in itertools.product(*options):
                    groups_after = tuple(sorted(group for group in groups if group))
                    yield Layout(change.known, change.open, groups_after), fills, more, place
            if live:
                yield Layout(change.known, change.open, ()), fills, _loosening(stuck), place
            if not after.places:
                names = tuple(sorted(name for cell in after.cells for name in cell))
                yield Layout((NOTHING,) * 9, names, ()), fills, _loosening(stuck), place

    def _changes(
        self, before: Pattern | None, layout: Layout, after: Pattern, holders: Mapping[str, int]
    ) -> Iterator[tuple[LayoutChange, tuple[Cell, ...]]]:
        """Yield the changes, with the cells, for each position of a shape and each cell in which [0] can land."""
        may_land = before is not None and len(before.cells) < 9
        if not after.places:
            stays = _sets(layout, after, holders)
            yield stays, after.cells
            if may_land and before and frozenset([before.makes]) in stays.fills:
                yield _without(stays, frozenset([before.makes])), after.cells
            return
        for place in after.places:
            stays, fresh = _shapes(layout, place, holders)
            yield stays, place
            targets = {
                cell
                for cell, old in zip(place, layout.known, strict=True)
                if may_land and before and before.makes in cell and not old and cell in fresh
            }
            for cell in targets:
                yield _without(stays, cell), place

    def _live(self, before: Pattern | None, layout: Layout, lands: bool) -> list[Group]:
        """Return the groups with items left. Items that could be smelted away are not followed."""
        live = [group for group in layout.groups if group.remaining]
        if lands and before:
            live.append(Group(before.makes, before.count, 0))
        return [group for group in live if group.name not in self.question.inputs]

    def _groups_after(
        self, state: State, group: Group, change: LayoutChange, holders: Mapping[str, int], rounds: int
    ) -> Iterator[Group | None]:
        """Yield the group after the next take, for each number of its cells. None stands for a group used up."""
        name = group.name
        sure = sum(cell == {name} for cell in change.fills)
        perhaps = sum(name in cell for cell in change.fills)
        stay = change.stay.get(name, 0) if group.cells else 1
        low = max(0, group.cells - (holders[name] - stay)) if group.cells else 1
        high = min(group.cells, stay) if group.cells else 1
        others = self.takes.most(state.counts, name) - group.remaining
        most = rounds * (max(1, group.cells) + perhaps)
        if most >= group.remaining:
            yield None
        free = perhaps > sure or name in change.unsure
        for remaining in range(max(1, group.remaining - most), group.remaining - rounds + 1):
            for own, more in itertools.product(range(low, high + 1), range(perhaps + 1)):
                enough = free or others >= stay - own + sure - more
                if 1 <= own + more <= remaining and enough:
                    yield Group(name, remaining - own - more, own + more)


def _shapes(layout: Layout, place: tuple[Cell, ...], holders: Mapping[str, int]) -> tuple[LayoutChange, list[Cell]]:
    """Return the change, and the cells that hold nothing fitting, for a shape in `place`."""
    loose = list(layout.open)
    stay: Counter[str] = Counter()
    fresh: list[Cell] = []
    unsure: set[str] = set()
    wanting: dict[str, Cell] = {}
    for old, cell in zip(layout.known, place, strict=True):
        common = old & cell
        if cell and not old:
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
    used_up = _use_up(layout, stay, holders)
    fills = (*fresh, *(wanting[name] for name in used_up.elements()))
    return LayoutChange(place, (), stay, frozenset(unsure), fills, False), fresh


def _sets(layout: Layout, after: Pattern, holders: Mapping[str, int]) -> LayoutChange:
    """Return the change if the next recipe has no shape, so that filled cells can be anywhere."""
    cells_of = {name: [cell for cell in range(9) if name in layout.known[cell]] for name, _ in after.need}
    there = {name: len(cells) + layout.open.count(name) for name, cells in cells_of.items()}
    stay = Counter({name: min(count, there[name]) for name, count in after.need})
    fresh = [name for name, count in after.need for _ in range(count - stay[name])]
    used_up = _use_up(layout, stay, holders)
    known = [NOTHING] * 9
    loose: list[str] = []
    for name, count in after.need:
        # With more cells than needed, or some to lay again, the cells that will hold the name are open.
        surely = cells_of[name] if there[name] <= count and not used_up[name] else []
        for cell in surely:
            known[cell] = frozenset([name])
        loose += [name] * (count - len(surely))
    fills = tuple(frozenset([name]) for name in (*fresh, *used_up.elements()))
    return LayoutChange(tuple(known), tuple(sorted(loose)), stay, NOTHING, fills, False)


def _without(change: LayoutChange, cell: Cell) -> LayoutChange:
    """Return the change if the output of the last take has landed in `cell`."""
    rest = list(change.fills)
    rest.remove(cell)
    return replace(change, fills=tuple(rest), lands=True)


def _use_up(layout: Layout, stay: Counter[str], holders: Mapping[str, int]) -> Counter[str]:
    """Remove cells whose landed items are used up from `stay`. Return how many these are for each name."""
    used_up: Counter[str] = Counter()
    for group in layout.groups:
        if not group.remaining:
            used_up[group.name] = max(0, stay[group.name] - max(0, holders[group.name] - group.cells))
            stay[group.name] -= used_up[group.name]
    return used_up


def _clearings(stuck: Sequence[Group]) -> list[tuple[int, int]]:
    """Return each useful number of takes of other recipes, with the actions in all that clear the stuck groups."""
    rounds = [-(-group.remaining // group.cells) for group in stuck]
    return [(takes, takes + sum(least > takes for least in rounds)) for takes in sorted({0, *rounds})]


def _loosening(stuck: Sequence[Group]) -> int:
    """Return the actions besides fills if there is one more than necessary."""
    return 1 + min(actions for _, actions in _clearings(stuck))
