"""Ctrl-Z in a shell with job control: the terminal is the shell's again, and `fg` brings the question back."""

from __future__ import annotations

import shutil
import sys
import termios
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import PROGRAM, STONE_PICKAXE, Place, kinds
from tests.console.emulator import Emulator, last_row
from tests.console.test_terminal import editor
from tests.waiting import until

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="bash, which suspends jobs, is not installed")

SHELL = [
    sys.executable,
    "-c",
    "import fcntl, os, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execvp('bash', ['bash', '--norc', '--noprofile', '-i'])",
]


@pytest.fixture
def shell(place: Place) -> Iterator[Callable[..., Emulator]]:
    started: list[Emulator] = []

    def start(*arguments: str, **env: str) -> Emulator:
        env |= {"PS1": "shell> ", "BASH_SILENCE_DEPRECATION_WARNING": "1"}
        screen = Emulator(place, [], 120, 40, program=SHELL, **env)
        started.append(screen)
        screen.until("shell>")
        words = [*PROGRAM, "run", *STONE_PICKAXE, *arguments]
        screen.send(" ".join(f"'{word}'" for word in words) + "\r")
        return screen

    yield start
    for each in started:
        each.close()


def at_prompt(screen: Emulator) -> None:
    """Wait until the shell has the terminal again."""
    screen.until("Stopped")
    until(lambda: screen.read() and last_row(screen).startswith("shell>"), "the prompt of the shell")


@pytest.mark.parametrize("arguments", [(), ("--plain",)])
def test_ctrl_z_suspends_and_fg_asks_again(
    shell: Callable[..., Emulator], place: Place, arguments: tuple[str, ...]
) -> None:
    screen = shell(*arguments)
    screen.question(1)
    screen.send("y\x1a")
    at_prompt(screen)
    screen.send("stty -a; echo typed here\r")
    shown = screen.until("typed here\nshell>")
    assert " icanon" in shown and " echo " in shown, "the terminal is in order"
    screen.send("fg\r")
    until(lambda: screen.read() and screen.raw.count(b"Enter 'y'") == 2, "the question again")
    until(lambda: screen.read() and last_row(screen).startswith(("Input:", "Started before")), "the input line")
    screen.send("\r")
    screen.question(3)
    screen.send("it is cold\r")
    screen.until("cannot read your words")
    assert not kinds(place.events(), "intent"), "what was typed before Ctrl-Z authorises nothing"


@pytest.mark.full
def test_a_run_can_be_suspended_while_it_works(shell: Callable[..., Emulator], place: Place) -> None:
    screen = shell()
    screen.question(1)
    screen.send("/do wait seconds=600\r")
    screen.until("running wait")
    screen.send("\x1a")
    at_prompt(screen)
    screen.send("fg\r")
    until(lambda: screen.read() and last_row(screen).startswith("…"), "the input line")
    screen.until("running wait")
    screen.send("\x03")
    until(lambda: screen.read() and kinds(place.events(), "result"), "the end of the command")


@pytest.mark.full
def test_ctrl_z_in_the_editor_and_fg_come_back_to_the_editor(shell: Callable[..., Emulator], place: Place) -> None:
    script = place.script(("write_to_file", {"file": "a.txt", "text": "x" * 300}))
    edited = editor(place, '{"file": "a.txt", "text": "edited"}')
    screen = shell("--brain", "scripted", "--script", script, EDITOR=edited)
    screen.question(1)
    screen.send("e\r")
    screen.until("The editor is open")
    screen.send("\x1a")
    at_prompt(screen)
    screen.send("fg\r")
    until(lambda: screen.read() and termios.tcgetattr(screen.file)[3] & termios.ICANON, "the terminal of the editor")
    screen.send("\r")
    screen.question(2)
    assert "The command with your arguments:" in screen.whole and "edited" in screen.whole
    assert not kinds(place.events(), "feedback")
