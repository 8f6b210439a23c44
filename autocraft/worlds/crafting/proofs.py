"""Proofs of impossibility as JSON, and a check of them that trusts neither planner nor solver.

- reachability: a set of items of which none is here, such that every recipe of each needs another of them.
- counting: a tree of weights. At a leaf, each item has a weight such that, within the leaf's limits on how often
  recipes are made, what is wanted weighs more than can ever be had.
- exhaustion: every state that can be reached was visited; it is checked by doing it again.

Each holds for its own `wanted`, which may be a part of the goals: what is impossible stays so with more goals.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from autocraft.protocols import Json
from autocraft.worlds.crafting.model import RecipeModel, build, reachable
from autocraft.worlds.crafting.recipes import RecipeBook
from autocraft.worlds.crafting.search import SearchResult, search
from autocraft.worlds.crafting.solver import LinearProgram, Solution


def reachability_proof(book: RecipeBook, have: Set[str], wanted: Mapping[str, int], goal: str) -> Json:
    """Return why `goal` is not in `have`, the set of all reachable items."""
    lacking = [goal]
    for item in lacking:
        for recipe in book.making(item):
            ingredient = next(part for part in recipe.ingredients if not any(other in have for other in part))
            lacking += [other for other in ingredient if other not in lacking]
    return {"kind": "reachability", "wanted": {goal: wanted[goal]}, "lacking": lacking}


def counting_proof(model: RecipeModel, wanted: Mapping[str, int], solution: Solution) -> Json:
    """Return the solver's tree with names for its rows. Variables are numbers of the model's columns."""
    rows = list(model.rows)

    def named(tree: Json) -> Json:
        if "weights" in tree:
            return {"weights": {rows[int(row)]: weight for row, weight in tree["weights"].items()}}
        low, high = named(tree["low"]), named(tree["high"])
        return {"variable": tree["variable"], "at": tree["at"], "low": low, "high": high}

    return {"kind": "counting", "wanted": dict(wanted), "nodes": solution.nodes, "tree": named(solution.tree)}


def exhaustion_proof(wanted: Mapping[str, int], result: SearchResult) -> Json:
    """Return that every state was visited, with their number."""
    return {"kind": "exhaustion", "wanted": dict(wanted), "states": result.states}


def holds(book: RecipeBook, counts: Mapping[str, int], wanted: Mapping[str, int], proof: Json) -> bool:
    """Return whether `proof` shows that `wanted` cannot be had from `counts`."""
    part: dict[str, int] = proof["wanted"]
    if not part or any(wanted.get(item, 0) < count for item, count in part.items()):
        return False
    if proof["kind"] == "reachability":
        return _lacks(book, counts, proof["lacking"]) and not set(part).isdisjoint(proof["lacking"])
    have = reachable(book, counts)
    model = build(book, counts, part, lambda choices: tuple(item for item in choices if item in have))
    if proof["kind"] == "exhaustion":
        result = search(model, counts, part, states=proof["states"])
        return result.complete and result.steps is None
    names = {name: row for row, name in enumerate(model.rows)}
    limits: list[tuple[int, int | None]] = [(0, None)] * len(model.columns)
    return proof["kind"] == "counting" and _tree_holds(model.program(), names, proof["tree"], limits)


def _lacks(book: RecipeBook, counts: Mapping[str, int], lacking: list[str]) -> bool:
    closed = set(lacking)
    return not any(counts.get(item) for item in closed) and all(
        any(closed.issuperset(choices) for choices in recipe.ingredients)
        for item in closed
        for recipe in book.making(item)
    )


def _tree_holds(
    program: LinearProgram, names: Mapping[str, int], tree: Json, limits: list[tuple[int, int | None]]
) -> bool:
    if "weights" in tree:
        if not tree["weights"] or not names.keys() >= tree["weights"].keys():
            return False
        weights = {names[name]: weight for name, weight in tree["weights"].items()}
        return min(weights.values()) >= 0 and _most(program, weights, limits) < 0
    variable, at = tree["variable"], tree["at"]
    least, most = limits[variable]
    for side, limit in (("low", (least, at)), ("high", (at + 1, most))):
        if not _tree_holds(program, names, tree[side], [*limits[:variable], limit, *limits[variable + 1 :]]):
            return False
    return True


def _most(program: LinearProgram, weights: Mapping[int, int], limits: list[tuple[int, int | None]]) -> float:
    """Return the most that the weighted sum of (A x - b) can be within the limits."""
    total: float = -sum(weight * program.bounds[row] for row, weight in weights.items())
    for column, (least, most) in zip(program.columns, limits, strict=True):
        gain = sum(weights.get(row, 0) * entry for row, entry in column.items())
        if gain > 0 and most is None:
            return float("inf")
        total += gain * (least if gain < 0 else most or 0)
    return total
