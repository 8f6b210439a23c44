"""Proofs of impossibility as JSON; `verify/impossible.py` checks them and trusts neither planner nor solver.

- reachability: a set of items of which none is here, such that every recipe of each needs another of them.
- counting: a tree of weights. At a leaf, each item has a weight such that, within the leaf's limits on how often
  recipes are made, what is wanted weighs more than can ever be had.
- exhaustion: every state that can be reached was visited; it is checked by doing it again.

Each holds for its own `wanted`, which may be a part of the goals: what is impossible stays so with more goals.
"""

from __future__ import annotations

from collections import Counter

from autocraft.crafting.model import Column, Demand, RecipeModel
from autocraft.crafting.search import SearchResult
from autocraft.crafting.solver import Solution
from autocraft.protocols import Json


def reachability_proof(demand: Demand, goal: str) -> Json:
    """Return the proof that the wanted item `goal` is not reachable."""
    lacking = [goal]
    for item in lacking:
        for recipe in demand.book.making(item):
            ingredient = next(part for part in recipe.ingredients if demand.reachable.isdisjoint(part))
            lacking += [other for other in ingredient if other not in lacking]
    return {"kind": "reachability", "wanted": {goal: demand.targets[goal]}, "lacking": lacking}


def counting_proof(model: RecipeModel, solution: Solution) -> Json:
    """Return the solver's tree with names for its rows and for the model's columns."""
    rows, ways = list(model.rows), _names(model)

    def with_names(tree: Json) -> Json:
        if "weights" in tree:
            return {"weights": {rows[int(row)]: weight for row, weight in tree["weights"].items()}}
        low, high = with_names(tree["low"]), with_names(tree["high"])
        return {"way": ways[tree["variable"]], "at": tree["at"], "low": low, "high": high}

    return {
        "kind": "counting",
        "wanted": dict(model.demand.targets),
        "nodes": solution.nodes,
        "tree": with_names(solution.tree),
    }


def exhaustion_proof(demand: Demand, result: SearchResult) -> Json:
    """Return the claim that every state was visited, with their number."""
    return {"kind": "exhaustion", "wanted": dict(demand.targets), "states": result.states}


def _names(model: RecipeModel) -> list[str]:
    """Return the name of each column. Equal recipes are numbered in the order of the book."""
    order = {id(recipe): number for number, recipe in enumerate(model.demand.book.recipes)}
    names = [_name(column) for column in model.columns]
    crafts = {index: order[id(column.recipe)] for index, column in enumerate(model.columns) if column.recipe}
    numbers: Counter[str] = Counter()
    for index in sorted(crafts, key=crafts.__getitem__):
        numbers[names[index]] += 1
        names[index] = f"{names[index]} #{numbers[names[index]]}"
    return names


def _name(column: Column) -> str:
    if column.recipe is None:
        return f"{column.item} as {column.makes}"
    if column.recipe.kind == "smelting":
        return f"smelt {column.item}"
    ingredients = " + ".join(f"{count} {name}" for name, count in sorted(column.uses.items()))
    return f"{column.count} {column.makes} from {ingredients}"
