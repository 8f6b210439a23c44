"""What items are worth in raw materials, by the cheapest tree of recipes.

Recipes that are no part of a cheapest tree (unpacking what was packed, melting tools down) feed on each other; leaving
them out keeps a search from walking in circles. Neighbours: `lacking.py` and `planner.py` do so.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction

from autocraft.worlds.crafting.recipes import Recipe, RecipeBook

Worth = tuple[Fraction, int]
"""Raw items that one of an item takes, and how many crafts stand one upon another in its tree."""


def natural(book: RecipeBook, item: str) -> bool:
    """Whether `item` is raw: nothing makes it, or it is unpacked from a block packed of it alone, as coal is."""
    recipes = book.making(item)
    blocks = [choices[0] for recipe in recipes if recipe.count > 1 for choices in recipe.groups if len(choices) == 1]
    packings = [packing for block in blocks for packing in book.making(block)]
    return not recipes or any(set(packing.groups) == {(item,)} for packing in packings)


@functools.cache
def values(book: RecipeBook) -> Mapping[str, Worth]:
    """The worth of every item by its cheapest tree; of two equally cheap ones, the lower."""
    worth = {item: (Fraction(1), 0) for item in book.items if natural(book, item)}
    changed = True
    while changed:
        changed = False
        for recipe in book.recipes:
            cost = price(recipe, worth)
            if cost is not None and (recipe.output not in worth or cost < worth[recipe.output]):
                worth[recipe.output] = cost
                changed = True
    return worth


def price(recipe: Recipe, worth: Mapping[str, Worth]) -> Worth | None:
    """The worth of what `recipe` makes, with the cheapest of each choice; None while one of them has none yet."""
    total, height = Fraction(0), 0
    for choices in recipe.ingredients:
        known = [worth[item] for item in choices if item in worth]
        if not known:
            return None
        total += min(known)[0]
        height = max(height, min(known)[1])
    return total / recipe.count, height + 1


def thrifty(recipe: Recipe, worth: Mapping[str, Worth]) -> bool:
    """Whether `recipe` may stand in a cheapest tree."""
    cost = price(recipe, worth)
    return cost is not None and cost <= worth[recipe.output]
