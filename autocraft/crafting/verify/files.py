"""Reads plans from a file, replays them by the rules and checks what they claim.

A file has one plan a line, as JSON: `v` 1, `start` (slot -> [item, count]), `wanted` (item -> count), `verdict`, and

- ``found``: `actions`, each [move or smelt, source, target, quantity], and `certificate`;
- ``impossible``: `proof`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from autocraft.crafting.slots import index_of
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.verify.bound import check as check_bound
from autocraft.crafting.verify.impossible import check as check_impossible
from autocraft.crafting.verify.question import Unsound
from autocraft.errors import IllegalMove, UsageError

VERSION = 1
STATES = 200_000
_NAME = 80


@dataclass(frozen=True)
class Verification:
    """The result of checking one plan. `name` is its name in the file, `least` the proven bound.

    ``minimal`` and ``impossible`` are proven, ``works`` is a plan that may not be the shortest, and ``wrong`` is a plan
    with a false claim.
    """

    verdict: Literal["minimal", "works", "impossible", "wrong"]
    why: str
    actions: int = 0
    least: int = 0
    name: str = ""


def verify_file(path: Path) -> list[Verification]:
    """Check every plan of a file. Raises UsageError if the file or a line cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"{path} cannot be read: {why}; give a file that autocraft plan --json wrote") from None
    records = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not records:
        raise UsageError(f"{path.name} holds no plan; write one with autocraft plan --json")
    results = []
    for number, line in records:
        try:
            record = json.loads(line, object_pairs_hook=_without_repeats, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            why = str(error) if isinstance(error, _InvalidValue) else "this is not JSON; it may be cut off"
            raise UsageError(f"{path.name}, line {number}: {why}, so write it again") from None
        if not isinstance(record, dict) or record.get("v") != VERSION:
            raise UsageError(f"{path.name}, line {number}: this is not a plan of version {VERSION}; write it again")
        results.append(verify(record))
    return results


class _InvalidValue(ValueError):
    """The error that JSON has a value which no plan may have."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(values := dict(pairs)) < len(pairs):
        raise _InvalidValue("a key is there twice, of which only one could be checked")
    return values


def _no_number(text: str) -> Any:
    raise _InvalidValue(f"{text} is not a number of a plan")


def verify(record: Mapping[str, Any], *, states: int = STATES) -> Verification:
    """Check one plan. `states`, and 10 times as many steps, bound each search (`question.Work`)."""
    name = record.get("name", "")
    if not isinstance(name, str) or not name.isprintable() or len(name) > _NAME:
        name = ""
    try:
        return _check_record(record, states, name)
    except (Unsound, IllegalMove, UsageError) as error:
        return Verification("wrong", str(error), name=name)
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        return Verification(
            "wrong", f"a part of the plan is missing or of the wrong kind ({type(error).__name__})", name=name
        )


def _check_record(record: Mapping[str, Any], states: int, name: str) -> Verification:
    table = CraftingTable.from_json(record["start"])
    if len({index_of(slot) for slot in record["start"]}) < len(record["start"]):
        raise Unsound("a slot of the start is named twice")
    targets: dict[str, int] = record["wanted"]
    if not targets or any(type(count) is not int or count < 1 for count in targets.values()):
        raise Unsound("nothing is wanted, or less than one of it")
    if record["verdict"] == "impossible":
        check_impossible(table.book, table.counts(), targets, record["proof"], states)
        return Verification("impossible", "the proof holds", name=name)
    if record["verdict"] != "found":
        raise Unsound(f"the verdict is {str(record['verdict'])[:40]!r}, which claims nothing")
    actions = record["actions"]
    _replay(table.copy(), targets, actions)
    certificate = record["certificate"]
    least = certificate["least"]
    if type(least) is not int or least < 0 or least > len(actions):
        raise Unsound(f"the bound is {str(least)[:40]}, and {len(actions)} actions do it")
    check_bound(table, targets, certificate, states)
    if least == len(actions):
        return Verification("minimal", f"{least} actions, proven to be the fewest", len(actions), least, name)
    return Verification("works", f"{len(actions)} actions; at least {least} are needed", len(actions), least, name)


def _replay(table: CraftingTable, targets: Mapping[str, int], actions: list[list[Any]]) -> None:
    for number, (kind, source, target, quantity) in enumerate(actions, 1):
        if kind not in ("move", "smelt"):
            raise Unsound(f"action {number} is {str(kind)[:40]!r}: only move and smelt are actions")
        try:
            (table.move if kind == "move" else table.smelt)(index_of(source), index_of(target), quantity)
        except IllegalMove as error:
            raise Unsound(f"action {number} is against the rules: {error}") from None
    counts = table.counts()
    for item, count in targets.items():
        if counts.get(item, 0) < count:
            raise Unsound(f"after all actions there are {counts.get(item, 0)} {item}, and {count} are wanted")
