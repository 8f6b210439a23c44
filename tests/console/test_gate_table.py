"""The table of what may be typed at the question, row by row, through a pseudo-terminal."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Place, kinds
from tests.waiting import until

pytestmark = pytest.mark.sampled(12)

ASK = "or enter feedback for Crafter..."
PLANKS = ("craft_item", {"name": "oak_planks", "count": 4})
STICKS = ("craft_item", {"name": "stick"})
PICKAXE = ("craft_item", {"name": "stone_pickaxe"})
WRONG = ("craft_item", {"name": "diamond_pickaxe"})
DONE = ("task_complete", {"reason": "made"})
WRITE = ("write_to_file", {"file": "a.txt", "text": "one\n"})
OVER = ("write_to_file", {"file": "a.txt", "text": "two\n"})
HELD = {"text": '{"command": {"name": "craft_item", "args": {"name": "oak_planks"}}}', "wait_for": "go"}
"""A model that thinks until there is a file `go`."""
HOLD = """
import asyncio
from pathlib import Path
from autocraft.protocols import Call, Risk, command

@command(help="Wait until there is a file `go`", risk=Risk.LOOK)
async def hold(call: Call) -> str:
    while not Path("go").exists():
        await asyncio.sleep(0.01)
    return "held until now"
"""
"""A command that runs for as long."""
ALL = (PLANKS, STICKS, PICKAXE, DONE)


@pytest.fixture
def game(place: Place, terminal: Callable[..., Any]) -> Callable[..., Any]:
    """A scripted run at its first question."""

    def start(*answers: Any, flags: tuple[str, ...] = (), wait: str = ASK, **options: Any) -> Any:
        script = place.script(*(answers or ALL))
        child = terminal(
            "run", "--goal", "craft 1 stone_pickaxe", "--inventory", "oak_log=3,cobblestone=3",
            "--brain", "scripted", "--script", script, *flags, **options,
        )  # fmt: skip
        child.expect_exact(wait)
        if wait == ASK:
            child.expect_exact("Input:")
        return child

    return start


def asked(child: Any) -> None:
    """Wait for a question and its prompt: what is typed now is an answer."""
    child.expect_exact(ASK)
    child.expect_exact("Input:")


def typed(child: Any, line: str) -> None:
    """A line as a person's fingers give it: the text, then Enter."""
    child.send(line + "\r")


def left(child: Any) -> int:
    """The exit code, once it has ended by itself."""
    import pexpect

    child.expect(pexpect.EOF)
    child.close()
    return int(child.exitstatus)


def ran(place: Place) -> list[str]:
    return [event["args"].get("name", event["command"]) for event in kinds(place.events(), "intent")]


@pytest.mark.parametrize("line", ["y", "Y", "  y ", "\ty"])
def test_y_runs_the_command_shown(game: Callable[..., Any], place: Place, line: str) -> None:
    child = game()
    typed(child, line.replace("\t", " "))
    child.expect_exact("COMMAND AUTHORISED BY USER")
    child.expect_exact("SYSTEM:  Command craft_item returned: Made 4 oak_planks")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert ran(place) == ["oak_planks"]


THREE = ["oak_planks", "stick", "stone_pickaxe"]


@pytest.mark.parametrize(
    ("answers", "line", "shows", "done"),
    [
        (ALL, "y -3", "AUTHORISED COMMANDS LEFT: 0", THREE),
        (
            (PLANKS, WRONG, STICKS, PICKAXE),
            "y -4",
            "I cannot make diamond_pickaxe because I need:",
            ["oak_planks", "diamond_pickaxe"],
        ),
        ((PLANKS, "no command here", STICKS, PICKAXE), "y -4", "ERROR:", ["oak_planks"]),
        (
            (WRITE, OVER, STICKS),
            "y -3",
            "write_to_file overwrites a.txt (undo: /undo), which 'y -N' does not cover",
            ["write_to_file"],
        ),
        (ALL, "a", "GOAL REACHED:", THREE),
        ((WRITE, OVER), "a", "you allowed write_to_file only at a lower risk", ["write_to_file"]),
    ],
    ids=["y -3", "an error", "an unreadable answer", "what destroys", "a", "a higher risk"],
)
def test_what_was_allowed_runs_and_what_comes_next_is_asked_about(
    game: Callable[..., Any], place: Place, answers: tuple[Any, ...], line: str, shows: str, done: list[str]
) -> None:
    child = game(*answers)
    typed(child, line)
    child.expect_exact(shows)
    if done != THREE:
        asked(child)
        typed(child, "n")
    assert left(child) == (0 if done == THREE else 4)
    assert ran(place) == done


@pytest.mark.parametrize(
    ("proposed", "words"),
    [
        (("browse_website", {"url": "http://pages.example/", "question": "q"}), "reaches the network"),
        (("generate_image", {"prompt": "a fox"}), "reaches the network"),
        (OVER, "overwrites a.txt (undo: /undo)"),
        (("edit_file", {"file": "a.txt", "old": "one", "new": "two"}), "changes a.txt (undo: /undo)"),
        (("delete_file", {"file": "a.txt"}), "deletes a.txt (undo: /undo)"),
        (("delete_file", {"file": "none.txt"}), "finds no such file"),
    ],
)
def test_a_question_says_what_is_at_stake_and_is_asked_all_the_same(
    game: Callable[..., Any], proposed: Any, words: str
) -> None:
    child = game(WRITE, proposed)
    typed(child, "y -3")
    child.expect_exact(f"This command {words}.")
    child.expect_exact(f"{proposed[0]} {words}, which 'y -N' does not cover")
    asked(child)
    typed(child, "n")
    assert left(child) == 4


def test_undo_passes_over_a_failed_command_that_changed_nothing(game: Callable[..., Any], place: Place) -> None:
    child = game(WRITE, ("delete_file", {"file": "none.txt"}), STICKS, STICKS)
    typed(child, "y")
    child.expect_exact("This command finds no such file.")
    asked(child)
    typed(child, "y")
    child.expect_exact('"name": "stick"')
    asked(child)
    typed(child, "/undo")
    child.expect_exact("Took back write_to_file of turn 1")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert not (place.folder / "workspace" / "a.txt").exists()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("y -0", "type y -N with N at least 1"),
        ("y -abc", "type y -N with N at least 1"),
        ("y 5", "type y -N with N at least 1"),
        ("yes", "type y for yes, n to exit, or ? for help"),
        ("no", "type y for yes, n to exit, or ? for help"),
        ("q", "type y for yes, n to exit, or ? for help"),
        ("quit", "type y for yes, n to exit, or ? for help"),
        ("EXIT", "type y for yes, n to exit, or ? for help"),
        ("help", "type y for yes, n to exit, or ? for help"),
        ("y3", "type y -N with N at least 1"),
        ("", "an empty line is not an answer: type y for yes, n to exit, or your feedback"),
    ],
)
def test_what_is_unclear_asks_again_and_says_why(game: Callable[..., Any], place: Place, line: str, why: str) -> None:
    child = game()
    typed(child, line)
    child.expect_exact(why)
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert ran(place) == []
    assert not kinds(place.events(), "feedback")


def test_n_ends_with_4_and_says_how_to_resume(game: Callable[..., Any], place: Place) -> None:
    child = game()
    typed(child, "n")
    child.expect_exact(f"autocraft run --resume {place.session()}")
    assert left(child) == 4
    assert ran(place) == []


def test_end_of_input_is_n(game: Callable[..., Any], place: Place) -> None:
    child = game()
    child.send("\x04")
    child.expect_exact("STOPPED:  you ended the input of the terminal, as Ctrl-D does")
    assert left(child) == 4
    assert ran(place) == []


def test_e_edits_the_arguments_and_what_is_shown_runs(game: Callable[..., Any], place: Place) -> None:
    child = game()
    typed(child, "e")
    child.expect_exact("New arguments for craft_item as JSON")
    child.expect_exact("Arguments:")
    child.send("\x05" + "\x7f" * 60 + '{"name": "oak_planks", "count": "x"}\r')
    child.expect_exact("the argument 'count' is wrong")
    asked(child)
    typed(child, "e")
    child.expect_exact("New arguments for craft_item as JSON")
    child.expect_exact("Arguments:")
    child.send("\x7f" * 4 + "8\r")  # what was typed stands there still, and the missing brace needs no question
    child.expect_exact("The command with your arguments:")
    child.expect_exact('ARGUMENTS = {"name": "oak_planks", "count": 8}')
    asked(child)
    typed(child, "y")
    child.expect_exact("Made 8 oak_planks")
    asked(child)
    typed(child, "n")
    left(child)
    assert kinds(place.events(), "intent")[0]["args"] == {"name": "oak_planks", "count": 8}


def test_e_opens_the_editor_for_long_arguments(game: Callable[..., Any], place: Place) -> None:
    editor = place.folder / "editor.sh"
    editor.write_text("#!/bin/sh\nsed -i 's/first/edited/' \"$1\"\n")
    editor.chmod(0o755)
    long = ("write_to_file", {"file": "a.txt", "text": "first line\n" * 40})
    child = game(long, EDITOR=str(editor))
    typed(child, "e")
    child.expect_exact("The command with your arguments:")
    asked(child)
    typed(child, "y")
    child.expect_exact("File written to successfully.")
    assert (place.folder / "workspace" / "a.txt").read_text().startswith("edited line\nfirst line\n")


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("?", "anything else is feedback"),
        ("/help", "your text goes to the model, if one plays"),
        ("/help", "//TEXT feedback, whatever the text is"),
        ("/help", "Ctrl-C pause and ask"),
        ("/page", "no text was shortened"),
        ("/history", "nothing has happened yet"),
        ("/inventory", "cobblestone [I2] quantity 3"),
        ("/tokens", "1 step, 0 errors"),
        ("/memory", "memory: local, 0 rows"),
        ("/goal", "1. craft 1 stone_pickaxe"),
        ("/goal +", "1. craft 1 stone_pickaxe"),
        ("/goal + craft 1 ladder", "2. craft 1 ladder"),
        ("/goal craft 2 sticks", "1. craft 2 sticks"),
        ("/budget 2", "2 further commands are authorised"),
        ("/budget x", "type /budget N"),
        ("/continuous", "no more questions from the next command on"),
        ("/do craft_item name=oak_planks", "Command craft_item returned: Made 4 oak_planks"),
        ("/do craft_item nam=oak_planks", "did you mean 'name'"),
        ("/mode", "* ask         every command is asked about"),
        ("/mode x", "/mode x: type /mode ask, /mode looks, /mode continuous"),
        ("/keys both", "type /keys single or /keys line"),
        ("/do", "type /do COMMAND argument=value"),
        ("/undo", "There is nothing left to take back"),
        ("/stop", "y -N, a and /mode allow nothing any more; your rules and --auto-look still hold"),
        ("/save", "resume with: autocraft run --resume"),
        ("/histry", "did you mean /history?"),
    ],
)
def test_slash_commands_do_what_they_say_then_ask_again(
    game: Callable[..., Any], place: Place, line: str, shows: str
) -> None:
    child = game()
    typed(child, line)
    child.expect_exact(shows)
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert not kinds(place.events(), "feedback")
    assert all(goal["text"] for event in kinds(place.events(), "goal") for goal in event["goals"])


def test_a_slash_command_answers_without_the_whole_question_again(game: Callable[..., Any]) -> None:
    child = game()
    typed(child, "/goal")
    child.expect_exact("1. craft 1 stone_pickaxe")
    child.expect_exact("Enter 'y' for craft_item as above, 'n', or enter feedback for Crafter...")
    assert "NEXT ACTION" not in child.before
    child.expect_exact("Input:")
    typed(child, "ok")
    child.expect_exact("'ok' is not clear")
    child.expect_exact("Enter 'y' for craft_item as above")
    assert "NEXT ACTION" not in child.before
    child.expect_exact("Input:")
    child.send("\x0c")
    child.expect_exact("NEXT ACTION")  # Ctrl-L draws all of it
    asked(child)
    typed(child, "n")
    assert left(child) == 4


def test_an_undo_under_a_question_asks_the_brain_anew(game: Callable[..., Any], place: Place) -> None:
    child = game(PLANKS, STICKS, PICKAXE)
    typed(child, "y")
    asked(child)
    typed(child, "/undo")
    child.expect_exact("Took back craft_item of turn 1")
    child.expect_exact("craft_item was not run: a change was taken back meanwhile")
    child.expect_exact('"name": "stone_pickaxe"')
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert [(each["kind"], each["by"]) for each in kinds(place.events(), "decision")] == [
        ("run", "person"), ("refuse", "undo"), ("stop", "person")
    ]  # fmt: skip


def test_no_warning_stands_beside_what_denies_it(game: Callable[..., Any]) -> None:
    child = game(("edit_file", {"file": "none.txt", "old": "one", "new": "two"}))
    child.send("\x0c")
    child.expect_exact("NEXT ACTION")
    child.expect_exact("This will fail: ")
    assert "This command" not in child.before
    asked(child)
    typed(child, "n")
    assert left(child) == 4


def test_a_mode_is_shown_and_switched_and_continuous_needs_the_typed_word(
    game: Callable[..., Any], place: Place
) -> None:
    look: tuple[str, dict[str, Any]] = ("show_inventory", {})
    child = game(look, look, PLANKS, STICKS, PICKAXE, DONE)
    typed(child, "/mode looks")
    child.expect_exact("mode looks: commands that only look run without a question")
    asked(child)
    typed(child, "y")
    child.expect_exact("COMMAND AUTHORISED (it only reads)")
    asked(child)
    for line in ("y", "// continuous", "/mode continuous"):
        typed(child, "/mode continuous")
        child.expect_exact("Type continuous:")
        typed(child, line)
        child.expect_exact("The mode stays as it was.")
        asked(child)
    typed(child, "/mode")
    child.expect_exact("* looks")
    asked(child)
    typed(child, "/mode continuous")
    child.expect_exact("Type continuous:")
    typed(child, "continuous")
    child.expect_exact("mode continuous: no command is asked about")
    asked(child)
    typed(child, "y")
    assert left(child) == 0
    assert [(each["looks"], each["continuous"]) for each in kinds(place.events(), "permission")] == [
        (True, False), (False, True)
    ]  # fmt: skip


def test_a_says_what_it_granted(game: Callable[..., Any]) -> None:
    child = game(PLANKS, WRITE, OVER)
    typed(child, "a")
    granted = "For this session craft_item now runs without a question, as long as it destroys nothing; /stop ends it."
    child.expect_exact(granted)
    asked(child)
    typed(child, "y")
    asked(child)
    typed(child, "a")
    child.expect_exact("write_to_file now runs without a question, whatever it destroys")
    assert left(child) == 1, "the script is over, and nothing more was asked"


def test_slash_quit_ends_with_4(game: Callable[..., Any], place: Place) -> None:
    child = game()
    typed(child, "/quit")
    child.expect_exact("autocraft run --resume")
    assert left(child) == 4


def test_slash_budget_and_continuous_take_effect_after_the_next_y(game: Callable[..., Any], place: Place) -> None:
    child = game()
    typed(child, "/budget 1")
    asked(child)
    typed(child, "y")
    child.expect_exact("AUTHORISED COMMANDS LEFT: 0")
    asked(child)
    assert ran(place) == ["oak_planks", "stick"]
    typed(child, "/continuous")
    asked(child)
    typed(child, "y")
    assert left(child) == 0
    assert ran(place) == THREE


def test_slash_do_is_journaled_as_the_persons_and_slash_undo_takes_it_back(
    game: Callable[..., Any], place: Place
) -> None:
    child = game()
    typed(child, "/do craft_item name=oak_planks")
    asked(child)
    typed(child, "/undo")
    child.expect_exact("Took back craft_item of turn 1: the world is as it was before")
    asked(child)
    typed(child, "/inventory")
    child.expect_exact("oak_log [I1] quantity 3")
    asked(child)
    typed(child, "n")
    left(child)
    assert [event["agent"] for event in kinds(place.events(), "intent")] == ["person", "person"]


@pytest.mark.parametrize(
    ("line", "feedback"),
    [
        ("make the sticks first", "make the sticks first"),
        ("// y", "y"),
        ("//n", "n"),
        ("//yes", "yes"),
        ("///help", "/help"),
        ("y\ry\ruse birch", "y\ny\nuse birch"),  # pasted: it is one block
        ("\x1b[200~y\ny\nuse birch\x1b[201~", "y\ny\nuse birch"),
    ],
)
def test_anything_else_is_feedback_and_rejects_the_command(
    game: Callable[..., Any], place: Place, line: str, feedback: str
) -> None:
    child = game()
    typed(child, line)
    child.expect_exact("craft_item was not run")
    child.expect_exact('"name": "stick"')
    asked(child)
    typed(child, "n")
    left(child)
    decision = kinds(place.events(), "decision")[0]
    assert (decision["kind"], decision["feedback"]) == ("refuse", feedback)
    assert ran(place) == []


def test_what_is_typed_while_it_thinks_is_feedback_and_never_consent(game: Callable[..., Any], place: Place) -> None:
    child = game(HELD, STICKS, PICKAXE, wait="file go")
    typed(child, "y -9")
    child.expect_exact("Noted: your feedback takes effect at the next step; it authorises nothing.")
    (place.folder / "go").touch()
    child.expect_exact("craft_item was not run: your feedback came first")
    child.expect_exact('"name": "stick"')
    asked(child)
    assert ran(place) == []
    assert [event["text"] for event in kinds(place.events(), "feedback")] == ["y -9"]
    typed(child, "n")
    assert left(child) == 4


def test_a_question_mark_typed_while_it_thinks_shows_the_help(game: Callable[..., Any], place: Place) -> None:
    child = game(HELD, STICKS, wait="file go")
    typed(child, "?")
    child.expect_exact("Noted: /help takes effect before the next step.")
    (place.folder / "go").touch()
    child.expect_exact("run the command shown")
    asked(child)
    typed(child, "n")
    assert left(child) == 4
    assert not kinds(place.events(), "feedback")


def test_what_is_typed_while_a_command_runs_reaches_the_next_answer(game: Callable[..., Any], place: Place) -> None:
    (place.folder / "own").mkdir()
    (place.folder / "own" / "held.py").write_text(HOLD)
    child = game(("hold", {}), STICKS, AUTOCRAFT_COMMANDS=str(place.folder / "own"))
    typed(child, "y")
    child.expect_exact("COMMAND AUTHORISED BY USER")
    typed(child, "use birch next time")
    child.expect_exact("Noted: your feedback takes effect at the next step")
    (place.folder / "go").touch()
    child.expect_exact("held until now")
    child.expect_exact('"name": "stick"')
    asked(child)
    assert ran(place) == ["hold"]
    typed(child, "n")
    assert left(child) == 4


def test_what_was_half_typed_before_the_question_can_be_finished_after_it(
    game: Callable[..., Any], place: Place
) -> None:
    child = game(HELD, STICKS, wait="file go")
    child.send("use ")
    child.expect_exact("use")
    (place.folder / "go").touch()
    child.expect_exact(ASK)
    child.expect_exact("Started before this question")
    child.send("birch\r")
    child.expect_exact("craft_item was not run: your feedback came first")
    asked(child)
    typed(child, "n")
    left(child)
    assert [event["text"] for event in kinds(place.events(), "feedback")] == ["use birch"]
    assert "use birch" in place.run("memory", "show", "--kind", "feedback").stdout


def interrupt(child: Any, how: str) -> None:
    """Ctrl-C as a key, or as the signal that another process sends."""
    if how == "key":
        child.send("\x03")
    else:
        child.kill(signal.SIGINT)


@pytest.mark.parametrize("how", ["key", "signal"])
def test_ctrl_c_while_thinking_pauses_and_asks(game: Callable[..., Any], place: Place, how: str) -> None:
    child = game(HELD, STICKS, wait="thinking")
    interrupt(child, how)
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    (place.folder / "go").touch()
    typed(child, "y")
    child.expect_exact('"name": "oak_planks"')
    asked(child)
    typed(child, "n")
    assert left(child) == 4


def test_ctrl_c_at_the_question_pauses_then_asks_it_again(game: Callable[..., Any], place: Place) -> None:
    child = game()
    interrupt(child, "key")
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    typed(child, "y")
    child.expect_exact("COMMAND = craft_item")
    asked(child)
    typed(child, "y")
    child.expect_exact("Made 4 oak_planks")


def test_feedback_at_the_pause_rejects_the_waiting_command(game: Callable[..., Any], place: Place) -> None:
    child = game()
    interrupt(child, "key")
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    typed(child, "no planks please")
    child.expect_exact("craft_item was not run")
    child.expect_exact('"name": "stick"')
    assert ran(place) == []


def test_ctrl_c_inside_a_command_cancels_it_and_asks(game: Callable[..., Any], place: Place) -> None:
    child = game(("wait", {"seconds": 60}), STICKS)
    typed(child, "y")
    until(lambda: kinds(place.events(), "intent"))
    interrupt(child, "key")
    child.expect_exact("Interrupted before it was done.")
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    typed(child, "y")
    child.expect_exact('"name": "stick"')


@pytest.mark.parametrize("how", ["key", "signal"])
def test_a_second_ctrl_c_leaves_with_130(game: Callable[..., Any], place: Place, how: str) -> None:
    child = game()
    interrupt(child, how)
    child.expect_exact("Paused.")
    child.expect_exact("Input:")
    interrupt(child, how)
    child.expect_exact("autocraft run --resume")
    assert left(child) == 130
    assert place.events()[-1]["reason"] == "interrupted"


def test_a_closed_terminal_leaves_a_session_that_can_be_resumed(game: Callable[..., Any], place: Place) -> None:
    child = game()
    child.kill(signal.SIGHUP)
    left(child)
    assert place.events()[-1]["type"] == "end"
