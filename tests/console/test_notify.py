"""The person's own program is started when a question waits and when the run ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import STONE_PICKAXE, Place
from tests.waiting import until

WRITES = """
import os, sys
with open(sys.argv[1], "a") as file:
    file.write(os.environ["AUTOCRAFT_EVENT"] + " " + os.environ["AUTOCRAFT_SESSION"] + "\\n")
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "it is.py").write_text(WRITES)
    return f"{sys.executable} '{tmp_path / 'it is.py'}' {tmp_path / 'told.txt'}"


def test_a_question_and_the_end_are_told(place: Place, program: str, tmp_path: Path) -> None:
    done = place.run("run", *STONE_PICKAXE, "--notify", program, stdin="y\nn\n")
    assert done.returncode == 4, done.stderr
    id = place.session()
    told = tmp_path / "told.txt"
    until(lambda: told.exists() and len(told.read_text().splitlines()) == 3, "two questions and the end are told")
    assert sorted(told.read_text().splitlines()) == [f"end {id}", f"question {id}", f"question {id}"]


def test_no_word_of_the_model_reaches_the_program(place: Place, tmp_path: Path) -> None:
    (tmp_path / "all.py").write_text(
        "import os, sys\nopen(sys.argv[1], 'a').write(repr(sys.argv[2:]) + repr(sorted(os.environ.items())))\n"
    )
    secret = "$(touch owned) SPOKEN-BY-THE-MODEL"
    script = place.script({"thoughts": {"text": secret}, "command": {"name": "do_nothing", "args": {"reason": secret}}})
    command = f"{sys.executable} {tmp_path / 'all.py'} {tmp_path / 'told.txt'}"
    flags = ["--goal", "craft 1 stick", "--brain", "scripted", "--script", script, "--notify", command]
    place.run("run", *flags, stdin="n\n")
    until(
        lambda: (tmp_path / "told.txt").exists() and "'end'" in (tmp_path / "told.txt").read_text(), "the end is told"
    )
    assert "SPOKEN" not in (tmp_path / "told.txt").read_text()
    assert not (place.folder / "owned").exists()


def test_blanks_are_no_program(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--notify", " ", stdin="n\n")
    assert "failed" not in done.stdout


def test_a_program_that_cannot_be_started_is_told_once(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--notify", "/nowhere/at-all", stdin="y\n" * 30)
    assert done.returncode == 0
    assert done.stdout.count("The program of --notify failed: No such file or directory.") == 1, done.stdout


def test_a_program_that_fails_is_told_at_the_next_question(
    place: Place, terminal: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "fails.py").write_text("import os, sys\nopen(sys.argv[1], 'w').write(str(os.getpid()))\nsys.exit(3)\n")
    written = tmp_path / "pid.txt"
    child = terminal("run", *STONE_PICKAXE, "--notify", f"{sys.executable} {tmp_path / 'fails.py'} {written}")
    child.expect_exact("Input:")
    until(lambda: written.exists() and written.read_text() and ended(written.read_text()), "the program has ended")
    child.send("y\r")
    child.expect_exact("The program of --notify failed: it ended with code 3.")
    child.expect_exact("Input:")
    child.send("n\r")
    assert child.wait() == 4


def ended(pid: str) -> bool:
    """Whether a process is gone, or waits for its parent to hear of its end."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout
    return not state.strip() or state.startswith("Z")


def test_a_missing_quotation_mark_is_told(place: Place) -> None:
    done = place.run("run", *STONE_PICKAXE, "--notify", "say 'hello")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is not a command: no closing quotation" in done.stderr
