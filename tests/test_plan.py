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
    ("arguments", "said"),
    [
        ((), "no goal: say what to plan"),
        (("be happy",), "does not understand the goal 'be happy'"),
        (("craft 1 lader",), "the goal 'craft 1 lader': say it like 'craft 2 stick'; did you mean ladder?"),
        (("craft 2 sticks and 3 oak plonks",), "did you mean oak_planks, dark_oak_planks or oak_log?"),
        (("craft 1 stick", "--inventory", "oak_lgo=1"), "oak_log"),
        (("--verify", "none.jsonl"), "none.jsonl cannot be read"),
        (("--example", "TEST0018", "--inventory", "stick=1"), "--example brings its own inventory"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(place: Place, arguments: tuple[str, ...], said: str) -> None:
    done = place.run("plan", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
