"""Ctrl-C at the first questions: it ends the program however it was started, and whenever the signal comes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import Any

import pexpect
import pytest

from tests.conftest import PROGRAM, Place

QUESTIONS = {"goal": "Name of the agent: ", "trust": "anything else refuses: "}
FLAGS = {"goal": [], "trust": ["--goal", "craft 1 stick"]}
ELSEWHERE = [
    sys.executable,
    "-c",
    """
import signal, threading
from autocraft.cli import main
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
main()
""",
]
"""The program with a thread that takes the signals, so that they never break off a wait of the main thread: as when
one comes in the moment before the wait."""
PLAIN = [sys.executable, "-c", "print('read', input('Goal: '))"]


def ignore_ctrl_c() -> None:
    """Do what a shell does to a job in its background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def start(place: Place, program: Sequence[str], before: Any = None) -> Any:
    return pexpect.spawn(
        program[0], list(program[1:]), cwd=str(place.folder), env=place.environment, encoding="utf-8", timeout=60,
        preexec_fn=before,
    )  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("how", ["by default", "ignored", "elsewhere"])
@pytest.mark.sampled(1)
def test_ctrl_c_at_the_first_question_is_130(place: Place, question: str, how: str) -> None:
    if question == "trust":
        (place.folder / "autocraft.toml").write_text('[commands]\ncommands_folder = "tools"\n')
    program = [*(ELSEWHERE if how == "elsewhere" else PROGRAM), "run", *FLAGS[question]]
    child = start(place, program, ignore_ctrl_c if how == "ignored" else None)
    child.expect_exact(QUESTIONS[question])
    child.send("\x03")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert child.before.endswith("\n"), "the prompt of the shell begins a line"


def test_a_plain_question_is_deaf_where_the_signal_is_ignored(place: Place) -> None:
    """The control: it goes on after Ctrl-C, and reads the next line."""
    child = start(place, PLAIN, ignore_ctrl_c)
    child.expect_exact("Goal: ")
    child.send("\x03")
    child.send("still here\r")
    child.expect_exact("read still here")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
