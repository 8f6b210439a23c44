"""What raw materials are missing, by the cheapest tree: the same program with buying allowed, at a high price."""

from __future__ import annotations

from collections.abc import Mapping, Set

from autocraft.worlds.crafting.model import Column, build, reachable
from autocraft.worlds.crafting.recipes import Choices, Recipe, RecipeBook
from autocraft.worlds.crafting.solver import solve
from autocraft.worlds.crafting.worth import natural, thrifty, values

BUY_COST = 1_000_000
_NODES = 200


def lacking(book: RecipeBook, counts: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """Raw item -> how many more would do; empty when it is the order that fails, not the materials."""
    held = {item for item, count in counts.items() if count}
    for near in (reachable(book, counts), held, set[str]()):
        if missing := _bought(book, counts, wanted, near):
            return missing
    return {}


def _bought(book: RecipeBook, counts: Mapping[str, int], wanted: Mapping[str, int], near: Set[str]) -> dict[str, int]:
    """What the cheapest way buys that uses items of `near`, and otherwise only the cheapest of each kind."""
    worth = values(book)

    def narrow(choices: Choices) -> Choices:
        # Of what is not here, one kind stands for all: it does not matter which wood is missing.
        cheapest = min(choices, key=lambda item: (worth[item], choices.index(item)))
        return tuple(item for item in choices if item in near or item == cheapest)

    def keep(recipe: Recipe) -> bool:
        # What is raw is bought, not unpacked from what would have to be bought as well.
        if all(any(item in near for item in choices) for choices in recipe.ingredients):
            return True
        return thrifty(recipe, worth) and not natural(book, recipe.output)

    model = build(book, counts, wanted, narrow, keep)
    for name in model.rows:
        if "|" not in name and natural(book, name):
            model.columns.append(Column(name, 1, {}, BUY_COST))
    solution = solve(model.program(), nodes=_NODES)
    bought = zip(model.columns, solution.best or (), strict=False)
    return {column.makes: amount for column, amount in bought if amount and not column.uses}


def lacking_text(
    book: RecipeBook, counts: Mapping[str, int], wanted: Mapping[str, int], missing: Mapping[str, int]
) -> str:
    """One sentence: what cannot be had, what for, and how much of it there is."""
    goal = " and ".join(item if count == 1 else f"{count} {item}" for item, count in wanted.items())
    if not missing:
        return f"{goal} cannot be made: the materials suffice on paper, but no order of crafts gets there"
    parts = []
    for item, count in missing.items():
        kinds = [item, *_instead(book, item, wanted)]
        held = sum(counts.get(each, 0) for each in kinds)
        parts.append(f"{count} more {' or '.join(kinds)} (there {'is' if held == 1 else 'are'} {held})")
    return f"{goal} needs {' and '.join(parts)}, and nothing here makes more"


def _instead(book: RecipeBook, item: str, wanted: Mapping[str, int]) -> list[str]:
    """Up to three items that could stand in for `item` in what the wanted items are made of."""
    chain = build(book, {}, wanted, lambda choices: choices if item in choices else choices[:1])
    for column in chain.columns:
        for name in column.uses:
            if item in name.split("|") and "|" in name:
                return [other for other in name.split("|") if other != item][:3]
    return []
