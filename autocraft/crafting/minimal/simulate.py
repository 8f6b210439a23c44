"""Turns a way through takes and cells into single moves and smelts, which it executes on a copy of the table.

The way gives the content of each cell at each take. This module chooses the source slots and the quantities. The first
choice is nearly always right; otherwise it tries the next one, up to a limit of moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from autocraft.crafting.minimal.cells import WayStep
from autocraft.crafting.minimal.problem import Cells, Problem
from autocraft.crafting.slots import GRID, INVENTORY, OUTPUT
from autocraft.crafting.table import Action, CraftingTable
from autocraft.errors import IllegalMove


class Trail(NamedTuple):
    """A state of the search: the table, how many actions led to it, the last of them, and the state before it."""

    table: CraftingTable
    length: int
    last: Action | None = None
    before: Trail | None = None

    def then(self, kind: str, source: int, target: int, quantity: int) -> Trail | None:
        """Return the state after one more action. Return None if the rules forbid it."""
        table, action = self.table.copy(), Action(kind, source, target, quantity)
        try:
            table.act(action)
        except IllegalMove:
            return None
        return Trail(table, self.length + 1, action, self)

    def actions(self) -> list[Action]:
        trail: Trail | None = self
        steps = []
        while trail is not None and trail.last is not None:
            steps.append(trail.last)
            trail = trail.before
        return steps[::-1]


def play(problem: Problem, table: CraftingTable, way: Sequence[WayStep], most: int, moves: int) -> list[Action] | None:
    """Return `way` as at most `most` actions on `table`. Return None if `moves` tries find no such actions."""
    return _Player(problem, way, most, moves).play(Trail(table.copy(), 0), 0)


class _Player:
    def __init__(self, problem: Problem, way: Sequence[WayStep], most: int, moves: int) -> None:
        self.problem = problem
        self.way = way
        self.most = most
        self.moves = moves
        self.number = {name: item for item, names in enumerate(problem.names) for name in names}
        self.cells = place(problem, way)
        self.takes_from = [sum(step.step.way is not None for step in way[index:]) for index in range(len(way) + 1)]
        self.totals = [self._smelts_from(index) for index in range(len(way))]

    def _smelts_from(self, index: int) -> dict[tuple[int, int], int]:
        """Return how many items each pair must smelt from this step on."""
        totals: dict[tuple[int, int], int] = {}
        for way_step in self.way[index:]:
            for smelting, count in way_step.step.amounts:
                totals[smelting] = totals.get(smelting, 0) + count
        return totals

    def play(self, trail: Trail, index: int) -> list[Action] | None:
        if index == len(self.way):
            counts = trail.table.counts()  # smelting for a take can use up a wanted item
            sums = tuple(sum(counts.get(name, 0) for name in names) for names in self.problem.names)
            return trail.actions() if self.problem.met(sums) else None
        for ready in self._smeltings(trail, index):
            actions = self.play(ready, index + 1) if self.way[index].step.way is None else self._fill(ready, index)
            if actions is not None:
                return actions
        return None

    def _may(self, trail: Trail | None, index: int) -> bool:
        """Count a tried move. Return whether the search may go on from it."""
        self.moves -= 1
        return trail is not None and self.moves >= 0 and trail.length + self.takes_from[index] <= self.most

    def _smeltings(self, trail: Trail, index: int) -> Iterator[Trail]:
        """Yield the states after the smelting that this step pays for. It is done in the inventory."""
        way_step = self.way[index]
        needs = {item for item, _ in self.problem.patterns[way_step.step.state.pattern].need}
        final = way_step.step.way is None
        new = [
            (smelting, count)
            for smelting, count in reversed(way_step.step.amounts)
            if final or (smelting not in way_step.before.smeltings and smelting[1] not in needs)
        ]
        yield from self._smelt_all(trail, index, new, final)

    def _smelt_all(
        self, trail: Trail, index: int, new: Sequence[tuple[tuple[int, int], int]], final: bool
    ) -> Iterator[Trail]:
        if not new:
            yield trail
            return
        (source, product), count = new[0]
        if not final:
            count = max(count, self.totals[index].get((source, product), 0))
        any_try = False
        for least in (count, 1):
            for slot, (item, size) in trail.table.stacks((*INVENTORY, *GRID)):
                if self.number.get(item) == source and size >= least and (least > 1 or not any_try or count == 1):
                    any_try = True
                    output = trail.table.book.smelts[item].output
                    target = self._slot_for(trail.table, output, min(size, count))
                    next_trail = trail.then("smelt", slot, target, min(size, count)) if target else None
                    if next_trail and self._may(next_trail, index):
                        yield from self._smelt_all(next_trail, index, new[1:], final)
            if any_try or count == 1:
                return

    def _slot_for(self, table: CraftingTable, item: str, count: int) -> int | None:
        """Return an inventory slot for `count` more of `item`, or None if there is no room."""
        most = table.book.stack_sizes[item] - count
        stacks = (slot for slot, (name, size) in table.stacks(INVENTORY) if name == item and size <= most)
        return next(itertools.chain(stacks, (slot for slot in INVENTORY if table[slot] is None)), None)

    def _fill(self, trail: Trail, index: int) -> list[Action] | None:
        """Fill and clear cells until the grid is right, one action a call, then take."""
        table, cells = trail.table, self.cells[index]
        wrong = {cell: item for cell, (item, _) in table.stacks(GRID) if not self._bit(item) & cells[cell - 1]}
        empty = [cell for cell in GRID if cells[cell - 1] and not table[cell]]
        if not wrong and not empty:
            return self._take(trail, index)
        if empty:
            # First the cells that can be filled with what must be cleared away.
            fits = (cell for cell in empty for item in wrong.values() if self._kinds(table, item, cells[cell - 1]))
            steps = self._fillings(trail, index, next(fits, empty[0]), wrong)
        else:
            steps = itertools.islice(self._store(trail, wrong), 1)
        if wrong:
            # What the wrong cells happen to make can be taken, too.
            steps = itertools.chain(steps, self._store(trail, [OUTPUT]))
        for step in steps:
            if self._may(step, index):
                actions = self._fill(step, index)
                if actions is not None:
                    return actions
        return None

    def _kinds(self, table: CraftingTable, item: str, content: int) -> list[str]:
        """Return the kinds of actions by which `item` can fill a cell that wants these items."""
        recipe = table.book.smelts.get(item)
        results = {"move": self._bit(item), "smelt": self._bit(recipe.output) if recipe else 0}
        return [kind for kind, result in results.items() if result & content]

    def _bit(self, item: str) -> int:
        return 1 << self.number[item] if item in self.number else 0

    def _store(self, trail: Trail, sources: Iterable[int]) -> Iterator[Trail]:
        """Yield the state after each stack of `sources` alone is moved into the inventory, if there is room."""
        for source, stack in trail.table.stacks(sources):
            slot = self._slot_for(trail.table, *stack)
            next_trail = trail.then("move", source, slot, stack[1]) if slot else None
            if next_trail:
                yield next_trail

    def _fillings(self, trail: Trail, index: int, cell: int, wrong: Collection[int]) -> Iterator[Trail]:
        """Yield ways to fill one cell: from wrong cells, then from surplus in the grid, then from the inventory."""
        table, content = trail.table, self.cells[index][cell - 1]
        count = self._stays(index, cell)
        options: list[tuple[int, str, int, int, int]] = []
        for slot, (item, size) in table.stacks(range(1, 46)):
            if slot == cell:
                continue
            for kind in self._kinds(table, item, content):  # "move" sorts before "smelt"
                if slot in wrong:
                    options.append((0, kind, 0, size, slot))
                elif slot in GRID:
                    over = size - self._stays(index, slot)
                    if over > 0:
                        options.append((1, kind, 0, min(over, count), slot))
                        options += [(4, kind, more, more, slot) for more in range(count + 1, over + 1)]
                elif size >= count:
                    options.append((2, kind, size, count, slot))
                else:
                    options.append((3, kind, -size, size, slot))
        attempts = set()
        for _, kind, _, quantity, slot in sorted(options):
            alike = (kind, table[slot], quantity, slot in GRID)
            if alike not in attempts:
                attempts.add(alike)
                next_trail = trail.then(kind, slot, cell, quantity)
                if next_trail:
                    yield next_trail

    def _stays(self, index: int, cell: int) -> int:
        """Return for how many takes, from this one on, the cell holds the same item."""
        content = self.cells[index][cell - 1]
        takes = 0
        for cells, way_step in zip(self.cells[index:], self.way[index:], strict=True):
            if way_step.step.way is None:
                continue
            content &= cells[cell - 1]
            if not content:
                break
            takes += 1
        return takes

    def _take(self, trail: Trail, index: int) -> list[Action] | None:
        output = trail.table[OUTPUT]
        pattern = self.problem.patterns[self.way[index].step.state.pattern]
        if output is None or self.number.get(output[0]) != pattern.makes or output[1] != pattern.count:
            return None
        targets = [self._slot_for(trail.table, *output)]
        later = self.way[index + 1].gap if index + 1 < len(self.way) else None
        if later and later.landing >= 0:
            targets.insert(0, self._landing(index + 1, pattern.makes, trail.table))
        for target in targets:
            next_trail = trail.then("move", OUTPUT, target, output[1]) if target is not None else None
            if self._may(next_trail, index + 1):
                actions = self.play(next_trail, index + 1)  # type: ignore[arg-type]
                if actions is not None:
                    return actions
        return None

    def _landing(self, index: int, item: int, table: CraftingTable) -> int | None:
        gap = self.way[index].gap
        assert gap is not None
        if gap.landing < 9:
            return gap.landing + 1
        return next((cell for cell in GRID if self.cells[index][cell - 1] >> item & 1 and table[cell] is None), None)


def place(problem: Problem, way: Sequence[WayStep]) -> list[Cells]:
    """Return the content of the nine cells at each take, with a place for each open cell of the way."""
    layouts: list[Cells] = []
    layout = problem.patterns[0].cells
    for index, step in enumerate(way):
        if step.gap is None:
            layouts.append(layout)
            continue
        layout = _lay_loose(problem, way, index, layout) if step.gap.grid.loose else step.gap.grid.fixed
        layouts.append(layout)
    return layouts


def _lay_loose(problem: Problem, way: Sequence[WayStep], index: int, before: Cells) -> Cells:
    """Return cells for a shapeless recipe: first where its items lie already, then where a later shape needs them."""
    gap = way[index].gap
    assert gap is not None
    cells = list(gap.grid.fixed)
    loose = list(gap.grid.loose)
    pattern = problem.patterns[way[index].step.state.pattern]
    output_bit = 1 << problem.patterns[way[index].before.pattern].makes if gap.landing == 9 else 0
    for cell in range(9):
        if not cells[cell] and before[cell] in loose and before[cell] != output_bit:
            cells[cell] = before[cell]
            loose.remove(before[cell])
    later = next((step.gap.grid.fixed for step in way[index + 1 :] if step.gap and not step.gap.grid.loose), (0,) * 9)
    output = 1 << pattern.makes

    def rank(bit: int, cell: int) -> tuple[bool, bool, bool, bool]:
        blocks = bool(later[cell] & output)
        return bool(bit == output_bit and before[cell]), not bit & later[cell], blocks, before[cell] > 0

    while loose:
        _, bit, cell = min((rank(bit, cell), bit, cell) for bit in set(loose) for cell in range(9) if not cells[cell])
        cells[cell] = bit
        loose.remove(bit)
    return tuple(cells)
