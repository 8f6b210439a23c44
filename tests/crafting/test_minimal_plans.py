"""Plans of fewest actions: played by the rules, counted, and checked by the verifier from what is written to a file."""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import autocraft.crafting.verify as verify_package
from autocraft.crafting.examples import load_examples
from autocraft.crafting.inventory import parse_inventory
from autocraft.crafting.minimal.planner import MinimalPlan, minimal_plan
from autocraft.crafting.minimal.plans import plan_record
from autocraft.crafting.minimal.steps import steps_of
from autocraft.crafting.table import CraftingTable
from autocraft.crafting.verify.files import Verification, verify
from autocraft.errors import IllegalMove
from autocraft.goals import Goal
from tests.sampling import drawn


def goals(**counts: int) -> list[Goal]:
    return [Goal(f"craft {count} {item}", ((item, count),)) for item, count in counts.items()]


def played(table: CraftingTable, plan: MinimalPlan) -> dict[str, int]:
    """The counts after the plan's actions, by the rules."""
    table = table.copy()
    for action in plan.actions:
        (table.smelt if action.kind == "smelt" else table.move)(action.source, action.target, action.quantity)
    return table.counts()


def verified(table: CraftingTable, wanted: list[Goal], plan: MinimalPlan) -> Verification:
    return verify(plan_record(table, wanted, plan))


@pytest.mark.parametrize(
    ("inventory", "item", "count", "actions"),
    [
        ("oak_log=1", "oak_planks", 1, 2),
        ("sand=5", "glass", 5, 1),
        ("cobblestone=1", "smooth_stone", 1, 2),
        ("bamboo=14", "ladder", 1, 16),
        ("cobblestone=8", "stone_brick_wall", 1, 12),
        ("sand=8,cactus=1", "green_stained_glass", 1, 10),
        ("oak_log=64", "oak_planks", 256, 65),
        ("oak_planks=2,birch_planks=6", "chest", 1, 9),
    ],
)
def test_the_fewest_actions_are_found_and_proven(inventory: str, item: str, count: int, actions: int) -> None:
    table = parse_inventory(inventory)
    plan = minimal_plan(table, goals(**{item: count}))
    assert (plan.verdict, len(plan.actions), plan.minimal) == ("found", actions, True)
    assert played(table, plan)[item] >= count
    assert verified(table, goals(**{item: count}), plan).verdict == "minimal"
    assert [step.name for step in steps_of(plan.actions, table, {item: count})] == [
        action.kind for action in plan.actions
    ]


@pytest.mark.parametrize(
    ("split", "solvable", "impossible", "actions"),
    drawn([("test", 480, 100, 3558), ("val", 470, 100, 3341), ("train", 945, 200, 6757)], 1),
)
@pytest.mark.full
def test_every_example_is_proven_minimal_or_impossible(
    split: str, solvable: int, impossible: int, actions: int
) -> None:
    verdicts: Counter[str] = Counter()
    total = 0
    for example in load_examples(split).values():
        table = example.table()
        plan = minimal_plan(table, [example.goal])
        assert (plan.verdict == "impossible") == example.impossible, example.id
        if plan.verdict == "found":
            assert played(table, plan).get(example.target, 0) >= 1, example.id
        verdicts[verified(table, [example.goal], plan).verdict] += 1
        total += len(plan.actions)
    assert verdicts == {"minimal": solvable, "impossible": impossible}
    assert total == actions


@pytest.mark.parametrize("shard", drawn(range(64), 4))
@pytest.mark.parametrize("split", ["test", "val"])
def test_some_examples_are_proven_minimal_or_impossible(split: str, shard: int) -> None:
    for example in list(load_examples(split).values())[shard::64]:
        table = example.table()
        plan = minimal_plan(table, [example.goal])
        assert (plan.verdict == "impossible") == example.impossible, example.id
        wanted = "impossible" if example.impossible else "minimal"
        assert verified(table, [example.goal], plan).verdict == wanted, example.id
        assert example.impossible or played(table, plan).get(example.target, 0) >= 1, example.id


def test_a_useless_craft_may_save_an_action() -> None:
    """Two planks are in the way and one stick too many has landed: taking a wooden sword rids the grid of all three."""
    table = load_examples("test")["TEST0014"].table()
    plan = minimal_plan(table, goals(comparator=1))
    assert (len(plan.actions), plan.minimal) == (18, True)
    assert played(table, plan)["wooden_sword"] == 1


def disturbed(table: CraftingTable, rng: random.Random) -> CraftingTable:
    """The table after six random legal moves, many of them into the grid."""
    done = 0
    while done < 6:
        source = rng.choice([slot for slot, _ in table.stacks()])
        target = rng.choice([*range(1, 10), *range(1, 46)])
        try:
            table.move(source, target, rng.randint(1, table[source][1]))  # type: ignore[index]
            done += 1
        except IllegalMove:
            pass
    return table


@pytest.mark.full
def test_plans_from_the_middle_of_an_episode_work_and_claim_only_what_holds() -> None:
    rng = random.Random(5)
    verdicts: Counter[str] = Counter()
    for example in list(load_examples("test").values())[::6]:
        table = disturbed(example.table(), rng)
        plan = minimal_plan(table, [example.goal])
        if plan.verdict == "found":
            assert played(table, plan).get(example.target, 0) >= 1, example.id
            assert plan.minimal or "fewest known" in plan.why
        verdicts[verified(table, [example.goal], plan).verdict] += 1
    assert verdicts["wrong"] == 0
    assert verdicts["minimal"] > 50


def test_what_lies_in_the_grid_is_used_where_it_lies() -> None:
    table = CraftingTable({1: ("oak_planks", 1), 10: ("oak_planks", 3)})
    plan = minimal_plan(table, goals(stick=1))
    assert (len(plan.actions), plan.minimal) == (2, True)
    shown = CraftingTable({5: ("oak_log", 1)})
    assert len(minimal_plan(shown, goals(oak_planks=1)).actions) == 1


def test_several_goals_are_met_at_once() -> None:
    table = parse_inventory("oak_log=2,cobblestone=3")
    wanted = goals(stick=2, stone=1)
    plan = minimal_plan(table, wanted)
    after = played(table, plan)
    assert after["stick"] >= 2
    assert after["stone"] >= 1
    assert verified(table, wanted, plan).verdict in ("minimal", "works")


def test_nothing_is_to_do_when_all_is_there() -> None:
    table = parse_inventory("stick=3")
    plan = minimal_plan(table, goals(stick=2))
    assert (plan.verdict, plan.actions, plan.minimal) == ("found", (), True)
    assert verified(table, goals(stick=2), plan).verdict == "minimal"


@pytest.mark.full
def test_hundreds_of_takes_one_after_another_end_in_a_plan() -> None:
    table = parse_inventory("oak_log=350")
    plan = minimal_plan(table, goals(oak_planks=1400), nodes=1000)
    assert (plan.verdict, plan.minimal) == ("found", False)
    for act in plan.actions:
        table.move(act.source, act.target, act.quantity)
    assert table.counts()["oak_planks"] >= 1400 and plan.least > 350


def test_what_cannot_be_worked_out_is_said() -> None:
    table = parse_inventory("stick=3")
    assert minimal_plan(table, [Goal("be happy")]).verdict == "not found"
    assert "no item" in minimal_plan(table, goals(unobtainium=1)).why


@pytest.mark.parametrize("nodes", [1, 5, 50])
def test_a_limit_of_states_never_leads_to_a_false_claim(nodes: int) -> None:
    for example in list(load_examples("val").values())[::25]:
        table = example.table()
        plan = minimal_plan(table, [example.goal], nodes=nodes)
        if plan.verdict == "not found":
            continue
        assert (plan.verdict == "impossible") == example.impossible, example.id
        assert verified(table, [example.goal], plan).verdict != "wrong", example.id


def test_the_plan_does_not_depend_on_hash_order() -> None:
    script = (
        "from autocraft.crafting.examples import load_examples\n"
        "from autocraft.crafting.minimal.planner import minimal_plan\n"
        "for e in list(load_examples('test').values())[::40]: print(minimal_plan(e.table(), [e.goal]))\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


def test_the_verifier_imports_nothing_of_the_planners() -> None:
    allowed = {"errors", "crafting.recipes", "crafting.slots", "crafting.table"}
    for path in Path(verify_package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("autocraft."):
                    plain = name.removeprefix("autocraft.")
                    assert plain in allowed or plain.startswith("crafting.verify."), f"{path.name}: {name}"
