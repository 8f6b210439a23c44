"""What a program reads of the crafting world: the inventory, the names of items, what can be made. No more is there.

The names are those of `worlds/minecraft/node/bot/program.js`, which answers for a world with places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from autocraft.errors import CommandError
from autocraft.protocols import Json
from autocraft.worlds.crafting import making
from autocraft.worlds.crafting.recipes import RecipeBook
from autocraft.worlds.crafting.slots import INVENTORY
from autocraft.worlds.crafting.table import CraftingTable

_MOST_TIMES = 64
_FIRST_SLOT = 9
_OTHER_NAMES = {"raw_iron": "iron_ore", "raw_gold": "gold_ore", "leather_cap": "leather_helmet"}
_OTHER_NAMES |= {"leather_tunic": "leather_chestplate", "leather_pants": "leather_leggings"}
"""What Voyager's programs call things that this world's book has under another name."""


def read(table: CraftingTable, name: str, args: list[Any]) -> Any:
    """One read of `table`. Raises CommandError for what this world has not, and for an unknown item."""
    answer = _READS.get(name)
    if answer is None:
        raise CommandError(
            "the crafting world has no places, blocks, creatures or health: programs have craftItem, smeltItem, "
            "bot.inventory, mcData's items and bot.chat here"
        )
    try:
        return answer(table, *args)
    except (TypeError, AttributeError, ValueError):  # a name that is no text, a count that is no number
        raise CommandError(f"the read {name} was given wrong arguments") from None


@cache
def _ids(book: RecipeBook) -> dict[str, int]:
    return {item: number for number, item in enumerate(sorted(book.items), 1)}


def _item(book: RecipeBook, name: str) -> Json:
    size = book.stack_sizes[name]
    return {"id": _ids(book)[name], "name": name, "displayName": name.replace("_", " ").title(), "stackSize": size}


def _inventory(table: CraftingTable) -> list[list[Any]]:
    """Rows of slot, item id, count, metadata, wear, label; slots count as in Minecraft, from 9."""
    ids = _ids(table.book)
    return [
        [slot - INVENTORY[0] + _FIRST_SLOT, ids[item], count, 0, 0, None]
        for slot, (item, count) in table.stacks(INVENTORY)
    ]


def _table_of(table: CraftingTable, name: str) -> Json:
    book = table.book
    if name == "itemsByName":
        return {item: _item(book, item) for item in book.items}
    if name == "items":
        return {str(number): _item(book, item) for item, number in _ids(book).items()}
    raise CommandError(f"the crafting world has no mcData.{str(name)[:40]}, only itemsByName, items and itemsArray")


def _data(table: CraftingTable, name: str, key: str) -> Json | None:
    book = table.book
    if name == "itemsByName":
        known = key if key in book.items else _OTHER_NAMES.get(key, "")
        return _item(book, known) if known in book.items else None
    found: Json | None = _table_of(table, name).get(key)
    return found


def _recipes(table: CraftingTable, name: str) -> list[Json]:
    """Each recipe with the first choice of each ingredient."""
    ids = _ids(table.book)
    found = []
    for recipe in table.book.making(table.book.name(name)):
        if recipe.kind == "smelting":
            continue
        result = {"id": ids[recipe.output], "count": recipe.count, "metadata": None}
        takes = [{"id": ids[sorted(each)[0]], "count": -n, "metadata": None} for each, n in recipe.groups.items()]
        found.append({"result": result, "requiresTable": False, "delta": [result, *takes]})
    return found


def _craftable(table: CraftingTable, name: str, most: int) -> Json:
    """How many items one doing gives `each` time, and how many `times` there is enough for."""
    item = table.book.name(name)
    made = [recipe.count for recipe in table.book.making(item) if recipe.kind != "smelting"]
    if not made:
        return {"each": 1, "times": 0}
    times = 0
    while times < min(int(most), _MOST_TIMES) and _can(table, item, (times + 1) * made[0]):
        times += 1
    return {"each": made[0], "times": times}


def _can(table: CraftingTable, item: str, count: int) -> bool:
    try:
        making.craft(table, item, count)
    except CommandError:
        return False
    return True


def _smeltable(table: CraftingTable, name: str, fuel: str | None) -> int:
    return table.counts().get(table.book.name(name), 0)


_READS: dict[str, Callable[..., Any]] = {
    "inventory": _inventory,
    "data": _data,
    "table": _table_of,
    "recipes": _recipes,
    "craftable": _craftable,
    "smeltable": _smeltable,
    "version": lambda table: {"minecraftVersion": "1.16.5", "majorVersion": "1.16", "type": "pc"},
}
