"""What the person says beside yes and no: a remark, another goal, "stop", and a permission that covers programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.brains.stand_in import StandIn, streamed
from tests.commands.programs import PICKAXE, with_programs
from tests.conftest import Place, kinds
from tests.console.test_gate_table import DONE, PLANKS, STICKS, asked, left, typed

pytestmark = pytest.mark.sampled(8)

ENDLESS = """
import asyncio
from pathlib import Path
from autocraft.protocols import Call, Risk, command

@command(help="Wait for ever", risk=Risk.CHANGE, cancellable=True)
async def wait_for_ever(call: Call) -> str:
    Path("begun").touch()
    await asyncio.Event().wait()

@command(help="Wait until there is a file go, and cannot be cut off", risk=Risk.CHANGE)
async def hold(call: Call) -> str:
    while not Path("go").exists():
        await asyncio.sleep(0.01)
    return "held until now"
"""
FOR_EVER: tuple[str, dict[str, Any]] = ("wait_for_ever", {})
LOOK: tuple[str, dict[str, Any]] = ("show_inventory", {})
SPIN = """async function spin(bot) {
  await craftItem(bot, 'oak_planks', 1);
  while (true) {}
}"""
SAYS = ("run_program", {"code": PICKAXE})


@pytest.fixture
def play(place: Place, terminal: Callable[..., Any]) -> Callable[..., Any]:
    """Start a scripted run at its first question."""
    (place.folder / "own").mkdir()
    (place.folder / "own" / "endless.py").write_text(ENDLESS)

    def start(*answers: Any, goal: str = "craft 1 stone_pickaxe", **environment: str) -> Any:
        child = terminal(
            "run", "--goal", goal, "--inventory", "oak_log=3,cobblestone=3", "--memory", "none", "--brain", "scripted",
            "--script", place.script(*answers), AUTOCRAFT_COMMANDS=str(place.folder / "own"), **environment,
        )  # fmt: skip
        asked(child)
        return child

    return start


# ---------------------------------------------------------------- a remark with an approval


def test_a_remark_approves_and_reaches_the_model(place: Place, terminal: Callable[..., Any], stand_in: StandIn) -> None:
    answer = json.dumps({"command": {"name": PLANKS[0], "args": PLANKS[1]}})
    stand_in.replies = [streamed(answer)]
    child = terminal(
        "run", "--goal", "craft 1 ladder", "--inventory", "oak_log=3", "--memory", "none",
        OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="small",
    )  # fmt: skip
    asked(child)
    typed(child, "y, but keep the torches")
    child.expect_exact("COMMAND AUTHORISED BY USER")
    child.expect_exact("FEEDBACK:  but keep the torches")
    child.expect_exact("Made 4 oak_planks")
    asked(child)
    typed(child, "goal: craft 1 stick")
    child.expect_exact("it was proposed for the earlier goals")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    _, second, third = (request["messages"][-1]["content"] for request in stand_in.requests)
    assert "Human feedback: but keep the torches" in second and "1. craft 1 ladder\n" in second
    assert "was not run: it was proposed for the earlier goals" in third
    assert "1. craft 1 stick (since turn 2)\n" in third and "craft 1 ladder" not in third
    assert "RUN by you: but keep the torches" in place.run("report").stdout


def test_the_model_and_its_effort_change_in_the_middle_of_a_run(
    place: Place, terminal: Callable[..., Any], stand_in: StandIn
) -> None:
    stand_in.replies = [streamed(json.dumps({"command": {"name": "do_nothing", "args": {}}})) for _ in range(2)]
    child = terminal(
        "run", "--goal", "craft 1 ladder", "--inventory", "oak_log=3", "--memory", "none", "--max-cost", "1",
        "--price-in", "1", "--price-out", "1", OPENAI_BASE_URL=stand_in.url, SMART_LLM_MODEL="small",
    )  # fmt: skip
    asked(child)
    typed(child, "/model")
    child.expect_exact("model: small; /model NAME changes it")
    asked(child)
    for line, said in (
        ("/effort lots", "/effort is 'lots': choose none, minimal, low"),
        ("/effort low", "the effort is low from the next answer on"),
        ("/model large", "the model is large from the next answer on"),
    ):
        typed(child, line)
        child.expect_exact(said)
        asked(child)
    typed(child, "y")
    child.expect_exact("large")  # the status line names it
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    first, second = stand_in.requests
    assert (first["model"], first.get("reasoning_effort")) == ("small", None)
    assert (second["model"], second["reasoning_effort"]) == ("large", "low")


def test_the_planner_has_no_model_to_change(play: Callable[..., Any]) -> None:
    child = play(LOOK)
    typed(child, "/model large")
    child.expect_exact("asks no model: start with --model NAME")
    asked(child)
    typed(child, "n")
    assert left(child) == 4


# ---------------------------------------------------------------- programs under a budget


def test_y_n_covers_programs_only_by_its_own_word(play: Callable[..., Any], place: Place) -> None:
    child = play(LOOK, SAYS, DONE, goal="make it nice", **with_programs())
    typed(child, "y -2")
    child.expect_exact("which 'y -N' does not cover; 'y -N programs' does")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert [event["command"] for event in kinds(place.events(), "intent")] == ["show_inventory"]


def test_y_n_programs_runs_a_program_and_asks_about_other_destroying_commands(
    play: Callable[..., Any], place: Place
) -> None:
    write = ("write_to_file", {"file": "a.txt", "text": "one"})
    over = ("write_to_file", {"file": "a.txt", "text": "two"})
    child = play(write, SAYS, over, LOOK, goal="make it nice", **with_programs())
    typed(child, "y -9 programs")
    child.expect_exact("AUTHORISED COMMANDS LEFT: 7")
    child.expect_exact("The program craftStonePickaxe was run.")
    child.expect_exact("which 'y -N' does not cover")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    decisions = [event for event in kinds(place.events(), "decision") if event["agent"] == "main"]
    assert [(each["by"], each.get("programs", False)) for each in decisions] == [
        ("person", True), ("budget", True), ("person", False)
    ]  # fmt: skip


def test_slash_budget_takes_the_word_too(play: Callable[..., Any], place: Place) -> None:
    child = play(LOOK, SAYS, LOOK, goal="make it nice", **with_programs())
    typed(child, "/budget 1 programs")
    child.expect_exact("1 further commands are authorised, programs too")
    asked(child)
    typed(child, "y")
    child.expect_exact("The program craftStonePickaxe was run.")
    asked(child)
    typed(child, "n")
    assert left(child) == 4


# ---------------------------------------------------------------- stop


@pytest.mark.parametrize("words", ["stop and make sticks", "Stop", "  STOP: not there"])
def test_stop_ends_the_running_command_and_the_run_goes_on(play: Callable[..., Any], place: Place, words: str) -> None:
    child = play(FOR_EVER, STICKS)
    typed(child, "y")
    child.expect_exact("COMMAND AUTHORISED BY USER")
    typed(child, words)
    child.expect_exact("Noted: your feedback ends what is running at its next safe point")
    child.expect_exact("Stopped by the person before it was done.")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert [event["text"] for event in kinds(place.events(), "feedback")] == [words.strip()]


def test_other_words_and_a_command_that_cannot_be_cut_off_are_not_stopped(
    play: Callable[..., Any], place: Place
) -> None:
    child = play(("hold", {}), STICKS)
    typed(child, "y")
    child.expect_exact("COMMAND AUTHORISED BY USER")
    typed(child, "stopping is not what I want")
    child.expect_exact("Noted: your feedback takes effect at the next step")
    typed(child, "stop")
    child.expect_exact("Noted: your feedback")
    (place.folder / "go").touch()
    child.expect_exact("held until now")
    asked(child)
    typed(child, "n")
    assert left(child) == 4


def test_stop_ends_a_program_and_its_result_tells_what_was_done(play: Callable[..., Any], place: Place) -> None:
    child = play(
        ("run_program", {"code": SPIN}), STICKS, AUTOCRAFT_PROGRAMS_SECONDS="100000",
        AUTOCRAFT_PROGRAMS_STEPS=str(10**12), **with_programs(),
    )  # fmt: skip
    typed(child, "y")
    child.expect_exact("Made 4 oak_planks")
    typed(child, "stop and make sticks")
    child.expect_exact("The program spin was run. It was interrupted.")
    child.expect_exact("Effects: 1, of which 1 did what they should")
    asked(child)
    typed(child, "n")
    assert left(child) == 4


# ---------------------------------------------------------------- another goal


def test_a_goal_that_is_typed_at_the_question_replaces_the_goals(play: Callable[..., Any], place: Place) -> None:
    child = play(PLANKS, STICKS, STICKS)
    typed(child, "y")
    child.expect_exact("Made 4 oak_planks")
    asked(child)
    typed(child, "goal: craft 1 ladder")
    child.expect_exact("1. craft 1 ladder (since turn 2)")
    child.expect_exact("craft_item was not run: it was proposed for the earlier goals")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert "GOAL craft 1 ladder (since turn 2)" in place.run("report").stdout


@pytest.mark.parametrize(
    ("answer", "goal", "said"),
    [
        ("y", "craft 2 ladder", "The person agrees. The goal is now: craft 2 ladder"),
        ("n", "make it nice", "The person does not agree, so the goal stays as it is"),
        ("only one", "make it nice", "The person does not agree, so the goal stays as it is: only one"),
    ],
)
def test_the_model_proposes_a_goal_and_the_person_decides(
    play: Callable[..., Any], place: Place, terminal: Callable[..., Any], answer: str, goal: str, said: str
) -> None:
    propose = ("propose_goal", {"goal": "craft 2\n ladder"})
    child = terminal(
        "run", "--goal", "make it nice", "--inventory", "oak_log=3", "--memory", "none", "--brain", "scripted",
        "--script", place.script(propose, LOOK),
    )  # fmt: skip
    child.expect_exact("The model proposes another goal: craft 2 ladder")
    child.expect_exact("The goal until now: make it nice")
    child.expect_exact("Answer:")
    typed(child, answer)
    child.expect_exact(said)
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert [each["text"] for each in kinds(place.events(), "goal")[-1]["goals"]] == [goal]


def test_where_nobody_can_confirm_it_the_goal_stays(place: Place) -> None:
    script = place.script(("propose_goal", {"goal": "craft 2 ladder"}), ("propose_goal", {"goal": " "}))
    place.run("run", "--goal", "make it nice", "--brain", "scripted", "--script", script, "-c", "--memory", "none")
    texts = [event["text"] for event in kinds(place.events(), "result")]
    assert texts[0] == "Nobody is there to confirm it, so the goal stays as it is."
    assert texts[1].startswith("give the goal in the argument goal")
    assert len(kinds(place.events(), "goal")) == 1
