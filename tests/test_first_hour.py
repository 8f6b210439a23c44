"""What a newcomer meets in the first hour: empty lists, the last lines of a run, plurals, folders, long goals."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from autocraft.crafting.inventory import STARTING_KIT
from autocraft.text.phrases import near_ending
from tests.conftest import ROOT, STONE_PICKAXE, Place


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        (("sessions", "list"), "There are no runs yet"),
        (("skills", "list"), "There are no skills yet"),
        (("skills", "list", "--quarantine"), "No skill waits for you."),
        (("skills", "list", "--trash"), "The trash is empty."),
        (("config", "show"), "Your own file is "),
    ],
)
def test_an_empty_list_says_so(place: Place, verb: tuple[str, ...], said: str) -> None:
    done = place.run(*verb)
    assert (said in done.stdout, done.returncode) == (True, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "--html=~nobody-here/x"),
        ("fix-json", "~nobody-here/x"),
        ("practice-server", "--folder=~nobody-here/x"),
        ("learn", "--from-ckpt=~nobody-here/x"),
        ("run", "--goal", "craft 1 stick", "--workspace=~nobody-here/x"),
    ],
)
def test_a_home_folder_of_nobody_is_told(place: Place, arguments: tuple[str, ...]) -> None:
    done = place.run(*arguments)
    said = "autocraft: no user of that name has a home folder here: write the whole path, not ~nobody-here/x\n"
    assert (done.returncode, done.stderr, list(place.folder.glob("~*"))) == (2, said, [])


@pytest.mark.parametrize("option", ["--state-dir", "--workspace"])
def test_an_empty_path_is_not_the_current_folder(place: Place, option: str) -> None:
    done = place.run("run", *STONE_PICKAXE, "--continuous", option, "")
    assert (done.returncode, done.stderr) == (2, f"autocraft: {option} is empty: give a path, or leave it out\n")
    assert list(place.folder.iterdir()) == []


def test_a_path_may_begin_at_home_and_standard_input_may_be_closed(place: Place) -> None:
    (place.folder / "answer.txt").write_text('{"command": {"name": "inventory", "args": {}}}')
    assert place.run("fix-json", "~/answer.txt").returncode == 0
    command = ["sh", "-c", f"{sys.executable} -m autocraft fix-json <&-"]
    done = subprocess.run(command, cwd=place.folder, env=place.environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "autocraft: standard input is closed: give a file\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fix-json",), "Type or paste the text. Ctrl-D in an empty line ends it."),
        (("mcp",), "A client of the protocol MCP starts this command: see docs/mcp.md. Ctrl-C ends it."),
    ],
)
def test_what_waits_for_input_says_so(terminal: Callable[..., Any], arguments: tuple[str, ...], said: str) -> None:
    child = terminal(*arguments)
    child.expect_exact(said)


def test_a_reached_goal_is_not_resumed_and_a_stopped_run_is(place: Place) -> None:
    reached = place.run("run", *STONE_PICKAXE, "--continuous").stdout
    assert "GOAL REACHED" in reached
    assert "Resume with" not in reached
    assert "INVENTORY:  1 stone_pickaxe, " in reached, "the goal comes first"
    assert "answers" not in reached, "no answer was broken, so none is counted"
    stopped = place.run("run", "--goal", "craft 1 ladder", "--continuous", "--max-steps", "1").stdout
    assert "Resume with: autocraft run --resume" in stopped
    assert stopped.lower().count("limit:") == 1
    assert "and 17 more kinds" in stopped
    assert " 1 turn " in place.run("sessions", "list").stdout


def test_words_at_the_question_do_what_the_tutorial_says(place: Place) -> None:
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8").partition("## 3.")[0]
    first, second = re.findall(r'^autocraft run --goal "(.*)"$', text, re.MULTILINE)
    assert "GOAL REACHED" in place.run("run", "--goal", first, stdin="y\n" * 9).stdout
    words, change = re.findall("type `(.*)` at the question, and then `(.*)`", text)[0]
    said = place.run("run", "--goal", second, stdin=f"{words}\n{change}\nn\n").stdout
    assert len(re.findall("COMMAND = .*", said)) == 3
    assert "The goal is now: get 2 stone_pickaxe" in said


@pytest.mark.parametrize("verb", [("run", "--dry-run"), ("prompt",), ("run", "--continuous")])
def test_no_empty_workspace_is_left(place: Place, verb: tuple[str, ...]) -> None:
    assert place.run(*verb, "--goal", "craft 1 stick").returncode == 0
    assert not (place.folder / "workspace").exists()


@pytest.mark.parametrize("made", ["file", "link", "loop"])
def test_a_workspace_that_cannot_be_made_is_refused_at_once(place: Place, made: str) -> None:
    path = place.folder / "workspace"
    path.write_text("") if made == "file" else path.symlink_to("nowhere" if made == "link" else "workspace")
    done = place.run("run", "--goal", "craft 1 stick", "--continuous")
    assert done.returncode == 2
    assert "workspace" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_long_goal_is_compared_by_its_end_alone() -> None:
    names = [f"{colour}_{thing}" for colour in ("oak", "birch", "acacia") for thing in "abcdefghij"] * 20
    began = time.process_time()
    assert near_ending("build a house " * 4000 + "birch_q", names)
    assert time.process_time() - began < 2


def test_the_guide_lists_the_items_that_a_run_begins_with() -> None:
    kit = [part.split("=") for part in STARTING_KIT.split(",")]
    listed = ", ".join(f"{number} {name}" for name, number in kit)
    text = " ".join((ROOT / "docs" / "crafting.md").read_text(encoding="utf-8").split())
    assert f"these {len(kit)} kinds of items: {listed}." in text
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{len(kit)} kinds of items" in readme.partition("## Install")[0]
    assert "--world minecraft" in readme.partition("## Install")[0]


def test_the_shell_completes_sessions_profiles_splits_and_skills(place: Place) -> None:
    place.run("run", *STONE_PICKAXE, "--continuous")
    skill = "async function go(bot) { await craftItem(bot, 'stick', 4); }"
    (place.folder / "js").mkdir()
    (place.folder / "js" / "go.js").write_text(skill)
    place.run("skills", "import", "js")
    id = place.session()
    for words, expected in (
        (f"report {id[:9]}", id),
        ("run --resume la", "last"),
        ("sessions show ", id),
        ("models --profile ol", "ollama"),
        ("eval --split val.small.", "val.small.easy"),
        ("skills show ", "go"),
    ):
        line = {"COMP_WORDS": f"autocraft {words}", "COMP_CWORD": str(len(words.split(" ")))}
        script = "import sys; sys.argv[0] = 'autocraft'; from autocraft.cli import main; main()"
        done = place.python("-c", script, **line, _AUTOCRAFT_COMPLETE="complete_bash")
        assert expected in done.stdout.split(), (words, done.stderr)
