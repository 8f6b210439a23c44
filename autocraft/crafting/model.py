"""A crafting question as a whole-number program: how many times is each recipe made?

Rows are items (start + made - used >= wanted) and pools. A pool stands for "any of these items" in a recipe that
accepts several, so that every column uses fixed amounts. Columns are recipes, smeltings by input, and ways into a pool.
The program ignores order, so what it cannot do is impossible in any order.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from autocraft.crafting.recipes import Choices, Recipe, RecipeBook
from autocraft.crafting.solver import LinearProgram

Groups = Mapping[Choices, Choices]
"""For each group of a recipe's ingredients, the items that are considered for it."""
CRAFT_COST = 100
"""The cost of making a recipe once. Each ingredient costs 1 more, so recipes with few ingredients are preferred."""


@dataclass(frozen=True, slots=True)
class Column:
    """`recipe` made once (of `item` if it is smelted), or, if `recipe` is None, one `item` put into `pool`."""

    makes: str
    count: int
    uses: Mapping[str, int]
    cost: int
    recipe: Recipe | None = None
    item: str = ""

    @property
    def pool(self) -> str:
        return "" if self.recipe else self.makes


@dataclass(frozen=True)
class Demand:
    """The `targets`: item -> how many are wanted, and the `counts` of the items from which they can be made."""

    book: RecipeBook
    counts: Mapping[str, int]
    targets: Mapping[str, int]

    @functools.cached_property
    def reachable(self) -> set[str]:
        """Return every item that is held or could be made if the held items never ran out."""
        return reachable(self.book, self.counts)


@dataclass
class RecipeModel:
    """The columns and rows of a demand. `rows` maps item and pool names to how many are wanted beyond the counts."""

    demand: Demand
    columns: list[Column] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)

    def program(self) -> LinearProgram:
        """Return the columns and rows as a program of the solver."""
        number = {name: i for i, name in enumerate(self.rows)}
        entries = []
        for column in self.columns:
            entry = {number[name]: -used for name, used in column.uses.items()}
            row = number[column.makes]
            entry[row] = entry.get(row, 0) + column.count
            entries.append(entry)
        return LinearProgram(entries, [column.cost for column in self.columns], list(self.rows.values()))


def first_recipes(book: RecipeBook, start: Mapping[str, int]) -> dict[str, Recipe]:
    """Return the first recipe found for each item that could be made if the items of `start` never ran out."""
    have = dict.fromkeys(item for item, count in start.items() if count > 0)
    recipes: dict[str, Recipe] = {}
    items = list(have)
    for item in items:
        for recipe in book.using(item):
            if recipe.output not in have and all(any(map(have.__contains__, part)) for part in recipe.ingredients):
                have[recipe.output] = None
                recipes[recipe.output] = recipe
                items.append(recipe.output)
    return recipes


def reachable(book: RecipeBook, start: Mapping[str, int]) -> set[str]:
    """Return every item that is in `start` or could be made if its items never ran out."""
    return {item for item, count in start.items() if count > 0}.union(first_recipes(book, start))


def relevant(
    book: RecipeBook,
    targets: Iterable[str],
    narrow: Callable[[Choices], Choices],
    keep: Callable[[Recipe], bool] = lambda recipe: True,
) -> Iterator[tuple[str, list[tuple[Recipe, Groups]]]]:
    """Yield each item that can matter for `targets`, the nearest first, with its recipes and their ingredients.

    `narrow` selects the accepted items to consider. A recipe with no item left for an ingredient is left out, as is one
    that `keep` refuses.
    """
    queue = list(targets)
    queued = set(queue)
    for name in queue:
        recipes: list[tuple[Recipe, Groups]] = []
        for recipe in filter(keep, book.making(name)):
            groups: Groups = {choices: narrow(choices) for choices in recipe.groups}
            if all(groups.values()):
                recipes.append((recipe, groups))
                fresh = dict.fromkeys(item for group in groups.values() for item in group if item not in queued)
                queued.update(fresh)
                queue += fresh
        yield name, recipes


def build(
    demand: Demand, narrow: Callable[[Choices], Choices], keep: Callable[[Recipe], bool] = lambda recipe: True
) -> RecipeModel:
    """Return the model of all recipes that can matter for `demand`; `narrow` and `keep` are those of `relevant`."""
    model = RecipeModel(demand)
    for name, recipes in relevant(demand.book, demand.targets, narrow, keep):
        model.rows[name] = demand.targets.get(name, 0) - demand.counts.get(name, 0)
        for recipe, groups in recipes:
            for column in _columns(recipe, groups):
                model.columns.append(column)
                for used in column.uses:
                    _pool(model, used)
    return model


def _columns(recipe: Recipe, groups: Groups) -> list[Column]:
    if recipe.kind == "smelting":
        items = groups[recipe.ingredients[0]]
        return [Column(recipe.output, 1, {item: 1}, CRAFT_COST + 1, recipe, item) for item in items]
    uses: Counter[str] = Counter()
    for choices, count in recipe.groups.items():
        uses["|".join(groups[choices])] += count
    return [Column(recipe.output, recipe.count, uses, CRAFT_COST + uses.total(), recipe)]


def _pool(model: RecipeModel, name: str) -> None:
    """Add the row of the pool "a|b|c" and the ways into it. A single item needs none."""
    items = name.split("|")
    if len(items) > 1 and name not in model.rows:
        model.rows[name] = 0
        model.columns += [Column(name, 1, {item: 1}, 0, item=item) for item in items]
