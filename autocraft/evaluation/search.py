"""What the action `search` answers: the recipe of an exact name, or the recipes whose words are near.

The first is the counterpart of plancraft's gold retriever, with a generator of its own instead of the global one; the
second is no oracle.
"""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING

from autocraft.errors import CommandError, UsageError
from autocraft.memory.lexical import LexicalEmbedder
from autocraft.worlds.crafting.describe import recipe_text
from autocraft.worlds.crafting.recipes import Recipe, RecipeBook, near_items
from autocraft.worlds.crafting.slots import name_of

if TYPE_CHECKING:
    from autocraft.memory.matrix import Matrix

_MOST_QUERY = 200
"""Characters of a query that are looked at."""
_WEIGHT = 4  # with which every exact name finds its own recipe first
_FLOOR = 0.2  # nearness that 19 of 20 random strings do not reach


def gold_recipe(book: RecipeBook, name: str, rng: random.Random) -> str:
    """Every recipe of an item, each laid out once with ingredients and a place in the grid that `rng` chooses.

    As in the package, only exact names are found; any other is told the near ones.
    """
    name = name.strip().strip("`\"'")
    if name not in book.items:
        return (
            f"Could not find a recipe by that name{_near(book, name[:60]) or '; names are exact, such as oak_planks'}"
        )
    recipes = book.making(name)
    if not recipes:
        return f"Nothing makes {name}: it has no recipe."
    parts = [f"recipe {number}:\n{_laid_out(recipe, rng)}" for number, recipe in enumerate(recipes, 1)]
    return "\n".join([f"Recipes to craft {name}:", *parts])


def _near(book: RecipeBook, text: str) -> str:
    try:
        return f"; did you mean {book.name(text)}?"
    except CommandError:
        return near_items("_".join(text.lower().split()), book.items)


def _laid_out(recipe: Recipe, rng: random.Random) -> str:
    """One item and slot a line, of the many ways that the recipe allows; for a smelting, what may go in."""
    if recipe.kind == "smelting":
        return f"smelt {' or '.join(recipe.ingredients[0])}"
    if recipe.kind == "shapeless":
        cells = rng.sample(range(1, 10), len(recipe.ingredients))
    else:
        rows, columns = recipe.size
        shift = 3 * rng.randint(0, 3 - rows) + rng.randint(0, 3 - columns)
        cells = [cell + shift for cell in recipe.cells]
    return "\n".join(
        f"{rng.choice(choices)} at {name_of(cell)}" for choices, cell in zip(recipe.ingredients, cells, strict=True)
    )


def similar_recipes(book: RecipeBook, query: str, k: int = 3) -> str:
    """The `k` recipes whose texts share most words, or parts of words, with `query`, the nearest first.

    The same query always gets the same answer. Raises UsageError when `k` is below 1.
    """
    if k < 1:
        raise UsageError(f"similar_recipes: k is {k}; give 1 or more")
    embedder = LexicalEmbedder()
    found = _index(book).search(embedder.embed([query[:_MOST_QUERY]])[0], k, _FLOOR)
    if not found:
        return "No recipe has words like these. Search for an item by its name, such as oak_planks."
    lines = [f"{number}. {recipe_text(book.recipes[key - 1])}" for number, (key, _) in enumerate(found, 1)]
    return "\n".join(["The recipes with the nearest words, which need not be the one that is meant:", *lines])


@functools.cache
def _index(book: RecipeBook) -> Matrix:
    """A vector for each recipe, under its number in the book, from 1 on."""
    from autocraft.memory.matrix import Matrix

    embedder = LexicalEmbedder()
    matrix = Matrix(embedder.dimension)
    vectors = embedder.embed([_short(recipe) for recipe in book.recipes])
    matrix.extend(list(enumerate(vectors, 1)))
    return matrix


def _short(recipe: Recipe) -> str:
    """What a recipe is about in a few words: what it makes, weighing more, and of what."""
    return f"{' '.join([recipe.output] * _WEIGHT)} from {' '.join(choices[0] for choices in recipe.groups)}"
