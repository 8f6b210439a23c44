"""Learning at a terminal, with a person who gives the tasks and judges them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.commands.programs import with_programs
from tests.conftest import Place, kinds
from tests.learning.test_learning import DESCRIPTION, PLANKS, program


def answer(ran: Any, *answers: tuple[str, str, str]) -> None:
    """Wait for each question and its prompt, and type the words."""
    for question, prompt, words in answers:
        ran.expect(question)
        ran.expect(prompt)
        ran.sendline(words)


@pytest.mark.full
def test_a_person_gives_the_tasks_refuses_a_program_and_judges(place: Place, terminal: Callable[..., Any]) -> None:
    ran = terminal(
        "learn", "--world", "crafting", "--inventory", "oak_log=4", "--iterations", "2", "--no-library",
        "--brain", "scripted", "--script", place.script(*[program(PLANKS)] * 3),
        "--manual-curriculum", "--manual-critic", **with_programs(),
    )  # fmt: skip
    answer(
        ran,
        ("Which task shall be tried next", "Answer:", "Obtain 4 oak_planks"),
        ("What should be known about it", "Answer:", "-"),
        ("feedback for Crafter...", "Input:", "use one log only"),
        ("feedback for Crafter...", "Input:", "y"),
        ("Is the task reached: Obtain 4 oak_planks", "Answer:", "n there are too few"),
        ("feedback for Crafter...", "Input:", "y"),
        ("Is the task reached: Obtain 4 oak_planks", "Answer:", "y"),
    )
    ran.expect("LEARNED")
    attempts = kinds(place.events(), "attempt")
    assert [event["outcome"] for event in attempts] == ["person", "critic", "goal"]
    assert [event["critique"] for event in attempts] == ["use one log only", "there are too few", ""]
    assert [event["iteration"] for event in attempts] == [0, 1, 2]


def test_the_program_that_a_person_edited_is_the_one_that_is_kept(place: Place, terminal: Callable[..., Any]) -> None:
    erase = "\x7f" * len(r'1)\n}", "description": ""}')
    ran = terminal(
        "learn", "--world", "crafting", "--inventory", "oak_log=4", "--iterations", "1",
        "--brain", "scripted", "--script", place.script(program(PLANKS), DESCRIPTION), "--manual-curriculum",
        **with_programs(),
    )  # fmt: skip
    answer(
        ran,
        ("Which task shall be tried next", "Answer:", "Obtain 8 oak_planks"),
        ("What should be known about it", "Answer:", "-"),
        ("feedback for Crafter...", "Input:", "e"),
        ("New arguments for run_program", "Arguments:", f"\x05{erase}" + r'2)\n}"}'),
        ("feedback for Crafter...", "Input:", "y"),
        ("feedback for Crafter...", "Input:", "y"),
    )
    ran.expect("LEARNED")
    proposed, (run, kept) = kinds(place.events(), "reply")[0]["args"]["code"], kinds(place.events(), "intent")[::2]
    assert (proposed, kept["args"]["code"]) == (PLANKS, PLANKS.replace("1", "2")) and kept["command"] == "save_skill"
    assert run["args"]["code"] == kept["args"]["code"]
