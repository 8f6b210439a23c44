"""Answers what a program reads of the crafting world: inventory, names, recipes, and the place of `places.py`.

The names of the reads are those of `worlds/minecraft/node/bot/program.js`, which answers them in Minecraft.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from autocraft.crafting import execute, places
from autocraft.crafting.recipes import RecipeBook
from autocraft.crafting.slots import INVENTORY
from autocraft.crafting.table import CraftingTable
from autocraft.errors import CommandError
from autocraft.protocols import Json

_MOST_TIMES = 64
_FIRST_SLOT = 9
_OTHER_NAMES = {"raw_iron": "iron_ore", "raw_gold": "gold_ore", "leather_cap": "leather_helmet"}
_OTHER_NAMES |= {"leather_tunic": "leather_chestplate", "leather_pants": "leather_leggings"}
"""Names in Voyager's programs, and the names of the same items in this world."""


def read(table: CraftingTable, name: str, args: list[Any]) -> Any:
    """Return the answer to one read. Raises CommandError for an unknown item or an unknown read."""
    answer = _READS.get(name)
    if answer is None:
        raise CommandError(
            "the crafting world has no creatures, chests or time: programs have craftItem, smeltItem, bot.inventory, "
            "mcData's items and blocks, a crafting_table, a furnace and bot.chat here"
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
    """Return rows of slot, item id, count, metadata, wear, label. Slots count as in Minecraft, from 9."""
    ids = _ids(table.book)
    return [
        [slot - INVENTORY[0] + _FIRST_SLOT, ids[item], count, 0, 0, None]
        for slot, (item, count) in table.stacks(INVENTORY)
    ]


@cache
def _rows(book: RecipeBook, name: str) -> Json:
    """Return a table of mcData. Raises CommandError for another one."""
    if name == "itemsByName":
        return {item: _item(book, item) for item in book.items}
    if name == "items":
        return {str(number): _item(book, item) for item, number in _ids(book).items()}
    if name in ("blocksByName", "blocks"):
        ids = places.block_ids(book)
        return {kind if name == "blocksByName" else str(id): places.block(book, kind) for kind, id in ids.items()}
    raise CommandError(f"the crafting world has no mcData.{str(name)[:40]}, only those of items and blocks")


def _data(table: CraftingTable, name: str, key: str) -> Json | None:
    rows = _rows(table.book, name)
    row: Json | None = rows.get(key, rows.get(_OTHER_NAMES.get(key, "")))
    return row


def _recipes(table: CraftingTable, name: str) -> list[Json]:
    """Return each recipe with the first choice of each ingredient."""
    ids = _ids(table.book)
    recipes = []
    for recipe in table.book.making(table.book.name(name)):
        if recipe.kind == "smelting":
            continue
        result = {"id": ids[recipe.output], "count": recipe.count, "metadata": None}
        takes = [{"id": ids[sorted(choices)[0]], "count": -n, "metadata": None} for choices, n in recipe.groups.items()]
        recipes.append({"result": result, "requiresTable": False, "delta": [result, *takes]})
    return recipes


def _craftable(table: CraftingTable, name: str, most: int) -> Json:
    """Return how many items `each` craft makes, and how many `times` the ingredients allow it."""
    item = table.book.name(name)
    counts = [recipe.count for recipe in table.book.making(item) if recipe.kind != "smelting"]
    if not counts:
        return {"each": 1, "times": 0}
    times = 0
    while times < min(int(most), _MOST_TIMES) and _can(table, item, (times + 1) * counts[0]):
        times += 1
    return {"each": counts[0], "times": times}


def _can(table: CraftingTable, item: str, count: int) -> bool:
    try:
        execute.craft(table, item, count)
    except CommandError:
        return False
    return True


_READS: dict[str, Callable[..., Any]] = {
    "inventory": _inventory,
    "data": _data,
    "table": lambda table, name: _rows(table.book, name),
    "recipes": _recipes,
    "craftable": _craftable,
    "smeltable": lambda table, name, fuel: table.counts().get(table.book.name(name), 0),
    "broke": lambda table: {},
    "now": lambda table: places.now(),
    "state": lambda table, id: places.state(table.book, id),
    "cube": lambda table, x, y, z: places.cube(table.book, x, y, z),
    "kinds": lambda table, *args: places.kinds(table.book),
    "find": lambda table, states, far, count, x, y, z, layers=None: places.find(
        table.book, states, far, count, (x, y, z), layers or {}
    ),
    "place": lambda table, *at: places.place(table.book),
    "sees": lambda table, *at: True,
    "entities": lambda table: [],
    "players": lambda table: [{"username": "Crafter", "uuid": "", "ping": 0, "gamemode": 0}],
    "digTime": lambda table, *args: 1000,
    "version": lambda table: {"minecraftVersion": "1.16.5", "majorVersion": "1.16", "type": "pc"},
}
