"""`autocraft plan`: the fewest actions, their proof, and what is said of bad input."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Place


def test_a_ladder_from_bamboo_takes_sixteen_actions(place: Place) -> None:
    done = place.run("plan", "craft 1 ladder", "--inventory", "bamboo=14")
    assert done.returncode == 0
    rows = done.stdout.splitlines()
    assert rows[:4] == ["1 ladder, crafted (3 in all)", "└─ 7 stick, crafted", "   └─ 14 bamboo, held", ""]
    assert rows[4].startswith("  1. move from [I1] to [")
    assert rows[19].startswith(" 16. ")
    assert rows[20].startswith("found: ")


def test_the_tree_shows_an_item_that_two_things_need_once_in_full(place: Place) -> None:
    done = place.run("plan", "craft 1 bow", "craft 1 ladder", "--inventory", "oak_log=4,string=3")
    rows = done.stdout.splitlines()
    assert rows.count("└─ 7 stick, crafted (12 in all), as above") == 1
    assert sum(row.startswith("├─ 3 stick, crafted (12") and "as above" not in row for row in rows) == 1


def test_a_written_plan_is_verified_and_a_changed_one_is_not(place: Place) -> None:
    done = place.run("plan", "--example", "TEST0018", "--json")
    (place.folder / "plans.jsonl").write_text(done.stdout)
    checked = place.run("plan", "--verify", "plans.jsonl")
    assert checked.returncode == 0
    assert "minimal: 10 actions, proven to be the fewest" in checked.stdout
    record = json.loads(done.stdout)
    record["actions"].pop()
    (place.folder / "plans.jsonl").write_text(json.dumps(record))
    checked = place.run("plan", "--verify", "plans.jsonl")
    assert checked.returncode == 1
    assert "wrong" in checked.stdout


def test_impossible_is_5_with_a_proof_that_verifies(place: Place) -> None:
    assert place.run("plan", "--example", "TEST0000").returncode == 5
    (place.folder / "plans.jsonl").write_text(place.run("plan", "--example", "TEST0000", "--json").stdout)
    assert "impossible: the proof holds" in place.run("plan", "--verify", "plans.jsonl").stdout


@pytest.mark.parametrize(
    ("goal", "inventory", "said"),
    [
        ("get 2 log and 4 oak_planks", "oak_log=5", "found: 2 actions, proven to be the fewest for 2 oak_log, 4 oak_p"),
        ("craft 5 oak_planks and 3 planks", "oak_log=2", "found: 3 actions, proven to be the fewest for 5 oak_planks"),
        ("craft 5 oak_planks and 3 planks", "oak_log=2,oak_planks=2,birch_planks=2", "found: 2 actions, proven to be"),
        ("get 3 log and 1 stick", "oak_log=3,birch_log=1", "the fewest for 1 birch_log, 2 oak_log, 1 stick"),
        ("craft 1 door", "acacia_log=2,birch_planks=6", "found: 7 actions, proven to be the fewest for 1 birch_door"),
        ("get 8 planks", "oak_log=1,birch_log=1", "not found: no plan was found with one kind"),
    ],
)
def test_a_kind_of_item_is_planned_with_the_item_that_takes_least(
    place: Place, goal: str, inventory: str, said: str
) -> None:
    done = place.run("plan", goal, "--inventory", inventory)
    assert said in done.stdout
    written = place.run("plan", goal, "--inventory", inventory, "--json")
    (place.folder / "plans.jsonl").write_text(written.stdout)
    assert done.returncode or "1: minimal: " in place.run("plan", "--verify", "plans.jsonl").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no goal: say what to plan"),
        (("be happy",), "does not understand the goal 'be happy'"),
        (("craft 1 lader",), "the goal 'craft 1 lader': did you mean ladder? say it like 'craft 2 stick'"),
        (("craft 2 sticks and 3 oak plonks",), "did you mean oak_planks? say it like"),
        (("kill 1 pig",), "the crafting world has no 'kill', as in the goal 'kill 1 pig': say it like 'craft 2 stick'"),
        (("craft 1 stick", "--inventory", "oak_lgo=1"), "oak_log"),
        (("--verify", "none.jsonl"), "none.jsonl cannot be read"),
        (("--verify", "."), " . cannot be read: Is a directory"),
        (("--example", "TEST0018", "--inventory", "stick=1"), "--example brings its own inventory"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(place: Place, arguments: tuple[str, ...], said: str) -> None:
    done = place.run("plan", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
