"""The worth of items in raw materials, by the cheapest tree of recipes.

Recipes outside every cheapest tree (unpacking what was packed, melting tools down) feed each other. Leaving them out
keeps a search from going in circles.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from autocraft.crafting.recipes import Recipe, RecipeBook

Worth = tuple[Fraction, int]
"""How many raw items are used for one item, and the height of its tree in crafts."""


@dataclass
class _Trees:
    """The cheapest tree so far of each item: its worth, and the items in it."""

    worth: dict[str, Worth] = field(default_factory=dict)
    items: dict[str, frozenset[str]] = field(default_factory=dict)

    def plant(self, raw: Iterable[str]) -> None:
        for item in raw:
            self.worth[item] = (Fraction(1), 0)
            self.items[item] = frozenset({item})

    def improve(self, recipe: Recipe) -> bool:
        """Use `recipe` if it makes its output cheaper, from trees without that output. Return whether it does."""
        picks = []
        for choices in recipe.ingredients:
            options = [item for item in choices if item in self.worth and recipe.output not in self.items[item]]
            if not options:
                return False
            picks.append(min(options, key=self.worth.__getitem__))
        cost = _sum(recipe, [self.worth[item] for item in picks])
        if recipe.output in self.worth and cost >= self.worth[recipe.output]:
            return False
        self.worth[recipe.output] = cost
        self.items[recipe.output] = frozenset({recipe.output}).union(*(self.items[item] for item in picks))
        return True


def natural(book: RecipeBook, item: str) -> bool:
    """Return whether `item` is raw: nothing makes it, or it is unpacked from a block of it alone, like coal."""
    recipes = book.making(item)
    blocks = [choices[0] for recipe in recipes if recipe.count > 1 for choices in recipe.groups if len(choices) == 1]
    packings = [packing for block in blocks for packing in book.making(block)]
    return not recipes or any(set(packing.groups) == {(item,)} for packing in packings)


@functools.cache
def values(book: RecipeBook) -> Mapping[str, Worth]:
    """Return the worth of every item by its cheapest tree; of two equally cheap ones, by the lower.

    No item is above itself in a tree, so recipes that gain something in a circle (A to B, B to 2 A) make nothing ever
    cheaper. The loop ends: a tree changes only after one inside it has, so round n changes trees of a height of about n
    at least, and no tree is higher than the number of items. An item that no raw item leads to counts as raw itself.
    """
    trees = _Trees()
    trees.plant(item for item in book.items if natural(book, item))
    _grow(trees, book.recipes)
    if stuck := [item for item in book.items if item not in trees.worth]:
        trees.plant(stuck)
        _grow(trees, book.recipes)
    return trees.worth


def _grow(trees: _Trees, recipes: Iterable[Recipe]) -> None:
    """Improve the trees until no recipe changes one."""
    change = True
    while change:
        change = False
        for recipe in recipes:
            change = trees.improve(recipe) or change


def price(recipe: Recipe, worth: Mapping[str, Worth]) -> Worth | None:
    """Return the worth of a recipe's output from the cheapest items. Return None if no item of a choice has one."""
    parts = []
    for choices in recipe.ingredients:
        options = [worth[item] for item in choices if item in worth]
        if not options:
            return None
        parts.append(min(options))
    return _sum(recipe, parts)


def _sum(recipe: Recipe, parts: Iterable[Worth]) -> Worth:
    """Return the worth of one of the output, whose ingredients are worth `parts`."""
    total, height = Fraction(0), 0
    for cost, below in parts:
        total, height = total + cost, max(height, below)
    return total / recipe.count, height + 1


def thrifty(recipe: Recipe, worth: Mapping[str, Worth]) -> bool:
    """Return whether `recipe` may be in a cheapest tree."""
    cost = price(recipe, worth)
    return cost is not None and cost <= worth[recipe.output]
