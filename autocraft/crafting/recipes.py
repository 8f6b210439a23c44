"""The recipes of Minecraft 1.16 as values, and the book that finds them."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from autocraft.errors import CommandError
from autocraft.goals.wording import Names
from autocraft.text.phrases import join_words, near_names

Choices = tuple[str, ...]
"""The items that one ingredient accepts, in the game's order."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One recipe. `ingredients[i]` is in grid slot `cells[i]` (1..9, pushed to the top left; empty for smelting)."""

    kind: Literal["shaped", "shapeless", "smelting"]
    output: str
    count: int
    ingredients: tuple[Choices, ...]
    cells: tuple[int, ...] = ()

    @property
    def groups(self) -> dict[Choices, int]:
        """Return how many cells take each choice of items. In 1.16 no two groups of a recipe share an item."""
        return Counter(self.ingredients)

    def deal(self, supply: Mapping[Choices, Iterable[str]], times: int = 1) -> tuple[tuple[str, ...], ...]:
        """Return the item of each ingredient of each craft, from the items that are used for each group."""
        items = {choices: iter(stack) for choices, stack in supply.items()}
        return tuple(tuple(next(items[choices]) for choices in self.ingredients) for _ in range(times))

    @property
    def size(self) -> tuple[int, int]:
        """Return rows and columns of the smallest box around the cells."""
        return max((cell + 2) // 3 for cell in self.cells), max((cell - 1) % 3 + 1 for cell in self.cells)


class RecipeBook:
    """All recipes and items, indexed. It never changes."""

    def __init__(self, recipes: Sequence[Recipe], stack_sizes: dict[str, int]) -> None:
        self.recipes = tuple(recipes)
        self.stack_sizes = stack_sizes
        self.smelts: dict[str, Recipe] = {}
        self._by_output: dict[str, list[Recipe]] = {}
        self._users: dict[str, list[Recipe]] = {}
        self._shapeless: dict[tuple[str, ...], Recipe] = {}
        self._shapes: dict[tuple[int, ...], list[dict[str, int]]] = {}
        """Cells -> for each of them, item -> bits of the shaped recipes that accept it there."""
        self._placements: dict[tuple[int, ...], list[dict[str, int]]] = {}
        """The same by the indexes of the filled cells, for every place where the shape can lie."""
        for index, recipe in enumerate(self.recipes):
            self._by_output.setdefault(recipe.output, []).append(recipe)
            for item in dict.fromkeys(item for choices in recipe.ingredients for item in choices):
                self._users.setdefault(item, []).append(recipe)
            if recipe.kind == "smelting":
                self.smelts |= dict.fromkeys(recipe.ingredients[0], recipe)
            elif recipe.kind == "shapeless":
                self._shapeless |= dict.fromkeys(_bags(recipe.ingredients), recipe)
            else:
                self._index_shape(index, recipe)
        smelts = {item: recipe.output for item, recipe in self.smelts.items()}
        self.items: frozenset[str] = Names.of(set(stack_sizes) - {"air"}, smelts)

    def _index_shape(self, index: int, recipe: Recipe) -> None:
        """Set the recipe's bit at each item that each of its cells accepts, for every position of the shape."""
        rows, columns = recipe.size
        cells = self._shapes.setdefault(recipe.cells, [{} for _ in recipe.cells])
        for bits, choices in zip(cells, recipe.ingredients, strict=True):
            for item in choices:
                bits[item] = bits.get(item, 0) | 1 << index
        for down in range(4 - rows):
            for right in range(4 - columns):
                self._placements[tuple(cell - 1 + 3 * down + right for cell in recipe.cells)] = cells

    def making(self, item: str) -> Sequence[Recipe]:
        """Return the recipes whose output is `item`."""
        return self._by_output.get(item, ())

    def using(self, item: str) -> Sequence[Recipe]:
        """Return the recipes that accept `item` somewhere."""
        return self._users.get(item, ())

    def match(self, grid: Sequence[str | None]) -> Recipe | None:
        """Return the recipe that these nine cells make, or None. A shape may lie anywhere, but is not mirrored."""
        indexes = tuple([index for index, item in enumerate(grid) if item is not None])
        items = [item for item in grid if item is not None]
        if cells := self._placements.get(indexes):
            fitting = -1
            for item, bits in zip(items, cells, strict=True):
                fitting &= bits.get(item, 0)
            if fitting:
                return self.recipes[(fitting & -fitting).bit_length() - 1]
        return self._shapeless.get(tuple(sorted(items)))

    def name(self, text: str) -> str:
        """Return the item that `text` means, such as "oak_planks" for "Minecraft:Oak Planks". Raises CommandError."""
        plain = re.sub(r"[\s_-]+", "_", text.strip().lower().removeprefix("minecraft:").strip())
        for candidate in (plain, plain.removesuffix("s"), plain.removesuffix("es")):
            if candidate in self.items:
                return candidate
        raise CommandError(f"there is no item {text[:60]!r} in Minecraft 1.16{near_items(plain[:60], self.items)}")


def near_items(text: str, all_names: Iterable[str]) -> str:
    """Return "; did you mean a, b or c?", or "" if no name is similar."""
    near = near_names(text, all_names, least=0.7)
    near += [name for name in sorted(all_names) if name.endswith(f"_{text}") and name not in near][: 3 - len(near)]
    return f"; did you mean {join_words(near, 'or')}?" if near else ""


def _bags(ingredients: Sequence[Choices]) -> Iterator[tuple[str, ...]]:
    """Yield every sorted tuple of items that fits a shapeless recipe."""
    bags: set[tuple[str, ...]] = {()}
    for choices in ingredients:
        bags = {tuple(sorted((*bag, item))) for bag in bags for item in choices}
    yield from sorted(bags)


@functools.cache
def load_book() -> RecipeBook:
    """Return the book of Minecraft 1.16. The file is read once."""
    data = json.loads((Path(__file__).parent / "data/recipes.json").read_text("utf-8"))
    stack_sizes = {item: int(size) for size, items in data["stack_sizes"].items() for item in items}
    return RecipeBook([_recipe(*row) for row in data["recipes"]], stack_sizes)


def _recipe(kind: Literal["shaped", "shapeless", "smelting"], output: str, count: int, body: list[Any]) -> Recipe:
    """Return the recipe of a row of recipes.json."""
    if kind == "smelting":
        return Recipe(kind, output, count, (tuple(body),))
    if kind == "shapeless":
        return Recipe(kind, output, count, tuple(tuple(part) for part in body), tuple(range(1, len(body) + 1)))
    filled = [(row * 3 + column + 1, tuple(c)) for row, cells in enumerate(body) for column, c in enumerate(cells) if c]
    return Recipe(kind, output, count, tuple(c for _, c in filled), tuple(cell for cell, _ in filled))
