"""`autocraft run` without a goal asks for one, as Auto-GPT did, and offers the settings of the last run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from autocraft.cli.dialogue import MOST_GOALS, Wish, ask_wish
from tests.conftest import Place
from tests.console.emulator import Emulator


def answers(*lines: str | None) -> tuple[Callable[[str], str | None], list[str]]:
    left, asked = list(lines), []

    def ask(question: str) -> str | None:
        asked.append(question)
        return left.pop(0) if left else None

    return ask, asked


def test_a_run_is_asked_for_and_the_next_one_begins_with_its_settings(place: Place) -> None:
    screen = Emulator(place, ["run"], 80)
    try:
        for question, typed in (
            ("Name of the agent:", "Bob"),
            ("Role of the agent:", ""),
            ("Goal 1 (at most 5):", "craft 1 stick"),
            ("Goal 2, or Enter to begin:", "craft 1 ladder"),
            ("Goal 3, or Enter to begin:", ""),
        ):
            screen.until(question)
            screen.send(f"{typed}\r")
        assert "BOB THOUGHTS" in screen.until("Input:")
        screen.send("n\r")
        assert screen.leave() == 4
    finally:
        screen.close()
    again = Emulator(place, ["run"], 80)
    try:
        assert "name: Bob" in again.until("Continue with these settings? y or n:")
        again.send("y\r")
        assert "BOB THOUGHTS" in again.until("Input:")
        goals = [goal["text"] for goal in place.events()[0]["goals"]]
        assert goals == ["craft 1 stick", "craft 1 ladder"]
    finally:
        again.close()


def test_a_goal_that_cannot_be_pursued_is_asked_for_again(terminal: Callable[..., Any]) -> None:
    child = terminal()
    for goal, said in (("a small house please", "a goal begins with craft"), ("craft 1 stick", "Input:")):
        child.expect_exact("Goal: ")
        child.sendline(goal)
        child.expect_exact(said)
    child.sendline("n")
    assert child.wait() == 4


def test_an_example_of_the_settings_brings_its_goal(terminal: Callable[..., Any]) -> None:
    child = terminal("run", AUTOCRAFT_EXAMPLE="TEST0018")
    child.expect_exact("Input:")
    assert "Name of the agent" not in child.before
    child.sendline("n")
    assert child.wait() == 4


def test_there_are_at_most_five_goals() -> None:
    ask, asked = answers("", "a cook", *(f"get {n} stick" for n in range(1, 9)))
    wish = ask_wish(ask, None, lambda goal: None)
    assert wish == Wish(tuple(f"get {n} stick" for n in range(1, MOST_GOALS + 1)), "", "a cook")
    assert asked[2:] == ["Goal 1 (at most 5)", *(f"Goal {n}, or Enter to begin" for n in range(2, MOST_GOALS + 1))]


@pytest.mark.parametrize("no", ["n", "", "yes please", None])
def test_only_yes_takes_the_last_settings(no: str | None) -> None:
    last = Wish(("craft 1 stick",), "Bob", "a smith")
    ask, _ = answers(no, "", "", "craft 1 chest", "")
    assert ask_wish(ask, last, lambda goal: None) == Wish(("craft 1 chest",))
    assert ask_wish(answers(" Y ")[0], last, lambda goal: None) == last


@pytest.mark.parametrize("lines", [(None,), ("Bob", None), ("Bob", "a smith", None)])
def test_the_end_of_input_ends_the_questions(lines: tuple[str | None, ...]) -> None:
    ask, asked = answers(*lines)
    assert ask_wish(ask, None, lambda goal: None).goals == () and len(asked) == len(lines)
