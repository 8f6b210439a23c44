"""A question for the planner of fewest actions: numbered items, the recipes that can matter, and the start.

One item of a problem may stand for several items of the game that its recipes accept in the same cells (planks of any
wood). A goal that is impossible in the merged problem is impossible in the game, and the search is much smaller.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from autocraft.crafting.model import Groups, reachable, relevant
from autocraft.crafting.recipes import Recipe, RecipeBook
from autocraft.crafting.slots import GRID
from autocraft.crafting.table import CraftingTable

Counts = tuple[int, ...]
"""The number of each item outside [0]."""
Way = tuple[tuple[int, ...], ...]
"""For each group of a craft, the items that it takes."""
Cells = tuple[int, ...]
"""A set of items, as bits, for each of the nine cells; 0 is an empty cell."""


@dataclass(frozen=True)
class Craft:
    """A recipe of the table. `groups` are (accepted items, cells), `shape` is the group of each of nine cells or -1."""

    number: int
    recipe: Recipe
    makes: int
    count: int
    groups: tuple[tuple[tuple[int, ...], int], ...]
    shape: tuple[int, ...]

    @property
    def shapeless(self) -> bool:
        return self.recipe.kind == "shapeless"


@dataclass(frozen=True)
class Pattern:
    """The content of the grid when [0] is taken. `places` are all positions of a shape, () for a shapeless recipe.

    A cell with two bits holds one of two items. `craft` is -1 for the grid at the start.
    """

    craft: int
    makes: int
    count: int
    cells: Cells
    need: tuple[tuple[int, int], ...]
    places: tuple[Cells, ...]

    @property
    def size(self) -> int:
        return sum(cell > 0 for cell in self.cells)


@dataclass
class Problem:
    """A question with numbered items.

    Item i stands for the game's items `names[i]`. `sources[x]` are the items that smelt into x. `grid` is the grid at
    the start, as (item, count) or None for each cell; `start` counts its items too.
    """

    names: list[tuple[str, ...]]
    start: Counts
    targets: Counts
    crafts: list[Craft]
    sources: dict[int, tuple[int, ...]]
    grid: tuple[tuple[int, int] | None, ...]
    patterns: list[Pattern] = field(default_factory=list)
    inputs: set[int] = field(init=False)
    """All items that are smelted into another."""
    _pattern_numbers: dict[tuple[int, Way], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        cells = tuple(1 << stack[0] if stack else 0 for stack in self.grid)
        self.patterns.append(Pattern(-1, -1, 0, cells, (), (cells,)))
        self.inputs = {item for inputs in self.sources.values() for item in inputs}

    def met(self, counts: Counts) -> bool:
        return all(have >= want for have, want in zip(counts, self.targets, strict=True))

    def smeltable(self, item: int, counts: Counts) -> int:
        """Return how many of `item` could be smelted from these counts."""
        return sum(counts[source] + self.smeltable(source, counts) for source in self.sources.get(item, ()))

    def ways(self, craft: Craft, there: Set[int]) -> Iterator[Way]:
        """Yield each choice, among the items `there`, for the groups of `craft`."""
        options = [
            itertools.combinations_with_replacement([item for item in choices if item in there], cells)
            for choices, cells in craft.groups
        ]
        return itertools.product(*options)

    def pattern(self, craft: Craft, way: Way) -> int:
        """Return the number of the pattern in which `craft` uses the items of `way`."""
        key = (craft.number, way)
        if key not in self._pattern_numbers:
            self._pattern_numbers[key] = len(self.patterns)
            self.patterns.append(_pattern(craft, way))
        return self._pattern_numbers[key]

    def everything(self, craft: Craft) -> Pattern:
        """Return the pattern in which each cell holds any item that `craft` accepts, for bounds over all patterns."""
        bits = [sum(1 << item for item in choices) for choices, _ in craft.groups]
        return _lay(craft, [[content] * cells for content, (_, cells) in zip(bits, craft.groups, strict=True)], ())


def _pattern(craft: Craft, way: Way) -> Pattern:
    need = Counter(itertools.chain(*way))
    groups = []
    for items in way:
        bits = sum(1 << item for item in set(items))
        # In a shape with mixed items a cell can hold any of them; without a shape each item has a cell of its own.
        groups.append([1 << item for item in items] if craft.shapeless else [bits] * len(items))
    return _lay(craft, groups, tuple(sorted(need.items())))


def _lay(craft: Craft, groups: list[list[int]], need: tuple[tuple[int, int], ...]) -> Pattern:
    if craft.shapeless:
        cells = tuple(sorted(itertools.chain(*groups)))
        return Pattern(craft.number, craft.makes, craft.count, cells, need, ())
    cells = tuple(groups[group][0] if group >= 0 else 0 for group in craft.shape)
    return Pattern(craft.number, craft.makes, craft.count, cells, need, _places(cells))


def _places(cells: Cells) -> tuple[Cells, ...]:
    corners = [divmod(place, 3) for place in range(9) if cells[place]]
    height, width = max(row for row, _ in corners), max(column for _, column in corners)
    places = []
    for down, right in itertools.product(range(3 - height), range(3 - width)):
        copy = [0] * 9
        for row, column in corners:
            copy[(row + down) * 3 + column + right] = cells[row * 3 + column]
        places.append(tuple(copy))
    return tuple(places)


def problem_of(book: RecipeBook, table: CraftingTable, targets: Mapping[str, int], *, merge: bool) -> Problem:
    """Return the problem of holding `targets` from `table`, with the recipes that can matter."""
    counts = table.counts()
    have = reachable(book, counts)
    near = relevant(book, targets, lambda choices: tuple(item for item in choices if item in have))
    recipes = [way for _, ways in near for way in ways]
    stacks = [table[cell] for cell in GRID]
    ingredients = (item for _, groups in recipes for part in groups.values() for item in part)
    items = list(dict.fromkeys([*targets, *ingredients, *(stack[0] for stack in stacks if stack)]))
    classes: list[tuple[str, ...]] = _alike(items, recipes, targets) if merge else [(item,) for item in items]
    number = {item: index for index, members in enumerate(classes) for item in members}
    crafts: dict[tuple[object, ...], Craft] = {}
    sources: dict[int, dict[int, None]] = {}
    for recipe, groups in recipes:
        product = number[recipe.output]
        parts = [tuple(dict.fromkeys(number[item] for item in part)) for part in groups.values()]
        if recipe.kind == "smelting":
            sources.setdefault(product, {}).update(dict.fromkeys(parts[0]))
            continue
        order = list(groups)
        needs = tuple(zip(parts, recipe.groups.values(), strict=True))
        shape = [-1] * 9
        for cell, choices in zip(recipe.cells, recipe.ingredients, strict=True):
            shape[cell - 1] = order.index(choices)
        key = (recipe.kind, product, recipe.count, needs, tuple(shape))
        crafts.setdefault(key, Craft(len(crafts), recipe, product, recipe.count, needs, tuple(shape)))
    return Problem(
        names=classes,
        start=tuple(sum(counts.get(item, 0) for item in members) for members in classes),
        targets=tuple(sum(targets.get(item, 0) for item in members) for members in classes),
        crafts=list(crafts.values()),
        sources={product: tuple(inputs) for product, inputs in sources.items()},
        grid=tuple((number[stack[0]], stack[1]) if stack else None for stack in stacks),
    )


def _alike(
    items: Sequence[str],
    recipes: Sequence[tuple[Recipe, Groups]],
    targets: Mapping[str, int],
) -> list[tuple[str, ...]]:
    """Return classes of items that every recipe accepts in the same cells."""
    places: dict[str, list[int]] = {item: [] for item in items}
    for place, part in enumerate(part for _, groups in recipes for part in groups.values()):
        for item in part:
            places[item].append(place)
    alone = {item for item in items if item in targets or not places[item]}
    classes: dict[tuple[object, ...], list[str]] = {}
    for item in items:
        classes.setdefault((item,) if item in alone else tuple(places[item]), []).append(item)
    return [tuple(members) for members in classes.values()]
