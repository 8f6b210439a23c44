"""A run whose goals the world can check ends by that check, unless a remark of the person waits for an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Place, kinds
from tests.console.test_gate_table import asked, left, typed

pytestmark = pytest.mark.sampled(4)

PLANKS = ("craft_item", {"name": "oak_planks", "count": 4})
STICKS = ("craft_item", {"name": "stick", "count": 4})
LOOK: tuple[str, dict[str, Any]] = ("show_inventory", {})


def game(place: Place, goal: str, *answers: Any) -> tuple[str, ...]:
    script = ("--brain", "scripted", "--script", place.script(*answers), "--memory", "none")
    return ("run", "--goal", goal, "--inventory", "oak_log=2", *script)


@pytest.mark.parametrize(
    ("goal", "answers", "turns"),
    [
        ("craft 4 stick", [PLANKS, STICKS, LOOK], 2),
        ("get 1 oak_log", [LOOK], 0),
        ("craft 4 oak_planks and 4 stick", [PLANKS, STICKS, PLANKS, LOOK], 3),
    ],
)
def test_it_ends_with_the_turn_that_reaches_the_goals(place: Place, goal: str, answers: list[Any], turns: int) -> None:
    done = place.run(*game(place, goal, *answers), "--continuous")
    assert done.returncode == 0, done.stdout
    end = kinds(place.events(), "end")[-1]
    assert (end["reason"], end["turns"]) == ("goal_reached", turns)
    assert ": have " in end["why"]


def test_a_goal_that_only_a_person_can_judge_does_not_end_it(place: Place) -> None:
    done = place.run(*game(place, "get 1 oak_log and build a house", LOOK, ("task_complete", {})), "--continuous")
    assert done.returncode == 6
    assert kinds(place.events(), "end")[-1]["turns"] == 2


def test_a_remark_that_came_with_the_last_command_gets_a_turn_first(place: Place, terminal: Callable[..., Any]) -> None:
    child = terminal(*game(place, "craft 4 oak_planks", PLANKS, LOOK, LOOK))
    asked(child)
    typed(child, "y, and then show me what you have")
    child.expect_exact("Made 4 oak_planks")
    child.expect_exact("COMMAND = show_inventory")
    asked(child)
    typed(child, "y")
    child.expect_exact("GOAL REACHED:")
    assert left(child) == 0
    assert kinds(place.events(), "end")[-1]["turns"] == 2


def test_another_goal_keeps_it_going_and_a_resume_ends_by_the_same_check(
    place: Place, terminal: Callable[..., Any]
) -> None:
    child = terminal(*game(place, "craft 4 oak_planks", PLANKS, STICKS, LOOK))
    asked(child)
    typed(child, "/goal + craft 4 stick")
    asked(child)
    typed(child, "y")
    child.expect_exact("Made 4 oak_planks")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    again = place.run("run", "--resume", "last", stdin="n\n")
    assert again.returncode == 4, again.stdout
    done = place.run("run", "--resume", "last", "--goal", "craft 4 oak_planks")
    assert done.returncode == 0 and "GOAL REACHED" in done.stdout, done.stdout


def test_a_dry_run_counts_no_turn_for_the_end(place: Place) -> None:
    done = place.run("run", "--goal", "craft 4 stick", "--inventory", "oak_log=2", "--dry-run")
    assert "About 2 steps" in done.stdout and "task_complete" not in done.stdout, done.stdout
