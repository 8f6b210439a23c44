"""Plans as lines of JSON, with all that a verifier needs; `verify/files.py` reads them and has the format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from autocraft.goals import Goal
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic
from autocraft.worlds.crafting.minimal.planner import MinimalPlan
from autocraft.worlds.crafting.model import Column, Model, build, reachable
from autocraft.worlds.crafting.planner import want
from autocraft.worlds.crafting.slots import key_of
from autocraft.worlds.crafting.table import CraftingTable

VERSION = 1


def plan_record(table: CraftingTable, goals: Sequence[Goal], found: MinimalPlan, name: str = "") -> Json:
    """One plan, whole: where it starts, what is wanted, what is claimed and why."""
    record: Json = {"v": VERSION, "start": table.to_json(), "wanted": want(goals), "verdict": found.verdict}
    record["start"].pop("0", None)
    if name:
        record["name"] = name
    if found.verdict == "found":
        record["actions"] = [
            [each.kind, key_of(each.source), key_of(each.target), each.quantity] for each in found.actions
        ]
        record["certificate"] = found.certificate
    elif found.verdict == "impossible":
        record["proof"] = _worded(table, found.proof)
    return record


def plan_file(path: Path, records: Iterable[Json]) -> None:
    """Write plans to `path`, one a line, whole or not at all."""
    lines = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    write_atomic(path, lines.encode())


def _worded(table: CraftingTable, proof: Json) -> Json:
    """A proof in which recipes go by what they do, not by their number in the planner's model."""
    if proof["kind"] != "counting":
        return proof
    have = reachable(table.book, table.counts())
    model = build(
        table.book, table.counts(), proof["wanted"], lambda choices: tuple(item for item in choices if item in have)
    )
    names = _names(table, model)

    def worded(tree: Json) -> Json:
        if "weights" in tree:
            return tree
        forks = {side: worded(tree[side]) for side in ("low", "high")}
        return {"way": names[tree["variable"]], "at": tree["at"], **forks}

    return {**proof, "tree": worded(proof["tree"])}


def _names(table: CraftingTable, model: Model) -> list[str]:
    """The name of each column; equal recipes are numbered in the order of the book."""
    order = {id(recipe): number for number, recipe in enumerate(table.book.recipes)}
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
