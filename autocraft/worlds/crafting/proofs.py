"""Proofs of impossibility as JSON; `verify/impossible.py` checks them and trusts neither planner nor solver.

- reachability: a set of items of which none is here, such that every recipe of each needs another of them.
- counting: a tree of weights. At a leaf, each item is given a weight such that, within the leaf's limits on how often
  recipes are made, what is wanted weighs more than can ever be had.
- exhaustion: every state that can be reached was looked at; checked by doing it again.

Each holds for its own `wanted`, which may be less than what was asked for: what is impossible stays so with more goals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from autocraft.protocols import Json
from autocraft.worlds.crafting.model import Column, Model
from autocraft.worlds.crafting.recipes import RecipeBook
from autocraft.worlds.crafting.search import Found
from autocraft.worlds.crafting.solver import Solution


def reachability_proof(book: RecipeBook, have: Set[str], wanted: Mapping[str, int], goal: str) -> Json:
    """Why `goal` is not in `have`, the set of all reachable items."""
    lacking = [goal]
    for item in lacking:
        for recipe in book.making(item):
            needed = next(part for part in recipe.ingredients if not any(each in have for each in part))
            lacking += [each for each in needed if each not in lacking]
    return {"kind": "reachability", "wanted": {goal: wanted[goal]}, "lacking": lacking}


def counting_proof(book: RecipeBook, model: Model, wanted: Mapping[str, int], solution: Solution) -> Json:
    """Return the solver's tree with names for its rows and for the model's columns."""
    rows, ways = list(model.rows), _names(book, model)

    def worded(tree: Json) -> Json:
        if "weights" in tree:
            return {"weights": {rows[int(row)]: weight for row, weight in tree["weights"].items()}}
        low, high = worded(tree["low"]), worded(tree["high"])
        return {"way": ways[tree["variable"]], "at": tree["at"], "low": low, "high": high}

    return {"kind": "counting", "wanted": dict(wanted), "nodes": solution.nodes, "tree": worded(solution.tree)}


def exhaustion_proof(wanted: Mapping[str, int], found: Found) -> Json:
    return {"kind": "exhaustion", "wanted": dict(wanted), "states": found.states}


def _names(book: RecipeBook, model: Model) -> list[str]:
    """The name of each column; equal recipes are numbered in the order of the book."""
    order = {id(recipe): number for number, recipe in enumerate(book.recipes)}
    names = [_name(column) for column in model.columns]
    crafts = {index: order[id(column.recipe)] for index, column in enumerate(model.columns) if column.recipe}
    seen: Counter[str] = Counter()
    for index in sorted(crafts, key=crafts.__getitem__):
        seen[names[index]] += 1
        names[index] = f"{names[index]} #{seen[names[index]]}"
    return names


def _name(column: Column) -> str:
    if column.recipe is None:
        return f"{column.item} as {column.makes}"
    if column.recipe.kind == "smelting":
        return f"smelt {column.item}"
    used = " + ".join(f"{count} {name}" for name, count in sorted(column.uses.items()))
    return f"{column.count} {column.makes} from {used}"
