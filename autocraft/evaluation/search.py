"""The answers to the action `search`: the recipe of an exact name, or the recipes with similar words.

The first is plancraft's gold retriever, with its own random generator instead of the global one. The second is not an
oracle.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from autocraft.crafting.describe import recipe_text
from autocraft.crafting.recipes import Recipe, RecipeBook, near_items
from autocraft.crafting.slots import COUNT, name_of
from autocraft.crafting.sources import used_items, with_place
from autocraft.crafting.table import CraftingTable
from autocraft.errors import CommandError, Spell
from autocraft.memory.lexical import LexicalEmbedder

if TYPE_CHECKING:
    from autocraft.memory.matrix import Matrix

_MOST_QUERY = 200
"""The most characters of a query that are used."""
_MOST_HITS = 3
_WEIGHT = 4  # so that every exact name finds its own recipe first
_FLOOR = 0.2  # 19 of 20 random strings are less similar than this


def gold_recipe(
    book: RecipeBook, name: str, rng: random.Random, table: CraftingTable | None = None, spell: Spell | None = None
) -> str:
    """Return every recipe of an item, each with ingredients and a place in the grid that `rng` chooses.

    As in the package, only exact names are found. For any other name, return similar names. With `table`, ingredients
    are those that it holds, each says where it lies, its place in the grid is always the same, and the recipe that
    lacks least comes first. With `spell`, each also says the move that brings it there.
    """
    name = name.strip().strip("`\"'")
    if name not in book.items:
        return (
            f"Could not find a recipe by that name{_near(book, name[:60]) or '; names are exact, such as oak_planks'}"
        )
    recipes = book.making(name)
    if table is not None:
        counts = table.counts()
        recipes = sorted(recipes, key=lambda each: sum(not counts.keys() & set(part) for part in each.groups))
    if not recipes:
        return f"Nothing makes {name}: it has no recipe."
    parts = [f"recipe {number}:\n{_laid_out(recipe, rng, table, spell)}" for number, recipe in enumerate(recipes, 1)]
    return "\n".join([f"Recipes to craft {name}:", *parts])


def _near(book: RecipeBook, text: str) -> str:
    try:
        return f"; did you mean {book.name(text)}?"
    except CommandError:
        return near_items("_".join(text.lower().split()), book.items)


def _laid_out(recipe: Recipe, rng: random.Random, table: CraftingTable | None, spell: Spell | None) -> str:
    """Return one item and slot a line, of the many ways that the recipe allows; for a smelting, the possible inputs."""
    if recipe.kind == "smelting":
        inputs = recipe.ingredients[0]
        return f"smelt {' or '.join(inputs if table is None else [with_place(table, item) for item in inputs])}"
    if table is not None:
        return "\n".join(_with_places(recipe, table, spell))
    if recipe.kind == "shapeless":
        cells = rng.sample(range(1, 10), len(recipe.ingredients))
    else:
        rows, columns = recipe.size
        shift = 3 * rng.randint(0, 3 - rows) + rng.randint(0, 3 - columns)
        cells = [cell + shift for cell in recipe.cells]
    items = [rng.choice(choices) for choices in recipe.ingredients]
    return "\n".join(f"{item} at {name_of(cell)}" for item, cell in zip(items, cells, strict=True))


def _with_places(recipe: Recipe, table: CraftingTable, spell: Spell | None) -> Iterator[str]:
    """Yield one line for each ingredient: its cell, where it lies, and with `spell` the move into the cell."""
    slots = used_items(table, recipe)
    items = [slots[choices].pop(0) for choices in recipe.ingredients]
    cells = dict(zip(recipe.cells or range(1, 10), items, strict=False))
    there = {cell for cell, item in cells.items() if (stack := table[cell]) and stack[0] == item}
    counts = {slot: count - (slot in there) for slot, (_, count) in table.stacks(range(1, COUNT))}
    for cell, item in cells.items():
        line = f"{with_place(table, item)} at {name_of(cell)}"
        sources = (slot for slot, (name, _) in table.stacks(range(1, COUNT)) if name == item and counts[slot])
        source = None if cell in there else next(sources, None)
        if spell is not None and source is not None:
            counts[source] -= 1
            line += f": `{spell('move', {'source': name_of(source), 'target': name_of(cell)})}`"
        yield line


def similar_recipes(book: RecipeBook, query: str) -> str:
    """Return the three recipes that share most words, or parts of words, with `query`, the nearest first.

    The same query always gets the same answer.
    """
    embedder = LexicalEmbedder()
    hits = _index(book).search(embedder.embed([query[:_MOST_QUERY]])[0], _MOST_HITS, _FLOOR)
    if not hits:
        return "No recipe has words like these. Search for an item by its name, such as oak_planks."
    lines = [f"{number}. {recipe_text(book.recipes[key - 1])}" for number, (key, _) in enumerate(hits, 1)]
    return "\n".join(["The recipes with the nearest words, which need not be the one that is meant:", *lines])


@functools.cache
def _index(book: RecipeBook) -> Matrix:
    """Return a matrix with a vector for each recipe, under its number in the book, from 1 on.

    The text of a recipe is its output, which weighs more, and its ingredients.
    """
    from autocraft.memory.matrix import Matrix

    embedder = LexicalEmbedder()
    matrix = Matrix(embedder.dimension)
    words = ([*[each.output] * _WEIGHT, "from", *(choices[0] for choices in each.groups)] for each in book.recipes)
    matrix.extend(list(enumerate(embedder.embed([" ".join(each) for each in words]), 1)))
    return matrix
