"""The question of a certificate: the start, the goal and the recipes between them, with like items under one name."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autocraft.crafting.recipes import Recipe, RecipeBook
from autocraft.crafting.slots import GRID
from autocraft.crafting.table import CraftingTable

Cell = frozenset[str]
"""The names of items that may be in a cell; empty for none."""
NOTHING: Cell = frozenset()
STEPS = 10


class Unsound(Exception):
    """The error that a certificate proves nothing. Its text says why. It never leaves `verify`."""


@dataclass
class Work:
    """The limit of a check's work, so that it ends for any input: `states`, and `STEPS` times as many steps.

    A step is one way to lay a recipe, to draw on a stock, or to go from one grid to the next.
    """

    states: int
    remaining: int = field(init=False)

    def __post_init__(self) -> None:
        self.remaining = self.states * STEPS

    def step(self, steps: int = 1) -> None:
        """Count steps. Raises Unsound if none are left."""
        self.remaining -= steps
        if self.remaining < 0:
            raise Unsound(f"this cannot be checked within {self.states} states and {self.states * STEPS} steps")


@dataclass(frozen=True)
class Craft:
    """A recipe of the grid. `needs` are (accepted names, number of cells).

    `at` are pairs of (row, column) and the index of a need. It is empty for a shapeless recipe.
    """

    makes: str
    count: int
    needs: tuple[tuple[Cell, int], ...]
    at: tuple[tuple[tuple[int, int], int], ...]


@dataclass(frozen=True, eq=False)
class Pattern:
    """The content of the grid when [0] is taken: the craft, the names it uses, and its cells.

    `cells` are the filled cells; `places` are all nine cells for each position of the shape. Equal patterns are one
    object.
    """

    craft: int
    makes: str
    count: int
    need: tuple[tuple[str, int], ...]
    cells: tuple[Cell, ...]
    places: tuple[tuple[Cell, ...], ...]


class Question:
    """The question that a certificate answers. Merged items have the first of their names."""

    def __init__(self, table: CraftingTable, targets: Mapping[str, int], classes: Sequence[Sequence[str]] = ()) -> None:
        self.book = table.book
        self._first = {item: group[0] for group in classes for item in group}
        if len(self._first) < sum(map(len, classes)):
            raise Unsound("an item is merged twice")
        stock = table.counts()
        reachable = within_reach(self.book, stock)
        recipes = list(leading_to(self.book, targets, reachable))
        self.crafts: list[Craft] = []
        self.smelts: dict[str, set[str]] = {}
        for recipe in recipes:
            self._add(recipe, reachable)
        self.inputs = {name for names in self.smelts.values() for name in names}
        self.grid = [self._stack(table, cell) for cell in GRID]
        used = {name for craft in self.crafts for names, _ in craft.needs for name in names}
        used |= {craft.makes for craft in self.crafts} | self.inputs
        used |= {stack[0] for stack in self.grid if stack} | set(self.smelts) | {self.name(item) for item in targets}
        self.names = sorted(used)
        self.number = {name: index for index, name in enumerate(self.names)}
        self.start = self._counts(stock)
        self.goal = self._counts(targets)
        self._patterns: dict[tuple[int, tuple[tuple[str, ...], ...]], Pattern] = {}
        self._check_merged()

    def _check_merged(self) -> None:
        """Raise Unsound if the proofs do not hold for the merged items.

        They need rule 4, and two cells of a recipe must accept the same items or no common ones.
        """
        for craft in self.crafts:
            if any(craft.makes in names for names, _ in craft.needs):
                raise Unsound(f"a recipe uses what it makes once {craft.makes} is merged, which no bound here covers")
            if sum(len(names) for names, _ in craft.needs) > len(
                frozenset().union(*(names for names, _ in craft.needs))
            ):
                raise Unsound(f"two kinds of cells of {craft.makes} share an item once it is merged")
        for product in self.smelts:
            further = {product}
            while more := {item for item, inputs in self.smelts.items() if inputs & further} - further:
                further |= more
            if further & self.smelts[product]:
                raise Unsound(f"{product} can be smelted from itself once it is merged, which no bound here covers")

    def name(self, item: str) -> str:
        """Return the name that stands for `item`."""
        return self._first.get(item, item)

    def _stack(self, table: CraftingTable, cell: int) -> tuple[str, int] | None:
        stack = table[cell]
        return (self.name(stack[0]), stack[1]) if stack else None

    def _counts(self, counts: Mapping[str, int]) -> tuple[int, ...]:
        total: Counter[str] = Counter()
        for item, count in counts.items():
            total[self.name(item)] += count
        return tuple(total[name] for name in self.names)

    def _add(self, recipe: Recipe, reachable: set[str]) -> None:
        accepted = [frozenset(self.name(item) for item in part if item in reachable) for part in recipe.ingredients]
        makes = self.name(recipe.output)
        if recipe.kind == "smelting":
            self.smelts.setdefault(makes, set()).update(accepted[0])
            return
        kinds = list(dict.fromkeys(accepted))
        at = []
        if recipe.kind == "shaped":
            at = [((cell - 1) // 3, (cell - 1) % 3) for cell in recipe.cells]
        shape = tuple((place, kinds.index(names)) for place, names in zip(at, accepted, strict=False))
        craft = Craft(makes, recipe.count, tuple((kind, accepted.count(kind)) for kind in kinds), shape)
        if craft not in self.crafts:
            self.crafts.append(craft)

    def ways(self, craft: Craft, there: set[str]) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yield each choice, among the names `there`, for the needs of the craft."""
        return itertools.product(
            *(itertools.combinations_with_replacement(sorted(names & there), cells) for names, cells in craft.needs)
        )

    def pattern(self, number: int, way: tuple[tuple[str, ...], ...]) -> Pattern:
        """Return the pattern in which the craft `number` uses the names of `way`."""
        if (number, way) not in self._patterns:
            need = Counter(itertools.chain(*way))
            mixed = [frozenset(names) for names in way]
            loose = [frozenset([name]) for name in itertools.chain(*way)]
            self._patterns[number, way] = _pattern(
                self.crafts[number], number, tuple(sorted(need.items())), mixed, loose
            )
        return self._patterns[number, way]

    def any_pattern(self, number: int) -> Pattern:
        """Return the pattern in which each cell holds any accepted name. No pattern of the craft needs fewer fills."""
        craft = self.crafts[number]
        loose = [names for names, cells in craft.needs for _ in range(cells)]
        return _pattern(craft, number, (), [names for names, _ in craft.needs], loose)


def _pattern(
    craft: Craft, number: int, need: tuple[tuple[str, int], ...], mixed: Sequence[Cell], loose: Sequence[Cell]
) -> Pattern:
    if not craft.at:
        return Pattern(number, craft.makes, craft.count, need, tuple(loose), ())
    places = []
    for down, right in itertools.product(range(3), range(3)):
        moved = {(row + down, column + right): mixed[kind] for (row, column), kind in craft.at}
        if all(row < 3 and column < 3 for row, column in moved):
            places.append(tuple(moved.get(divmod(cell, 3), NOTHING) for cell in range(9)))
    return Pattern(number, craft.makes, craft.count, need, tuple(mixed[kind] for _, kind in craft.at), tuple(places))


def within_reach(book: RecipeBook, stock: Iterable[str]) -> set[str]:
    """Return every item that could be made if the held items never ran out."""
    reachable = set(stock)
    while True:
        more = {
            recipe.output
            for recipe in book.recipes
            if recipe.output not in reachable and all(not reachable.isdisjoint(part) for part in recipe.ingredients)
        }
        if not more:
            return reachable
        reachable |= more


def leading_to(book: RecipeBook, targets: Iterable[str], reachable: set[str]) -> Iterator[Recipe]:
    """Yield the recipes that can be made and whose output is wanted or is an ingredient of another of them."""
    relevant = list(targets)
    for item in relevant:
        for recipe in book.making(item):
            if all(not reachable.isdisjoint(part) for part in recipe.ingredients):
                yield recipe
                relevant += [
                    other
                    for part in recipe.ingredients
                    for other in part
                    if other in reachable and other not in relevant
                ]
