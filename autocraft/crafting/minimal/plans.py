"""Puts plans into records, which `verify/files.py` reads as lines of JSON. `docs/crafting.md` describes the format."""

from __future__ import annotations

from collections.abc import Sequence

from autocraft.crafting.minimal.planner import MinimalPlan
from autocraft.crafting.planner import want
from autocraft.crafting.slots import key_of
from autocraft.crafting.table import CraftingTable
from autocraft.goals import Goal
from autocraft.protocols import Json

VERSION = 1


def plan_record(table: CraftingTable, goals: Sequence[Goal], plan: MinimalPlan, name: str = "") -> Json:
    """Return one plan for a file: its start, the wanted items, the verdict, and the actions or the proof."""
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
        record["proof"] = plan.proof
    return record
