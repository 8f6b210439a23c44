"""The verifier believes nothing: every part of a plan that is changed for the better is found out."""

from __future__ import annotations

import copy
import functools
import itertools
import json
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autocraft.crafting.examples import load_example
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.minimal.plans import plan_record
from autocraft.crafting.recipes import load_book
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.verify.files import verify, verify_file
from autocraft.errors import UsageError
from autocraft.goals import Goal
from autocraft.protocols import Json


def record_of(id: str) -> Json:
    example = load_example(id)
    return plan_record(example.table(), [example.goal], minimal_plan(example.table(), [example.goal]), id)


@pytest.fixture(scope="module")
def records() -> dict[str, Json]:
    """One of each kind: the two bounds, the three proofs."""
    return {
        "takes": record_of("TEST0451"),
        "cells": record_of("TEST0205"),
        "reachability": record_of("TEST0008"),
        "counting": record_of("VAL0401"),
        "exhaustion": record_of("VAL0228"),
    }


def changed(record: Json, change: Callable[[Json], object]) -> Json:
    twin: Json = json.loads(json.dumps(copy.deepcopy(record)))
    change(twin)
    return twin


@pytest.mark.full
def test_each_kind_of_certificate_is_there_and_holds(records: dict[str, Json]) -> None:
    for kind, record in records.items():
        claim = record.get("certificate", {}).get("bound") or record["proof"]["kind"]
        assert claim == kind
        assert verify(record).verdict == ("minimal" if kind in ("takes", "cells") else "impossible")


def lift(record: Json) -> None:
    """Claim one more than holds, with a useless action to match."""
    record["certificate"]["least"] += 1
    last = record["actions"][-1]
    record["actions"].append(["move", last[2], "I36", 1])


@pytest.mark.parametrize("kind", ["takes", "cells"])
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda record: record["actions"].pop(), "are wanted"),
        (lambda record: record["actions"].pop(0), "rules"),
        (lambda record: record["actions"][0].__setitem__(0, "craft"), "only move and smelt"),
        (lambda record: record["certificate"].__setitem__("least", 99), "the bound is 99"),
        (lambda record: record["certificate"].__setitem__("bound", "magic"), "no bound"),
        (lambda record: record["certificate"].__setitem__("scale", 1), "weights"),
        (lambda record: record["certificate"].pop("merged"), "missing"),
        (lambda record: record.__setitem__("wanted", {}), "nothing is wanted"),
        (lift, "does not rule out"),
    ],
)
@pytest.mark.sampled(6)
def test_a_changed_plan_is_found_out(
    records: dict[str, Json], kind: str, change: Callable[[Json], object], why: str
) -> None:
    found = verify(changed(records[kind], change))
    assert found.verdict == "wrong"
    assert why in found.why


def numbers(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each whole number of a record."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if type(value) is int:
        yield path
    for key, part in parts:
        yield from numbers(part, (*path, key))


@functools.cache
def planned(start: str, wanted: str) -> tuple[str, int]:
    """Verdict and length of the planner's own answer to a question that was changed, after a short search."""
    goal = Goal("have it", tuple(json.loads(wanted).items()))
    plan = minimal_plan(CraftingTable.from_json(json.loads(start)), [goal], nodes=300)
    return plan.verdict, len(plan.actions)


@pytest.mark.parametrize("kind", ["takes", "cells", "reachability", "counting", "exhaustion"])
@pytest.mark.sampled(1)
def test_no_number_can_be_changed_into_a_false_claim(records: dict[str, Json], kind: str) -> None:
    verdicts: Counter[str] = Counter()
    for *way, key in numbers(json.loads(json.dumps(records[kind]))):
        holder = functools.partial(functools.reduce, lambda part, step: part[step], way)
        changes: list[Callable[[int], int]] = [lambda n: n + 1, lambda n: n - 1, lambda n: 2 * n + 1, lambda n: -n]
        for change in changes:
            record = changed(records[kind], lambda twin: operator.setitem(holder(twin), key, change(holder(twin)[key])))  # noqa: B023
            found = verify(record)
            verdicts[found.verdict] += 1
            if found.verdict != "wrong":
                verdict, length = planned(json.dumps(record["start"]), json.dumps(record["wanted"]))
                assert verdict != ("found" if found.verdict == "impossible" else "impossible"), (way, key)
                assert verdict != "found" or found.least <= length, (way, key)
    assert verdicts["wrong"] > 10


def test_weights_that_promise_too_much_are_refused(records: dict[str, Json]) -> None:
    for name in records["takes"]["certificate"]["weights"]:
        found = verify(changed(records["takes"], functools.partial(double, name=name)))
        assert found.verdict in ("wrong", "minimal")
    target = next(iter(records["takes"]["wanted"]))
    assert "weights" in verify(changed(records["takes"], lambda record: double(record, target))).why


def double(record: Json, name: str) -> None:
    record["certificate"]["weights"][name] *= 1000


def test_a_bound_of_the_first_kind_does_not_pass_for_one_of_the_second(records: dict[str, Json]) -> None:
    found = verify(changed(records["cells"], lambda record: record["certificate"].__setitem__("bound", "takes")))
    assert "does not rule out" in found.why


def test_merging_unlike_items_proves_no_more(records: dict[str, Json]) -> None:
    items = sorted(records["takes"]["certificate"]["weights"])
    found = verify(changed(records["takes"], lambda record: record["certificate"].__setitem__("merged", [items])))
    assert found.verdict == "wrong"


@pytest.mark.parametrize("kind", ["reachability", "counting", "exhaustion"])
def test_a_proof_does_not_hold_for_a_richer_start(records: dict[str, Json], kind: str) -> None:
    target = next(iter(records[kind]["wanted"]))
    making = load_book().making(target)[0]

    def enrich(record: Json) -> None:
        record["start"] = {f"I{n}": [choices[0], 1] for n, choices in enumerate(making.ingredients, 1)}

    assert verify(changed(records[kind], enrich)).verdict == "wrong"


def test_a_leaf_without_weights_proves_nothing(records: dict[str, Json]) -> None:
    def strip(record: Json) -> None:
        tree = record["proof"]["tree"]
        while "weights" not in tree:
            tree = tree["low"]
        tree["weights"] = {}

    assert "no weights" in verify(changed(records["counting"], strip)).why


def test_a_search_that_would_be_too_long_is_refused_not_believed(records: dict[str, Json]) -> None:
    assert "within 1 states" in verify(records["cells"], states=1).why
    loop = {"kind": "exhaustion", "wanted": {"diamond": 1}}
    held = {"I1": ["oak_log", 1], "I2": ["diamond_block", 1]}
    many = {"v": 1, "start": held, "wanted": {"diamond": 1}, "verdict": "impossible", "proof": loop}
    assert "was made" in verify(many).why
    assert "within 1" in verify(many, states=1).why


def test_a_file_is_read_line_by_line(tmp_path: Path, records: dict[str, Json]) -> None:
    path = tmp_path / "plans.jsonl"
    lines = [records["takes"], records["counting"], changed(records["cells"], lift)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert [(each.name, each.verdict) for each in verify_file(path)] == [
        ("TEST0451", "minimal"),
        ("VAL0401", "impossible"),
        ("TEST0205", "wrong"),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no plan"),
        ('{"v": 1, "start"', "line 1: this is not JSON"),
        ('{"v": 2}', "version 1"),
        ("[1]", "version 1"),
    ],
)
def test_a_file_that_holds_no_plans_is_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "plans.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=why):
        verify_file(path)
    with pytest.raises(UsageError, match="cannot be read"):
        verify_file(tmp_path / "none")


def test_a_plan_of_nonsense_is_wrong_and_nothing_more() -> None:
    for start in ({}, {"I1": ["stick"]}, {"I1": ["nothing", 1]}, {"Z9": ["stick", 1]}, 5):
        for verdict in ("found", "impossible", "perhaps", None):
            record: Json = {
                "v": 1,
                "start": start,
                "wanted": {"ladder": 1},
                "verdict": verdict,
                "actions": [],
                "proof": {},
            }
            assert verify(record).verdict == "wrong"


def test_rule_4_no_recipe_uses_what_it_makes() -> None:
    assert not [recipe for recipe in load_book().recipes if any(recipe.output in part for part in recipe.ingredients)]


def test_nothing_is_smelted_in_circles() -> None:
    smelts = load_book().smelts
    for item in smelts:
        seen = [item]
        while seen[-1] in smelts:
            seen.append(smelts[seen[-1]].output)
            assert seen.count(seen[-1]) == 1, seen


def test_two_cells_of_a_recipe_accept_the_same_or_nothing_in_common() -> None:
    for recipe in load_book().recipes:
        for one, other in itertools.combinations(recipe.groups, 2):
            assert set(one).isdisjoint(other), recipe


def test_goals_are_named_in_the_record() -> None:
    example = load_example("TEST0205")
    wanted = [example.goal, Goal("craft 2 stick", (("stick", 2),))]
    record = plan_record(example.table(), wanted, minimal_plan(example.table(), wanted))
    assert record["wanted"] == {"gray_dye": 1, "stick": 2}
