"""A question of the model's to the person: their words are the result; with nobody there the run goes on."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.console.report import report
from autocraft.session.events import Event
from tests.conftest import Place, kinds
from tests.console.emulator import Emulator
from tests.journals import event
from tests.waiting import LATER

pytestmark = pytest.mark.sampled(8)

ASK = ("ask_human", {"question": "Which wood\nshall I use?"})
WORDS = "shows what else you can type."
NOTHING: tuple[str, dict[str, Any]] = ("do_nothing", {})
SLOW = {"text": '{"command": {"name": "ask_human", "args": {"question": "Which?"}}}', "wait_for": "go"}
GAME = ("run", "--goal", "make it nice", "--brain", "scripted", "--script")


def answers(place: Place) -> list[tuple[str, bool]]:
    return [(event["text"], event["answered"]) for event in kinds(place.events(), "result") if "answered" in event]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("birch", "birch"),
        ("y", "y"),
        ("n", "n"),
        ("  no ", "no"),
        ("// /quit", "/quit"),
        ("y -3", "y -3"),
        ("岩", "岩"),
    ],
)
def test_a_line_on_the_pipe_is_the_answer(place: Place, typed: str, answer: str) -> None:
    done = place.run(*GAME, place.script(ASK, NOTHING), stdin=f"{typed}\nn\n")
    assert "CRAFTER ASKS:  Which wood\n    shall I use?\nAnswer in words" in done.stdout
    assert done.returncode == 4
    assert answers(place) == [(answer, True)]
    assert [event["by"] for event in kinds(place.events(), "decision")] == ["question", "person"]


def test_an_empty_line_asks_again_and_slash_commands_show_or_wait(place: Place) -> None:
    script = place.script(ASK, NOTHING)
    done = place.run(*GAME, script, stdin="\n/tokens\n/do do_nothing\n/goal + craft 1 stick\nbirch\nn\n")
    assert "an empty line is not an answer" in done.stdout
    assert "0 tokens sent" in done.stdout
    assert "/do was not carried out" in done.stdout
    assert "Noted: /goal takes effect before the next step." in done.stdout
    assert answers(place) == [("birch", True)]
    assert [goal["text"] for goal in kinds(place.events(), "goal")[-1]["goals"]] == ["make it nice", "craft 1 stick"]


def test_quit_at_the_question_leaves_it_open(place: Place) -> None:
    done = place.run(*GAME, place.script(ASK, NOTHING), stdin="/quit\n")
    assert done.returncode == 4
    assert answers(place)[0][1] is False
    assert kinds(place.events(), "end")[0]["why"] == "you left with /quit"


def test_with_json_the_question_event_says_that_it_wants_words(place: Place) -> None:
    done = place.run(*GAME, place.script(ASK, NOTHING), "--json", stdin="birch\nn\n")
    asked = [event for event in map(json.loads, done.stdout.splitlines()) if event["type"] == "question"]
    assert [event["wants"] for event in asked] == ["words", "decision"]
    assert asked[0]["args"] == ASK[1]
    assert answers(place) == [("birch", True)]


@pytest.mark.parametrize("flags", [("--continuous",), ("--continuous", "--json"), ("--json",)])
def test_with_nobody_there_the_run_goes_on_and_the_question_stands_in_the_report(
    place: Place, flags: tuple[str, ...]
) -> None:
    script = place.script(ASK, ("craft_item", {"name": "oak_planks"}), ("task_complete", {}))
    start = ("run", "--goal", "get 1 oak_planks", "--inventory", "oak_log=1", "--brain", "scripted", "--script", script)
    done = place.run(*start, *flags)
    text, answered = answers(place)[0]
    assert not answered
    assert text.startswith("Nobody is there to answer. The question is in the report; go on with something else.")
    if "--continuous" in flags:
        assert done.returncode == 0, done.stderr
    report = place.run("report").stdout
    assert "OPEN QUESTIONS\n  Which wood\n    shall I use?\n" in report


def test_what_was_answered_later_is_not_open() -> None:
    def asked(seq: int, question: str, answered: bool | None) -> list[Event]:
        intent = event("intent", seq=seq, command="ask_human", args={"question": question})
        return [intent, *([] if answered is None else [event("result", intent=seq, answered=answered)])]

    events = [
        *asked(1, "a", False),
        *asked(3, "b", True),
        *asked(5, "a", True),
        *asked(7, "c", None),
        *asked(8, "d", False),
        *asked(10, " ", None),
    ]
    assert "OPEN QUESTIONS" not in report(asked(3, "b", True), "S")
    rest = report(events, "S").partition("OPEN QUESTIONS\n")[2]
    assert rest.partition("\n\n")[0].splitlines() == ["  c", "  d"]


def test_at_a_terminal_what_was_typed_before_is_feedback_and_not_the_answer(
    place: Place, terminal: Callable[..., Any]
) -> None:
    child = terminal(*GAME, place.script(SLOW, ASK, NOTHING), "--continuous")
    child.expect_exact("file go")  # a line that comes earlier is feedback, and refuses no command
    child.send("use oak\r")
    child.expect_exact("Noted: your feedback")
    (place.folder / "go").touch()
    child.expect_exact("your feedback came first")
    child.expect_exact("CRAFTER ASKS:  Which wood")
    child.expect_exact(WORDS)
    child.expect_exact("Answer:")
    child.send("birch\r")
    child.expect_exact("Command ask_human returned: birch")
    assert answers(place) == [("birch", True)]
    assert [event["text"] for event in kinds(place.events(), "feedback")] == ["use oak"]


def test_ctrl_c_at_the_question_pauses(place: Place, terminal: Callable[..., Any]) -> None:
    child = terminal(*GAME, place.script(ASK, NOTHING))
    child.expect_exact(WORDS)
    child.expect_exact("Answer:")
    child.send("\x03")
    child.expect_exact("Interrupted before it was done.")
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    child.send("y\r")
    child.expect_exact("COMMAND = do_nothing")


def test_a_run_that_was_killed_at_the_question_leaves_it_open_and_goes_on(
    place: Place, terminal: Callable[..., Any]
) -> None:
    child = terminal(*GAME, place.script(ASK, NOTHING))
    child.expect_exact(WORDS)
    child.kill(signal.SIGKILL)
    child.wait()
    done = place.run("run", "--resume", "last", stdin="n\n")
    assert done.returncode == 4, done.stderr
    assert "COMMAND = do_nothing" in done.stdout
    assert answers(place) == [("The run was stopped before this was answered; ask again if it still matters.", False)]
    assert "OPEN QUESTIONS" in place.run("report").stdout


def test_the_time_to_answer_is_not_the_runs(place: Place) -> None:
    with closing(Emulator(place, [*GAME, place.script(ASK, NOTHING), "--max-seconds", "3600"], program=LATER)) as run:
        run.until("Answer:")
        (place.folder / "later").touch()
        run.send("birch\r")
        run.until("COMMAND = do_nothing")
    assert kinds(place.events(), "result")[0]["seconds"] == 0


def test_the_answer_is_the_persons_words_and_no_data() -> None:
    made = Transcript(PromptSettings(), list)
    for turn, answered in ((1, True), (2, False)):
        made.apply(event("result", turn=turn, command="ask_human", text="use birch", answered=answered))
    text = "\n".join(message.content for message in made.messages("", []))
    assert "The person answered: use birch" in text
    assert text.count('<data source="ask_human">') == 1
