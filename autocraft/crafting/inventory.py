"""Starting inventories: one that the person typed, or the default materials."""

from __future__ import annotations

import re
from collections.abc import Mapping

from autocraft.crafting.recipes import load_book
from autocraft.crafting.slots import INVENTORY
from autocraft.crafting.table import CraftingTable
from autocraft.errors import CommandError, UsageError

_MOST_DIGITS = 6
STARTING_KIT = (
    "oak_log=16,birch_log=8,cobblestone=32,coal=16,iron_ore=12,gold_ore=6,redstone=16,lapis_lazuli=6,diamond=4,"
    "quartz=8,sand=16,clay_ball=16,flint=4,string=12,feather=8,leather=6,white_wool=6,sugar_cane=9,wheat=9,bone=4,"
    "gunpowder=5,slime_ball=4,apple=4,egg=2"
)


def starting_table() -> CraftingTable:
    """Return a table with the default materials, for a goal without an inventory."""
    return parse_inventory(STARTING_KIT)


def parse_inventory(text: str) -> CraftingTable:
    """Read "oak_log=4,cobblestone=8" into slots from [I1] on, split by stack size. Raises UsageError."""
    counts: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, number = part.partition("=")
        if not equals:
            number = "1"
        counted_otherwise = not equals and re.search(r"^[0-9]+\W|\W[0-9]+$", part)
        if counted_otherwise or not re.fullmatch(r"0*[1-9][0-9]*", number.strip()):
            raise UsageError(f"inventory: {part[:60]!r} has no = with a whole number above 0; write it as oak_log=4")
        if len(number.strip().lstrip("0")) > _MOST_DIGITS:
            raise UsageError(f"inventory: {part[:60]!r} needs more than the 36 slots there are; give fewer")
        try:
            item = load_book().name(name)
        except CommandError as error:
            raise UsageError(f"inventory: {error}") from None
        counts[item] = counts.get(item, 0) + int(number)
    return fill(counts)


def fill(items: Mapping[str, int]) -> CraftingTable:
    """Return a table with these items, from [I1] on, split by stack size. Raises UsageError if 36 slots are too few."""
    sizes = load_book().stack_sizes
    stacks = []
    for item, count in items.items():
        if count > sizes[item] * len(INVENTORY):
            raise UsageError(f"inventory: {count} {item} need more than the 36 slots there are; give fewer")
        stacks += [(item, sizes[item])] * (count // sizes[item])
        stacks += [(item, count % sizes[item])] * (count % sizes[item] > 0)
    if len(stacks) > len(INVENTORY):
        raise UsageError(f"inventory: these items need {len(stacks)} slots and there are 36; give fewer")
    return CraftingTable(dict(zip(INVENTORY, stacks, strict=False)))
