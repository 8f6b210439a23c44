"""Finds the missing raw materials: the whole-number program of `model.py`, which may also buy them at a high price."""

from __future__ import annotations

from collections.abc import Mapping, Set

from autocraft.crafting.item_cost import natural, thrifty, values
from autocraft.crafting.model import Column, Demand, build
from autocraft.crafting.recipes import Choices, Recipe
from autocraft.crafting.solver import solve
from autocraft.text.phrases import join_words

BUY_COST = 1_000_000
_NODES = 200


def lacking(demand: Demand) -> dict[str, int]:
    """Return how many more of each raw item would be enough. Return {} if only the order of crafts fails."""
    stock = {item for item, count in demand.counts.items() if count}
    for near in (demand.reachable, stock, set[str]()):
        if missing := _purchases(demand, near):
            return missing
    return {}


def _purchases(demand: Demand, near: Set[str]) -> dict[str, int]:
    """Return what the cheapest plan buys. It uses items of `near`, and of other items only the cheapest of a kind."""
    book, worth = demand.book, values(demand.book)

    def narrow(choices: Choices) -> Choices:
        # One item stands for all missing items of a kind: it does not matter which wood is missing.
        cheapest = min(choices, key=lambda item: (worth[item], choices.index(item)))
        return tuple(item for item in choices if item in near or item == cheapest)

    def keep(recipe: Recipe) -> bool:
        # A raw item is bought, not unpacked from a block that would have to be bought too.
        if all(any(item in near for item in choices) for choices in recipe.ingredients):
            return True
        return thrifty(recipe, worth) and not natural(book, recipe.output)

    model = build(demand, narrow, keep)
    for name in model.rows:
        if "|" not in name and natural(book, name):
            model.columns.append(Column(name, 1, {}, BUY_COST))
    solution = solve(model.program(), nodes=_NODES)
    purchases = zip(model.columns, solution.best or (), strict=False)
    return {column.makes: amount for column, amount in purchases if amount and not column.uses}


def lacking_text(demand: Demand, missing: Mapping[str, int]) -> str:
    """Return one sentence that says what is missing for which goal, and how much of it is held."""
    goal = " and ".join(item if count == 1 else f"{count} {item}" for item, count in demand.targets.items())
    if not missing:
        return f"{goal} cannot be made: the counts of materials suffice, but no order of crafts makes it"
    if set(missing) <= set(demand.targets):
        return "; ".join(
            f"{item} cannot be made here: {'' if demand.book.making(item) else 'no recipe makes it, and '}"
            f"you have {demand.counts.get(item, 0)} of {demand.targets[item]}"
            for item in missing
        )
    parts = []
    for item, count in missing.items():
        kinds = [item, *_substitutes(demand, item)]
        stock = sum(demand.counts.get(kind, 0) for kind in kinds)
        parts.append(f"{count} more {' or '.join(kinds)} (there {'is' if stock == 1 else 'are'} {stock})")
    return f"{goal} needs {join_words(parts)}, and nothing here makes more"


def _substitutes(demand: Demand, item: str) -> list[str]:
    """Return up to three items that could replace `item` in the ingredients of the wanted items."""
    chain = build(demand, lambda choices: choices if item in choices else choices[:1])
    for column in chain.columns:
        for name in column.uses:
            if item in name.split("|") and "|" in name:
                return [other for other in name.split("|") if other != item][:3]
    return []
