"""Plans as lines of JSON, with all that a verifier needs. `verify/files.py` reads them and describes the format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from autocraft.goals import Goal
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic
from autocraft.worlds.crafting.minimal.planner import MinimalPlan
from autocraft.worlds.crafting.model import Column, RecipeModel, build, reachable
from autocraft.worlds.crafting.planner import want
from autocraft.worlds.crafting.slots import key_of
from autocraft.worlds.crafting.table import CraftingTable

VERSION = 1


def plan_record(table: CraftingTable, goals: Sequence[Goal], plan: MinimalPlan, name: str = "") -> Json:
    """Return one complete plan: its start, what is wanted, what is claimed and why."""
    record: Json = {"v": VERSION, "start": table.to_json(), "wanted": want(goals), "verdict": plan.verdict}
    record["start"].pop("0", None)
    if name:
        record["name"] = name
    if plan.verdict == "found":
        record["actions"] = [
            [action.kind, key_of(action.source), key_of(action.target), action.quantity] for action in plan.actions
        ]
        record["certificate"] = plan.certificate
    elif plan.verdict == "impossible":
        record["proof"] = _named_proof(table, plan.proof)
    return record


def plan_file(path: Path, records: Iterable[Json]) -> None:
    """Write plans to `path`, one a line, completely or not at all."""
    lines = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    write_atomic(path, lines.encode())


def _named_proof(table: CraftingTable, proof: Json) -> Json:
    """Return a proof that names recipes by what they do, not by their number in the planner's model."""
    if proof["kind"] != "counting":
        return proof
    have = reachable(table.book, table.counts())
    model = build(
        table.book, table.counts(), proof["wanted"], lambda choices: tuple(item for item in choices if item in have)
    )
    names = _names(table, model)

    def named(tree: Json) -> Json:
        if "weights" in tree:
            return tree
        forks = {side: named(tree[side]) for side in ("low", "high")}
        return {"way": names[tree["variable"]], "at": tree["at"], **forks}

    return {**proof, "tree": named(proof["tree"])}


def _names(table: CraftingTable, model: RecipeModel) -> list[str]:
    """Return the name of each column. Equal recipes are numbered in the order of the book."""
    order = {id(recipe): number for number, recipe in enumerate(table.book.recipes)}
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
