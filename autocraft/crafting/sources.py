"""Advice for a model that plays by slots: where items lie, and what missing items can be made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autocraft.crafting.model import first_recipes
from autocraft.crafting.recipes import Choices, Recipe
from autocraft.crafting.slots import COUNT, INVENTORY, OUTPUT, index_of, name_of
from autocraft.crafting.table import CraftingTable
from autocraft.errors import Advice, CommandError, IllegalMove
from autocraft.protocols import Args

_MOST_SLOTS = 3
_MOST_SENTENCES = 5
_CRAFT, _SMELT = ("craft_item", "move"), ("smelt_item", "smelt")
"""The commands that carry out a recipe, the simplest first."""


def place(table: CraftingTable, item: str) -> str:
    """Return "held in [I3] [I7]", or "" if the item is in no slot other than [0]."""
    slots = [name_of(slot) for slot, (name, _) in table.stacks(range(1, COUNT)) if name == item]
    more = " and more" if len(slots) > _MOST_SLOTS else ""
    return f"held in {' '.join(slots[:_MOST_SLOTS])}{more}" if slots else ""


def with_place(table: CraftingTable, item: str) -> str:
    """Return "stick (held in [I7])", or only the item if it is not held."""
    where = place(table, item)
    return f"{item} ({where})" if where else item


def places(table: CraftingTable, items: Iterable[str]) -> str:
    """Return "oak_planks is held in [I3]; stick is held in [I7]", without the items that are not held."""
    slots = {item: place(table, item) for item in dict.fromkeys(items)}
    return "; ".join(f"{item} is {where}" for item, where in slots.items() if where)


def slot_of(table: CraftingTable, name: str) -> int:
    """Return the number of a slot. Raises IllegalMove; if `name` is an item, the error says where it lies."""
    try:
        return index_of(name)
    except IllegalMove as error:
        try:
            item = table.book.name(name.strip("[] "))
        except CommandError:
            raise error from None
        where = place(table, item)
        advice = f"{item} is {where}" if where else f"{item} is an item, and none is held"
        raise IllegalMove(str(error), Advice(advice)) from None


def sources(table: CraftingTable, missing: Iterable[str]) -> list[Advice]:
    """Say what each missing item can be made from, and these ingredients, down to held items."""
    counts = table.counts()
    advice: dict[str, Advice] = {}
    for target in missing:
        others = {item: count for item, count in counts.items() if item != target}
        ways = first_recipes(table.book, others)
        waiting = [target]
        while waiting:
            item = waiting.pop(0)
            if item in advice:
                continue
            recipe = ways.get(item)
            advice[item] = _sentence(table, item, recipe, others, ways)
            if recipe is not None:
                waiting += [part for part in _used(recipe, others, ways) if part not in others]
    return list(advice.values())[:_MOST_SENTENCES]


def instruction(table: CraftingTable, recipe: Recipe) -> Advice:
    """Return the sentence that says how a recipe is carried out with what is held."""
    return _sentence(table, recipe.output, recipe, table.counts(), {})


def used_items(table: CraftingTable, recipe: Recipe) -> dict[Choices, list[str]]:
    """Return the items for each choice of a recipe, one for each cell: those that are held, most first, then others."""
    counts = table.counts()
    ways = first_recipes(table.book, counts)
    parts = {choices: portions(choices, need, counts, ways) for choices, need in recipe.groups.items()}
    return {choices: [item for item in part for _ in range(part[item])] for choices, part in parts.items()}


def taking(table: CraftingTable) -> Advice:
    """Return the sentence that says how the items shown in [0] are taken."""
    output, free = table[OUTPUT], _free(table)
    args = {"source": name_of(OUTPUT), "target": name_of(free), "quantity": output[1]} if output and free else {}
    return Advice("{} takes them", ("move",), {"move": args} if args else {})


def _free(table: CraftingTable) -> int | None:
    """Return the first free slot of the inventory. Return None if all are full."""
    return next((slot for slot in INVENTORY if table[slot] is None), None)


def _sentence(
    table: CraftingTable, item: str, recipe: Recipe | None, counts: Mapping[str, int], ways: Mapping[str, Recipe]
) -> Advice:
    if recipe is None:
        return Advice(f"nothing here makes {item}")
    parts = _used(recipe, counts, ways)
    words = " and ".join(_portion(table, part, count, counts.get(part, 0)) for part, count in parts.items())
    commands = _SMELT if recipe.kind == "smelting" else _CRAFT
    enough = all(counts.get(part, 0) >= count for part, count in parts.items())
    args = _arguments(table, recipe, next(iter(parts))) if enough else {}
    return Advice(f"{recipe.count} {item} can be made from {words} with {{}}", commands, args)


def _portion(table: CraftingTable, item: str, count: int, held: int) -> str:
    """Return "9 gold_nugget (held in [I5])", with the number that is held if it is too small."""
    where = place(table, item)
    if not where:
        return f"{count} {item}"
    return f"{count} {item} ({f'only {held} ' if held < count else ''}{where})"


def _arguments(table: CraftingTable, recipe: Recipe, part: str) -> Mapping[str, Args]:
    """Return the arguments of each single command that carries out a recipe once. Moves are more than one."""
    if recipe.kind != "smelting":
        return {"craft_item": {"name": recipe.output, "count": recipe.count}}
    stacks = table.stacks(range(1, COUNT))
    source = next((slot for slot, (item, _) in stacks if item == part), None)
    target = _free(table)
    arguments: dict[str, Args] = {"smelt_item": {"name": part}}
    if source is not None and target is not None:
        arguments["smelt"] = {"source": name_of(source), "target": name_of(target)}
    return arguments


def _used(recipe: Recipe, counts: Mapping[str, int], ways: Mapping[str, Recipe]) -> dict[str, int]:
    """Return the items and counts that a recipe takes. No two of its choices share an item."""
    parts = (portions(choices, need, counts, ways) for choices, need in recipe.groups.items())
    return {item: count for part in parts for item, count in part.items()}


def portions(choices: Choices, need: int, counts: Mapping[str, int], ways: Mapping[str, Recipe]) -> dict[str, int]:
    """Return which of the accepted items are taken, and how many of each: those that are held, most first.

    What is still lacking is an item that can be made, else more of the same, else the first of all.
    """
    taken_counts: dict[str, int] = {}
    for item in sorted(choices, key=lambda item: -counts.get(item, 0)):
        if take := min(counts.get(item, 0), need):
            taken_counts[item] = take
            need -= take
    if need:
        item = next((item for item in choices if item in ways), next(iter(taken_counts), choices[0]))
        taken_counts[item] = taken_counts.get(item, 0) + need
    return taken_counts
