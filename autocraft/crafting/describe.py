"""Text about the table and the recipes, for a person or a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autocraft.crafting.recipes import Recipe, RecipeBook
from autocraft.crafting.slots import GRID, INVENTORY, OUTPUT, name_of
from autocraft.crafting.table import CraftingTable
from autocraft.text.phrases import some_of

_SHOWN = 12


def table_text(table: CraftingTable) -> str:
    """Return one line for each filled slot, as Plancraft writes it, below the titles output, grid and inventory."""
    parts = []
    for title, slots in (("output", [OUTPUT]), ("crafting grid", GRID), ("inventory", INVENTORY)):
        lines = [f"- {item} {name_of(slot)} quantity {count}" for slot, (item, count) in table.stacks(slots)]
        if lines or slots is INVENTORY:
            parts.append("\n".join([f"{title}:", *lines]) if lines else f"{title}: empty")
    return "\n".join(parts)


def holdings(table: CraftingTable, items: Iterable[str]) -> str:
    """Return "There are now 3 stick, no oak_planks.": the counts outside [0], in one line."""
    counts = table.counts()
    phrases = [f"{counts.get(item) or 'no'} {item}" for item in dict.fromkeys(items)]
    return f"There are now {', '.join(phrases)}."


def amounts(counts: Mapping[str, int]) -> str:
    """Return "3 stick, 1 coal"."""
    return ", ".join(f"{count} {item}" for item, count in counts.items())


def item_text(book: RecipeBook, name: str) -> str:
    """Return all recipes of an item with places, numbers and alternatives, and what the item is used for."""
    recipes = book.making(name)
    lines = [f"{name}: {len(recipes)} recipe{'s' * (len(recipes) != 1)}" if recipes else f"{name}: nothing makes it"]
    lines += [f"{number}. {recipe_text(recipe)}" for number, recipe in enumerate(recipes, start=1)]
    if name in book.smelts:
        lines.append(f"smelts into: {book.smelts[name].output}")
    uses = dict.fromkeys(recipe.output for recipe in book.using(name) if recipe.kind != "smelting")
    if uses:
        lines.append(f"used for: {some_of(list(uses), _SHOWN)}")
    return "\n".join(lines)


def recipe_text(recipe: Recipe) -> str:
    """Return one line about a recipe, with the cell of each ingredient."""
    first = [choices[0] for choices in recipe.ingredients]
    if recipe.kind == "smelting":
        return f"smelt {some_of(recipe.ingredients[0], _SHOWN)} -> 1 {recipe.output}"
    places = ", ".join(f"{item} {name_of(cell)}" for item, cell in zip(first, recipe.cells, strict=True))
    instead = [
        f"{choices[0]} may also be {some_of(choices[1:], _SHOWN)}" for choices in recipe.groups if len(choices) > 1
    ]
    how = "this shape" if recipe.kind == "shaped" else "any cells"
    return f"{places} ({how}) -> {recipe.count} {recipe.output}{'; ' + '; '.join(instead) if instead else ''}"
