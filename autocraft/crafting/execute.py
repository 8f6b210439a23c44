"""Executes one recipe, or one smelting, as a sequence of legal moves, completely or not at all.

The functions here take a table and return an `Execution` on a copy of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from autocraft.crafting.recipes import Choices, Recipe, RecipeBook
from autocraft.crafting.slots import GRID, INVENTORY, OUTPUT, index_of, name_of
from autocraft.crafting.table import SMELTABLE, Action, CraftingTable
from autocraft.errors import Advice, CommandError
from autocraft.protocols import Args

Picks = Sequence[tuple[str, ...]]
"""For each craft, the item used for each ingredient of the recipe."""


class NotEnough(CommandError):
    """The error that ingredients are missing. `missing` names them."""

    def __init__(self, text: str, missing: Sequence[str]) -> None:
        super().__init__(text)
        self.missing = missing


@dataclass
class Execution:
    """A table, and the actions that have been executed on it."""

    table: CraftingTable
    actions: list[Action] = field(default_factory=list)

    def act(self, kind: str, source: int, target: int, quantity: int) -> None:
        """Execute a move or smelt, and record it. Raises IllegalMove."""
        action = Action(kind, source, target, quantity)
        self.table.act(action)
        self.actions.append(action)

    def move(self, source: int, target: int, quantity: int) -> None:
        self.act("move", source, target, quantity)

    def clear_grid(self, keep: Mapping[int, tuple[str, int]] = MappingProxyType({})) -> None:
        """Move the items of the grid into the inventory. Raises CommandError if there is no room.

        `keep` says of a cell which item may stay there, and at most how many.
        """
        for cell, (item, count) in self.table.stacks(GRID):
            if cell in keep and item == keep[cell][0] and count <= keep[cell][1]:
                continue
            while self.table[cell]:
                slot = self.room_for(item, 1, f"{item} from {name_of(cell)}")
                stack = self.table[slot]
                fits = self.table.book.stack_sizes[item] - stack[1] if stack else count
                self.move(cell, slot, min(fits, self.table[cell][1]))  # type: ignore[index]

    def room_for(self, item: str, count: int, what: str = "") -> int:
        """Return a slot like `try_room`, but raise CommandError if there is none."""
        slot = self.try_room(item, count)
        if slot is None:
            raise CommandError(f"there is no room for {what or f'{count} {item}'}: all 36 inventory slots are taken")
        return slot

    def try_room(self, item: str, count: int = 1) -> int | None:
        """Return an inventory slot for `count` more of an item: the fullest stack of it, else a free slot.

        Join stacks first if this is necessary. Return None if there is no room.
        """
        slot = self._room(item, count)
        if slot is None:
            self._tidy()
            slot = self._room(item, count)
        return slot

    def _room(self, item: str, count: int) -> int | None:
        size = self.table.book.stack_sizes[item]
        stacks = [(n, slot) for slot, (name, n) in self.table.stacks(INVENTORY) if name == item and n + count <= size]
        free = (slot for slot in INVENTORY if self.table[slot] is None)
        return max(stacks)[1] if stacks else next(free, None)

    def _tidy(self) -> None:
        """Join stacks of the same item, which frees slots."""
        for source, (item, _) in reversed(self.table.stacks(INVENTORY)):
            for target, (name, count) in self.table.stacks(INVENTORY):
                stack = self.table[source]
                room = self.table.book.stack_sizes[item] - count
                if stack and target < source and name == item and room > 0:
                    self.move(source, target, min(room, stack[1]))

    def take(self, item: str, target: int, count: int) -> None:
        """Fill a grid slot up to `count` items from the inventory, smallest stacks first so that slots become free."""
        there = self.table[target]
        count -= there[1] if there else 0
        while count:
            stacks = [(n, slot) for slot, (name, n) in self.table.stacks(INVENTORY) if name == item]
            size, slot = min(stacks)
            self.move(slot, target, min(size, count))
            count -= min(size, count)


def craft(table: CraftingTable, name: str, count: int) -> Execution:
    """Make at least `count` of item `name` with one recipe. Raises CommandError."""
    if not 1 <= count <= 64 * len(INVENTORY):
        raise CommandError(f"count is {count}: give a number from 1 to {64 * len(INVENTORY)}")
    recipe, picks = choose(table.book, table.counts(), name, count)
    return craft_with(table, recipe, picks)


def craft_with(table: CraftingTable, recipe: Recipe, picks: Picks) -> Execution:
    """Make `recipe` once for each of `picks`, with those ingredients. Raises CommandError.

    Items in the grid stay where the recipe needs them, so a plan made in the middle of these moves continues them.
    """
    execution = Execution(table.copy())
    runs = _runs(picks, execution.table.book)
    execution.clear_grid(
        {cell: (item, times) for pick, times in runs[:1] for cell, item in zip(recipe.cells, pick, strict=True)}
    )
    for pick, times in runs:
        for cell, item in zip(recipe.cells, pick, strict=True):
            execution.take(item, cell, times)
        for _ in range(times):
            execution.move(OUTPUT, execution.room_for(recipe.output, recipe.count), recipe.count)
    return execution


def _runs(picks: Picks, book: RecipeBook) -> list[tuple[tuple[str, ...], int]]:
    """Return equal picks in a row as (pick, times), each short enough for the stacks in the grid."""
    runs: list[tuple[tuple[str, ...], int]] = []
    for pick in picks:
        if runs and runs[-1][0] == pick and runs[-1][1] < min(book.stack_sizes[item] for item in pick):
            runs[-1] = (pick, runs[-1][1] + 1)
        else:
            runs.append((pick, 1))
    return runs


def smelt(table: CraftingTable, name: str, count: int) -> Execution:
    """Smelt `count` of item `name`. Raises CommandError."""
    if count < 1:
        raise CommandError(f"count is {count}: give 1 or more")
    recipe = table.book.smelts.get(name)
    if recipe is None:
        inputs = _inputs(table.book, name)
        hint = f": it is made by smelting {inputs}; name must be the input" if inputs else ""
        raise CommandError(f"{name} cannot be smelted{hint}", *([] if hint else [SMELTABLE]))
    stock = table.counts().get(name, 0)
    if stock < count:
        raise NotEnough(f"I cannot smelt {count} {name} because I need: {count - stock} more {name}", [name])
    execution = Execution(table.copy())
    if table.stacks(GRID):
        execution.clear_grid()
    size = execution.table.book.stack_sizes[recipe.output]
    while count:
        target = execution.try_room(recipe.output)
        here, source = min((n, slot) for slot, (item, n) in execution.table.stacks(INVENTORY) if item == name)
        if target is None and here <= count:
            target = GRID[0]  # smelting this stack frees its slot, so the output waits in the grid
        if target is None:
            raise CommandError(f"there is no room for {count} {recipe.output}: all 36 inventory slots are taken")
        stack = execution.table[target]
        times = min(here, count, size - stack[1] if stack else size)
        execution.act("smelt", source, target, times)
        count -= times
        if target in GRID:
            execution.clear_grid()
    return execution


def carry_out(table: CraftingTable, name: str, args: Args) -> Execution:
    """Execute one command of the crafting world by its name. Raises CommandError."""
    if name in ("craft_item", "smelt_item"):
        return (craft if name == "craft_item" else smelt)(table, args["name"], args["count"])
    execution = Execution(table.copy())
    execution.act(name, index_of(args["source"]), index_of(args["target"]), args["quantity"])
    return execution


def choose(book: RecipeBook, counts: Mapping[str, int], name: str, count: int) -> tuple[Recipe, Picks]:
    """Return the recipe for `count` of `name` that uses the smallest part of the stock. Raises CommandError."""
    recipes = [recipe for recipe in book.making(name) if recipe.kind != "smelting"]
    if not recipes:
        if inputs := _inputs(book, name):
            advice = Advice(f"use {{}} with name={inputs}", ("smelt_item",))
            raise CommandError(f"{name} is smelted, not crafted", advice)
        raise CommandError(f"nothing makes {name}: it has no recipe and must be in the inventory already")
    shortages: list[dict[str, int]] = []
    ready: list[tuple[Fraction, Recipe, int]] = []
    for recipe in recipes:
        times = -(-count // recipe.count)
        if missing := lacks(recipe, counts, times):
            shortages.append(missing)
        else:
            strain = max(Fraction(n * times, _stock(choices, counts)) for choices, n in recipe.groups.items())
            ready.append((strain, recipe, times))
    if not ready:
        parts = min(shortages, key=lambda missing: (sum(missing.values()), len(missing)))
        need = ", ".join(f"{n} more {item}" for item, n in parts.items())
        what = name if count == 1 else f"{count} {name}"
        raise NotEnough(f"I cannot make {what} because I need: {need}", list(parts))
    _, recipe, times = min(ready, key=lambda option: option[0])
    return recipe, pick(recipe, counts, times)


def pick(recipe: Recipe, counts: Mapping[str, int], times: int) -> Picks:
    """Return the item for each ingredient of each craft, the most abundant first. `counts` must suffice."""
    supply = {
        choices: [item for item in _by_abundance(choices, counts) for _ in range(min(counts[item], n * times))]
        for choices, n in recipe.groups.items()
    }
    return recipe.deal(supply, times)


def lacks(recipe: Recipe, counts: Mapping[str, int], times: int) -> dict[str, int]:
    """Return what is missing to make `recipe` that many times. The most abundant item of a group names it."""
    missing = {}
    for choices, n in recipe.groups.items():
        if (short := n * times - _stock(choices, counts)) > 0:
            missing[(_by_abundance(choices, counts) or list(choices))[0]] = short
    return missing


def _stock(choices: Choices, counts: Mapping[str, int]) -> int:
    return sum(counts.get(item, 0) for item in choices)


def _by_abundance(choices: Choices, counts: Mapping[str, int]) -> list[str]:
    return sorted((item for item in choices if counts.get(item)), key=lambda item: -counts[item])


def _inputs(book: RecipeBook, name: str) -> str:
    """Return "a or b" for the items that are smelted into an item, or ""."""
    return " or ".join(item for item, recipe in book.smelts.items() if recipe.output == name)
