"""A goal that the world cannot check is claimed, not reached, until the person says that it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autocraft.goals import Goal
from autocraft.session.events import Goals
from tests.conftest import Place, kinds

pytestmark = pytest.mark.sampled(10)

DONE = ("task_complete", {"reason": "it stands"})
HOUSE = "build a small house"
BOTH = "get 4 oak_planks and build a house of them"
PLANKS = ("craft_item", {"name": "oak_planks", "count": 4})
NAMES = frozenset({"oak_log", "oak_door", "ladder", "stick"})


def game(place: Place, goal: str, *answers: Any) -> tuple[str, ...]:
    script = place.script(*answers)
    return ("run", "--goal", goal, "--inventory", "oak_log=1", "--brain", "scripted", "--script", script)


@pytest.mark.parametrize(("goal", "answers"), [(HOUSE, [DONE]), (BOTH, [PLANKS, DONE])])
def test_with_nobody_there_it_ends_as_claimed_and_is_not_remembered(
    place: Place, goal: str, answers: list[Any]
) -> None:
    done = place.run(*game(place, goal, *answers), "--continuous")
    assert done.returncode == 6
    assert "CLAIMED:" in done.stdout
    assert "GOAL REACHED" not in done.stdout
    assert kinds(place.events(), "end")[-1]["reason"] == "claimed"
    assert "Goal reached" not in place.run("memory", "show").stdout


def test_what_can_be_checked_of_a_goal_is_checked(place: Place) -> None:
    done = place.run(*game(place, BOTH, DONE, PLANKS, DONE), "--continuous")
    assert "Refused: the goal is not reached" in done.stdout
    assert "oak_planks: have 0, need 4" in done.stdout
    assert done.returncode == 6


@pytest.mark.parametrize("answer", ["y", "Yes"])
def test_the_person_says_that_it_is_done(place: Place, answer: str) -> None:
    done = place.run(*game(place, HOUSE, DONE), stdin=f"y\n{answer}\n")
    assert "1 oak_log" in done.stdout.partition("CRAFTER ASKS:")[2], "what is seen stands in the question"
    assert "Is it done?" in done.stdout
    assert done.returncode == 0
    assert f"Goal reached in 1 turn: {HOUSE}" in place.run("memory", "show").stdout


def test_the_person_says_that_it_is_not_done(place: Place) -> None:
    done = place.run(*game(place, HOUSE, DONE, DONE), stdin="y\nit has no door\ny\nn\nn\n")
    results = [event["text"] for event in kinds(place.events(), "result")]
    assert results == ["The person says that it is not done: it has no door", "The person says that it is not done"]
    assert done.returncode in (1, 4)


def test_a_continuous_run_at_a_terminal_asks(place: Place, terminal: Callable[..., Any]) -> None:
    child = terminal(*game(place, HOUSE, DONE), "--continuous")
    child.expect_exact("Is it done?")
    child.expect_exact("Answer:")
    child.send("y\r")
    child.expect_exact("GOAL REACHED:")


def test_a_claimed_run_that_is_resumed_goes_on(place: Place) -> None:
    start = game(place, HOUSE, DONE, DONE)
    assert place.run(*start, "--continuous").returncode == 6
    done = place.run("run", "--resume", "last", stdin="y\ny\n")
    assert "Is it done?" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("text", "items", "words"),
    [
        ("get 4 oak_log and build a house of them", (("oak_log", 4),), "build a house of them"),
        ("build a house and get 4 oak_log", (("oak_log", 4),), "build a house"),
        ("build a house with a oak door and a ladder", (), ""),
        ("get rid of a stick and a ladder", (), ""),
        ("get a stick and, if you can, a ladder", (), ""),
    ],
)
def test_a_goal_is_read_as_far_as_it_names_items(text: str, items: tuple[tuple[str, int], ...], words: str) -> None:
    goal = Goal.parse(text, NAMES)
    assert (goal.items, goal.words) == (items, words)
    assert Goals.from_json(Goals(goals=(goal,)).to_json()).goals == (goal,)
