"""Plans as lines of JSON, with all that a verifier needs; `verify/files.py` reads them and has the format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from autocraft.goals import Goal
from autocraft.protocols import Json
from autocraft.session.atomic import write_atomic
from autocraft.worlds.crafting.minimal.planner import MinimalPlan
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
        record["proof"] = found.proof
    return record


def plan_file(path: Path, records: Iterable[Json]) -> None:
    """Write plans to `path`, one a line, whole or not at all."""
    lines = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    write_atomic(path, lines.encode())
