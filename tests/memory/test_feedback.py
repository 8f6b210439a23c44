"""What the person types in a run is remembered with its goal, told in later runs, and can be forgotten."""

from __future__ import annotations

from autocraft.agent.open_memory import feedback_rows
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings
from autocraft.goals import Goal
from autocraft.learning.action import ActionPrompt
from autocraft.learning.progress import Progress
from autocraft.learning.settings import LearnSettings
from autocraft.protocols import Risk
from autocraft.session.events import Answer, Decision, Feedback
from autocraft.text.redact import Mask
from autocraft.usage import Usage
from tests.conftest import Place

GOAL = "craft 1 ladder"
SAID = "use birch wood for ladders"


def state(agent: str = "main") -> State:
    made = State(agent=agent)
    made.goals = (Goal.parse(GOAL, frozenset({"ladder"})),)
    return made


def test_words_at_a_question_are_told_in_a_later_run_until_they_are_forgotten(place: Place) -> None:
    brain = ("--brain", "scripted", "--script", place.script(("show_inventory", {}), ("show_inventory", {})))
    first = place.run("run", "--goal", GOAL, "--inventory", "oak_log=3", *brain, stdin=f"{SAID}\nn\n")
    assert first.returncode == 4, first.stderr
    shown = place.run("memory", "show", "--kind", "feedback").stdout
    assert SAID in shown and shown.count("\n") == 1
    prompt = place.run("prompt", "--goal", GOAL).stdout
    assert f"The person said about the goal '{GOAL}': {SAID}" in prompt
    assert place.run("memory", "forget", shown.split()[0]).returncode == 0
    assert SAID not in place.run("prompt", "--goal", GOAL).stdout
    nothing = place.run("memory", "show", "--kind", "feedback")
    assert nothing.stdout == "" and "nothing of the kind 'feedback' is remembered" in nothing.stderr


def test_every_word_of_the_person_is_a_row_of_its_own_and_is_stored_once() -> None:
    made = state()
    made.apply(Feedback(seq=3, time=1.0, text="only at night"))
    refused = Decision(
        seq=4, time=1.0, turn=1, kind="refuse", by="person", command="dig", args={}, risk=Risk.CHANGE, left=0,
        always=False, feedback="not there", why="",
    )  # fmt: skip
    made.turn.decision = refused
    rows = feedback_rows(made, "S", "crafting", Mask())
    assert [(row.id, row.metadata["kind"], row.metadata["goal"]) for row in rows] == [
        ("S:feedback:3", "feedback", GOAL),
        ("S:feedback:4", "feedback", GOAL),
    ]
    assert feedback_rows(made, "S", "crafting", Mask()) == rows


def test_words_that_refused_a_command_are_stored_and_reach_the_prompt_for_a_program() -> None:
    made = state()
    made.apply(Feedback(seq=3, text=SAID))
    refused = Decision(
        seq=4, turn=1, kind="refuse", by="feedback", command="dig", args={}, risk=Risk.CHANGE, left=0, always=False,
        feedback="", why="your feedback came first",
    )  # fmt: skip
    made.apply(refused)
    assert [row.id for row in feedback_rows(made, "S", "crafting", Mask())] == ["S:feedback:3"]
    prompt = ActionPrompt(PromptSettings(), LearnSettings(), Progress(), made)
    assert f"Feedback of the person: {SAID}" in prompt.messages("the world")[-1].content
    answer = Answer(
        seq=5, turn=2, text="", finish_reason="", reasoning="", refusal="", tool_calls=[], usage=Usage(), cost=0.0,
        seconds=0.0, heard=4,
    )  # fmt: skip
    made.apply(answer)
    assert not made.pending_feedback


def test_players_helpers_and_secrets_leave_no_words() -> None:
    made, helper = state(), state("helper-1")
    made.apply(Feedback(seq=3, text="come here", by="Ann"))
    helper.pending_feedback = [Feedback(seq=4, text="from the main agent")]
    assert feedback_rows(made, "S", "minecraft", Mask()) == []
    assert feedback_rows(helper, "S", "minecraft", Mask()) == []
    made.apply(Feedback(seq=5, text="the key is sk-proj-abcdefghijklmnop1234567890"))
    (row,) = feedback_rows(made, "S", "minecraft", Mask(["sk-proj-abcdefghijklmnop1234567890"]))
    assert "sk-proj-abcdefghijklmnop1234567890" not in row.text
