"""False claims, each of which one check of the verifier finds out, and nonsense, which must not crash or stall it."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.crafting.examples import load_example
from autocraft.crafting.minimal.planner import minimal_plan
from autocraft.crafting.minimal.plans import plan_record
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.verify.files import verify, verify_file
from autocraft.errors import UsageError
from autocraft.goals import Goal
from autocraft.protocols import Json


def twin(record: Json) -> Json:
    copied: Json = json.loads(json.dumps(record))
    return copied


def record_of(id: str) -> Json:
    example = load_example(id)
    return plan_record(example.table(), [example.goal], minimal_plan(example.table(), [example.goal]), id)


@pytest.fixture(scope="module")
def records() -> dict[str, Json]:
    """One of each kind: the two bounds, the three proofs."""
    ids = {"takes": "TEST0451", "cells": "TEST0205", "lack": "TEST0008", "counting": "VAL0401", "stocks": "VAL0228"}
    return {kind: record_of(id) for kind, id in ids.items()}


def out_of_reach(proof: Json, start: Json | None = None, wanted: Json | None = None) -> Json:
    """The claim that blaze powder cannot be made of a rod, which it can."""
    held = start or {"I1": ["blaze_rod", 1]}
    return {"v": 1, "start": held, "wanted": wanted or {"blaze_powder": 2}, "verdict": "impossible", "proof": proof}


def counted(tree: Json) -> Json:
    return out_of_reach({"kind": "counting", "wanted": {"blaze_powder": 2}, "tree": tree})


POWDER = "2 blaze_powder from 1 blaze_rod #1"


def fork(at: Any, way: str = POWDER) -> Json:
    """Not made at most `at` times, since then there are too little powder, nor more often, since there is one rod."""
    return {"way": way, "at": at, "low": {"weights": {"blaze_powder": 1}}, "high": {"weights": {"blaze_rod": 1}}}


def test_a_fork_is_believed_where_it_is_right() -> None:
    record = counted(fork(1))
    record["wanted"] = record["proof"]["wanted"] = {"blaze_powder": 3}
    assert verify(record).verdict == "impossible"


@pytest.mark.parametrize(
    ("record", "why"),
    [
        # One craft lies between a half and one and a half.
        pytest.param(counted(fork(0.5)), "not counts", id="a fork between whole numbers"),
        pytest.param(counted(fork(math.nan)), "not counts", id="a fork at no number"),
        pytest.param(counted(fork(-1)), "not counts", id="a fork below none"),
        pytest.param(counted(fork(True)), "not counts", id="a fork at true"),
        pytest.param(counted(fork(0)), "leaves room", id="a fork that keeps one craft"),
        pytest.param(counted(fork(0, "pray #1")), "not a recipe", id="a fork at no recipe"),
        pytest.param(
            counted({"weights": {"blaze_powder": math.nan}}), "whole number", id="weights that are no numbers"
        ),
        pytest.param(counted({"weights": {"blaze_powder": 1.5}}), "whole number", id="broken weights"),
        pytest.param(counted({"weights": {"blaze_powder": True}}), "whole number", id="true for a weight"),
        pytest.param(counted({"weights": {"blaze_powder": -1}}), "whole number", id="weights below none"),
        pytest.param(counted({"weights": {"blaze_powder": 10**400}}), "leaves room", id="weights beyond any float"),
        pytest.param(counted({"weights": {"bedrock": 1}}), "leaves room", id="weights of something else"),
        pytest.param(counted({}), "KeyError", id="a tree without leaves"),
        pytest.param(
            out_of_reach({"kind": "exhaustion", "wanted": {"blaze_powder": math.nan}}), "something else", id="no number"
        ),
        pytest.param(
            out_of_reach({"kind": "exhaustion", "wanted": {"blaze_powder": 2.5}}),
            "something else",
            id="a broken number",
        ),
        pytest.param(
            out_of_reach({"kind": "exhaustion", "wanted": {"blaze_powder": 3}}),
            "something else",
            id="more than is wanted",
        ),
        pytest.param(
            out_of_reach(
                {
                    "kind": "reachability",
                    "wanted": {"diamond": 0},
                    "lacking": ["diamond", "diamond_block", "diamond_ore"],
                }
            ),
            "something else",
            id="none of something else",
        ),
        pytest.param(
            out_of_reach({"kind": "reachability", "wanted": {"blaze_powder": 2}, "lacking": ["blaze_powder"]}),
            "without the others",
            id="a recipe left out",
        ),
        pytest.param(
            out_of_reach(
                {"kind": "reachability", "wanted": {"blaze_powder": 2}, "lacking": ["blaze_powder", "blaze_rod"]}
            ),
            "it is held",
            id="what is held",
        ),
        pytest.param(
            out_of_reach({"kind": "reachability", "wanted": {"blaze_powder": 2}, "lacking": ["bedrock"]}),
            "nothing that is wanted",
            id="what nobody wants",
        ),
        pytest.param(
            out_of_reach({"kind": "exhaustion", "wanted": {"blaze_powder": 2}}), "was made", id="a made stock"
        ),
        pytest.param(out_of_reach({"kind": "exhaustion", "wanted": {}}), "something else", id="nothing"),
        pytest.param(out_of_reach({"kind": "oracle", "wanted": {"blaze_powder": 2}}), "no proof of kind", id="no kind"),
    ],
)
def test_what_can_be_made_is_never_proven_impossible(record: Json, why: str) -> None:
    found = verify(record)
    assert found.verdict == "wrong"
    assert why in found.why


def padded(record: Json) -> Json:
    """The claim that one more action is needed, with a useless one to match."""
    copied = twin(record)
    copied["certificate"]["least"] += 1
    copied["actions"].append(["move", copied["actions"][-1][2], "I36", 1])
    return copied


@pytest.mark.parametrize("kind", ["takes", "cells"])
@pytest.mark.parametrize("scale", [0, -1, 1.0, 0.5, math.nan, math.inf, True, "1", None, []])
@pytest.mark.sampled(1)
def test_a_scale_is_a_whole_number(records: dict[str, Json], kind: str, scale: object) -> None:
    record = twin(records[kind])
    record["certificate"]["scale"] = scale
    assert verify(record).verdict == "wrong"


@pytest.mark.parametrize("kind", ["takes", "cells"])
@pytest.mark.parametrize("weight", [-1, 0.5, math.nan, math.inf, True, "1", None, [], 10**400])
def test_a_weight_is_a_whole_number_that_its_recipe_allows(records: dict[str, Json], kind: str, weight: object) -> None:
    record = twin(records[kind])
    target = next(iter(record["wanted"]))
    record["certificate"]["weights"][target] = weight
    found = verify(record)
    assert found.verdict == "wrong"
    assert "weights" in found.why or "Error" in found.why


def test_huge_weights_over_a_broken_scale_do_not_crash(records: dict[str, Json]) -> None:
    record = twin(records["takes"])
    record["certificate"] |= {"scale": 1.5, "weights": dict.fromkeys(record["certificate"]["weights"], 10**400)}
    assert "whole numbers" in verify(record).why


@pytest.mark.parametrize("kind", ["takes", "cells"])
def test_no_weights_and_no_merging_prove_one_action_more(records: dict[str, Json], kind: str) -> None:
    rng = random.Random(4)
    names = sorted(records[kind]["certificate"]["weights"])
    assert "does not rule out" in verify(padded(records[kind])).why
    for _ in range(60):
        record = padded(records[kind])
        certificate = record["certificate"]
        certificate["bound"] = rng.choice(["takes", "cells"])
        certificate["weights"] = {name: rng.choice([0, 1, 7, 48, 200, 10**30]) for name in names}
        certificate["scale"] = rng.choice([1, 48, 100, 10**30])
        certificate["merged"] = [rng.sample(names, 2)] if len(names) > 1 and rng.random() < 0.5 else []
        assert verify(record, states=3000).verdict == "wrong"


def fire_charges(merged: list[list[str]], weight: int) -> Json:
    """The grid of the start shows fire charges: one take does, and two are claimed."""
    start = {"A1": ["coal", 2], "A2": ["gunpowder", 3], "A3": ["blaze_powder", 2], "I1": ["charcoal", 1]}
    certificate = {"bound": "takes", "least": 2, "merged": merged, "weights": {"fire_charge": weight}, "scale": 1}
    actions = [["move", "0", "I2", 3], ["move", "I2", "I3", 1]]
    start_and_goal = {"v": 1, "start": start, "wanted": {"fire_charge": 3}, "verdict": "found"}
    return start_and_goal | {"actions": actions, "certificate": certificate}


def test_one_take_is_not_two() -> None:
    assert "does not rule out" in verify(fire_charges([], 0)).why
    assert "more than one action" in verify(fire_charges([], 1)).why


@pytest.mark.parametrize(
    ("merged", "why"),
    [
        ([["charcoal", "gunpowder"]], "share an item"),
        ([["fire_charge", "coal"]], "uses what it makes"),
        ([["coal", "charcoal"], ["charcoal", "gunpowder"]], "merged twice"),
        ([["coal", "coal"]], "merged twice"),
        ([[["coal"], "charcoal"]], "TypeError"),
        ([{"coal": 1}], "KeyError"),
        (7, "TypeError"),
    ],
)
def test_a_merging_that_no_proof_covers_is_refused(merged: Any, why: str) -> None:
    found = verify(fire_charges(merged, 0))
    assert found.verdict == "wrong"
    assert why in found.why


def test_smelting_in_circles_after_merging_is_refused() -> None:
    start = {"I1": ["sand", 2]}
    certificate = {"bound": "cells", "least": 1, "merged": [["sand", "glass"]], "weights": {}, "scale": 1}
    record = {"v": 1, "start": start, "wanted": {"glass_bottle": 1}, "verdict": "found", "certificate": certificate}
    record |= {"wanted": {"glass": 1}, "actions": [["smelt", "I1", "I2", 1]]}
    assert "from itself" in verify(record).why


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda record: record["start"].update({next(iter(record["start"])).lower(): ["dirt", 1]}), "named twice"),
        (lambda record: record["start"].update(I36=["diamond", True]), "diamond"),
        (lambda record: record["start"].update(I36=["diamond", 65]), "65"),
        (lambda record: record["start"].update(I36=["diamond", 1.0]), "1.0"),
        (lambda record: record.update(start={"I1": ["diamond", 1]}), "rules"),
        (lambda record: record.update(verdict="impossible"), "missing"),
        (lambda record: record["wanted"].update(diamond=1), "diamond"),
        (lambda record: record["wanted"].update(diamond=0), "less than one"),
        (lambda record: record["wanted"].update(diamond=True), "less than one"),
        (lambda record: record["actions"].insert(0, ["move", "I1", "0", 1]), "nothing can be put"),
        (lambda record: record["actions"].insert(0, ["move", "I1", "I1", 1]), "both"),
        (lambda record: record["actions"].insert(0, ["move", "I1", "D4", 1]), "no slot"),
        (lambda record: record["actions"][0].__setitem__(3, True), "rules"),
        (lambda record: record["actions"][0].__setitem__(3, 1.0), "rules"),
        (lambda record: record["actions"][0].__setitem__(3, 10**30), "rules"),
        (lambda record: record["actions"][0].append(1), "ValueError"),
        (lambda record: record["certificate"].update(least=True), "the bound is True"),
        (lambda record: record["certificate"].update(least=-1), "the bound is -1"),
        (lambda record: record["certificate"].update(least=math.nan), "the bound is nan"),
        (lambda record: record["certificate"].update(least=10**5000), "ValueError"),
        (lambda record: record["certificate"].update(bound=["takes"]), "no bound"),
        (lambda record: record["certificate"].update(bound="none"), "no bound"),
    ],
)
def test_a_forged_plan_is_wrong(records: dict[str, Json], change: Callable[[Json], object], why: str) -> None:
    record = twin(records["cells"])
    change(record)
    found = verify(record)
    assert found.verdict == "wrong"
    assert why in found.why
    assert len(found.why) < 400


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"v": 1, "name": ' + nested(200_000) + "}", "not JSON"),
        ('{"v": 1, "wanted": {"stick": 1}, "wanted": {"stick": 2}}', "a key is there twice"),
        ('{"v": 1, "wanted": {"stick": NaN}}', "NaN is not a number"),
        ('{"v": 1, "wanted": {"stick": -Infinity}}', "Infinity is not a number"),
        ('{"v": 1, "wanted": {"stick": ' + "9" * 5000 + "}}", "not JSON"),
    ],
)
def test_a_line_that_no_plan_holds_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "plans.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=why) as refused:
        verify_file(path)
    assert "\n" not in str(refused.value)


def test_a_tree_that_is_too_deep_is_wrong() -> None:
    tree = fork(0)
    for _ in range(50_000):
        tree = {"way": POWDER, "at": 0, "low": tree, "high": tree}
    assert verify(counted(tree)).verdict == "wrong"


@pytest.mark.parametrize("name", [7, ["x"], "x\nTEST1: minimal: 3 actions", "\x1b[2J", "x" * 1000])
def test_a_name_cannot_pass_for_output(records: dict[str, Json], name: object) -> None:
    found = verify(twin(records["takes"]) | {"name": name})
    assert (found.verdict, found.name) == ("minimal", "")


WOODS = ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak", "crimson", "warped")


def laborious(bound: str) -> Json:
    """A barrel of any of eight planks and eight slabs: 61 776 ways to lay it, and more to make the planks and slabs."""
    start = {f"I{number}": [f"{wood}_planks", 64] for number, wood in enumerate(WOODS, 1)}
    start |= {f"I{number}": [f"{wood}_slab", 64] for number, wood in enumerate(WOODS, 9)}
    actions = [["move", "I1", cell, 1] for cell in ("A1", "A3", "B1", "B3", "C1", "C3", "I35", "I36")]
    actions[6:6] = [["move", "I9", "A2", 1], ["move", "I9", "C2", 1], ["move", "0", "I34", 1]]
    certificate = {"bound": bound, "least": len(actions), "merged": [], "weights": {}, "scale": 1}
    record = {"v": 1, "start": start, "wanted": {"barrel": 1}, "verdict": "found"}
    return record | {"actions": actions, "certificate": certificate}


def shared_out() -> Json:
    """Sixty charcoal of six kinds of wood: millions of ways to share them out."""
    start = {f"I{number}": [f"{wood}_log", 16] for number, wood in enumerate(WOODS[:6], 1)}
    actions = [["smelt", f"I{number}", "I36", 15] for number in range(1, 5)]
    certificate = {"bound": "takes", "least": 4, "merged": [], "weights": {}, "scale": 1}
    record = {"v": 1, "start": start, "wanted": {"charcoal": 60}, "verdict": "found"}
    return record | {"actions": actions, "certificate": certificate}


def leafy() -> Json:
    """A tree of 2 ** 40 leaves, all of which hold, from one branch that is used again and again."""
    tree: Json = {"weights": {"blaze_rod": 1}}
    for _ in range(40):
        tree = {"way": POWDER, "at": 100, "low": tree, "high": tree}
    record = counted(fork(1) | {"high": tree})
    record["wanted"] = record["proof"]["wanted"] = {"blaze_powder": 3}
    return record


def stocked() -> Json:
    """Two barrels of planks for one: there are too few, in more ways than can be looked at."""
    start = {f"I{number}": [f"{wood}_planks", 2] for number, wood in enumerate(WOODS[:5], 1)}
    start |= {f"I{number}": [f"{wood}_slab", 2] for number, wood in enumerate(WOODS, 9)}
    return out_of_reach({"kind": "exhaustion", "wanted": {"barrel": 2}}, start, {"barrel": 2})


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(laborious("takes"), id="takes"),
        pytest.param(laborious("cells"), id="cells"),
        pytest.param(shared_out(), id="shares"),
        pytest.param(leafy(), id="leaves"),
        pytest.param(stocked(), id="stocks"),
    ],
)
@pytest.mark.sampled(2)
def test_work_that_would_not_end_is_refused(record: Json) -> None:
    found = verify(record, states=2000)
    assert found.verdict == "wrong"
    assert "cannot be checked within 2000 states and 20000 steps" in found.why


JUNK: tuple[object, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**30, 1.5, math.nan, math.inf, -math.inf),
    *("", "A1", "0", "stick", "oak_planks", "\x00", "x" * 500, [], {}, [[]], [1, 2], {"": 0}, {"stick": 1}),
)


def holders(value: object) -> list[Any]:
    """Every list and dict of a record."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return ([value] if inner else []) + [each for part in inner for each in holders(part)]


def spoil(record: Json, rng: random.Random) -> None:
    """Change, drop, double or swap one to three parts of what is claimed, not of what was asked."""
    claims: Json = {key: record[key] for key in ("actions", "certificate", "proof") if key in record}
    for _ in range(rng.randint(1, 3)):
        holder = rng.choice(holders(claims))
        key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        match rng.randrange(4):
            case 0:
                holder[key] = copy.deepcopy(rng.choice(JUNK))
            case 1 if isinstance(holder[key], int):
                holder[key] += rng.choice([-1, 1, 48])
            case 2 if len(holder) > 1:
                other = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
                holder[key], holder[other] = holder[other], holder[key]
            case _ if len(holder) > 1:
                del holder[key]
    record |= claims


def attack(records: dict[str, Json], seeds: range) -> int:
    """Spoil claims; returns how many were found wrong. None may claim what is not so."""
    wrong = 0
    for seed in seeds:
        rng = random.Random(seed)
        kind = rng.choice(sorted(records))
        record = twin(records[kind])
        spoil(record, rng)
        found = verify(record, states=2000)
        wrong += found.verdict == "wrong"
        least = records[kind].get("certificate", {"least": -1})["least"]
        if found.verdict in ("minimal", "works"):
            assert found.least <= least, f"seed {seed}"
            assert found.actions >= least, f"seed {seed}"
        if found.verdict == "impossible":
            assert "proof" in records[kind], f"seed {seed}"
    return wrong


def test_spoilt_claims_prove_nothing_false(records: dict[str, Json]) -> None:
    assert attack(records, range(400)) > 200


@pytest.mark.full
def test_many_spoilt_claims_prove_nothing_false(records: dict[str, Json]) -> None:
    assert attack(records, range(400, 4000)) > 1400


def test_a_true_claim_of_a_goal_that_is_met_still_holds() -> None:
    table = CraftingTable({10: ("stick", 3)})
    goals = [Goal("hold 2 stick", (("stick", 2),))]
    assert verify(plan_record(table, goals, minimal_plan(table, goals))).verdict == "minimal"
