"""What is typed before a question is never its answer: both readers at a terminal, every kind of question."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pexpect.fdpexpect import fdspawn

from autocraft.console.terminal import KEY_PROMPT
from autocraft.console.typed import BEGUN
from tests import warm
from tests.conftest import ROOT, Place
from tests.security.count import Tally

pytestmark = pytest.mark.sampled(5)

READERS = ("line", "single", "plain")


# ---------------------------------------------------------------- the readers, while a question is drawn


class Asked:
    """The program that asks (`tests/console/asks.py`) in a pseudo-terminal, standing still in a question just drawn."""

    def __init__(self, folder: Path, kind: str, default: str = "") -> None:
        self.folder, self.kind = folder, kind
        os.mkfifo(folder / "go")
        ours, self._theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 150, 0, 0))
        self._program = warm.start(
            ["-m", "tests.console.asks", kind, str(folder), default], ROOT, Place(folder).environment,
            (self._theirs, self._theirs, self._theirs),
        )  # fmt: skip
        self.child = fdspawn(ours, encoding="utf-8", timeout=60)
        self._number = self._seen = 0
        self.drawn()

    def drawn(self) -> None:
        """Wait until the next question is drawn."""
        self._number += 1
        self.child.expect_exact(f"QUESTION {self._number} ")

    def arrive(self, keys: str) -> None:
        """Type, and wait until the terminal holds it."""
        before = self._held()
        os.write(self.child.child_fd, keys.encode())
        if self.kind.startswith("plain"):
            self.child.expect_exact(keys.replace("\r", "\r\n"))  # the terminal shows what it has taken in
            return
        deadline = time.monotonic() + 60
        while self._held() < before + len(keys.encode()):
            assert time.monotonic() < deadline, "the terminal did not take the keys"
            time.sleep(0.005)

    def _held(self) -> int:
        return int(struct.unpack("i", fcntl.ioctl(self._theirs, termios.FIONREAD, b"\0" * 4))[0])

    def prompted(self) -> bool:
        """Let it go on, and wait until it prompts; returns whether what is typed now is an answer."""
        self.go_on()
        return self.child.expect_exact(["Input:", BEGUN[:24]]) == 0

    def go_on(self) -> None:
        (self.folder / "go").write_bytes(b"")

    def outcomes(self) -> dict[str, list[str | None]]:
        """What became of the lines since the last call: feedback, answer or interrupt."""
        rows = [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]
        found: dict[str, list[str | None]] = {"feedback": [], "answer": [], "interrupt": []}
        for what, text in rows[self._seen :]:
            found[what].append(text)
        self._seen = len(rows)
        return found

    def try_keys(self, before: str, after: str) -> dict[str, list[str | None]]:
        """Type `before` while the question is drawn and `after` at its prompt; what became of it."""
        if before:
            self.arrive(before)
        if after:
            self.prompted()
            self.child.send(after)
        else:
            self.go_on()
        self.drawn()
        return self.outcomes()

    def close(self) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._theirs)
        self.child.close()


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Callable[..., Asked]]:
    started: list[Asked] = []

    def start(kind: str, default: str = "") -> Asked:
        folder = tmp_path / str(len(started))
        folder.mkdir()
        started.append(Asked(folder, kind, default))
        return started[-1]

    yield start
    for each in started:
        each.close()


AHEAD = {
    "y": ("y\r", "", "y"),
    "y with a budget": ("y -3\r", "", "y -3"),
    "a": ("a\r", "", "a"),
    "e": ("e\r", "", "e"),
    "/continuous": ("/continuous\r", "", "/continuous"),
    "many times y": ("y\r" * 500, "", "\n".join(["y"] * 500)),
    "several lines": ("use oak\rthen birch\ry\r", "", "use oak\nthen birch\ny"),
    "y, and Enter later": ("y", "\r", "y"),
    "half a budget": ("y ", "-3\r", "y -3"),
    "the last letter of a word later": ("wa", "y\r", "way"),
    "half a slash command": ("/contin", "uous\r", "/continuous"),
}
"""Name: what is typed while the question is drawn, what is typed at its prompt, and the feedback that it must be."""
IN_THE_LINE = {
    "a paste": ("\x1b[200~y\x1b[201~", "\r", "y"),
    "half a paste": ("\x1b[200~y", "\x1b[201~\r", "y"),
    "half a paste without text": ("\x1b[200~", "y\x1b[201~\r", "y"),
    "a line and half a line": ("use oak\rthen", " birch\r", "use oak\nthen birch"),
    "several lines pasted": ("\x1b[200~y\ry\x1b[201~\r", "", "y\ny"),
    "y under the cursor": ("y\x01", "\x05\r", "y"),
    "Enter of another kind": ("y\n", "", "y"),
    "y cut and put back": ("y\x15\x19", "\r", "y"),
}
"""The same with keys of the input line: paste, cursor, cut."""


def attacks(kind: str) -> dict[str, tuple[str, str, str]]:
    return AHEAD | ({} if kind.startswith("plain") else IN_THE_LINE)


@pytest.mark.parametrize("default", ["", '{"name": "stick"}'], ids=["question", "edit line"])
@pytest.mark.parametrize("kind", READERS)
def test_what_is_typed_while_a_question_is_drawn_is_feedback_and_no_answer(
    asking: Callable[..., Asked], tally: Callable[[str], Tally], kind: str, default: str
) -> None:
    count, asked = tally("typed ahead"), asking(kind, default)
    lost = []
    for name, (before, after, feedback) in attacks(kind).items():
        got = asked.try_keys(before, after)
        count.add(f"{kind}: {name}", got["answer"])
        lost += [(name, got)] if got["feedback"] != [feedback] else []
    assert not lost, "what was typed must not be lost"
    count.done()


@pytest.mark.parametrize("kind", READERS)
def test_control_without_the_rule_the_same_keys_are_answers(asking: Callable[..., Asked], kind: str) -> None:
    asked = asking(f"{kind}-naive")
    for name, (before, after, line) in attacks(kind).items():
        assert asked.try_keys(before, after)["answer"] == [line], name


@pytest.mark.parametrize("kind", READERS)
def test_control_the_same_keys_at_the_prompt_are_answers(asking: Callable[..., Asked], kind: str) -> None:
    asked = asking(kind)
    for name, (before, after, line) in attacks(kind).items():
        assert asked.try_keys("", before + after)["answer"] == [line], name


NO_KEYS = {
    "a paste": "\x1b[200~y\x1b[201~",
    "letters that come at once": "yes",
    "a key that is held down": "yyyyyyyy",
    "a blank, then a letter": " y",
}
"""What is typed at a question that takes keys, and answers nothing."""


def test_one_key_answers_a_question_that_was_seen_and_nothing_else_does(asking: Callable[..., Asked]) -> None:
    asked = asking("single")
    for key, line in {"y": "y", "a": "a", "N": "n", "3": "y -3"}.items():
        asked.go_on()
        asked.child.expect_exact(KEY_PROMPT.rstrip())
        asked.child.send(key)
        asked.drawn()
        assert asked.outcomes()["answer"] == [line]
    for name, keys in NO_KEYS.items():
        asked.go_on()
        asked.child.expect_exact(KEY_PROMPT.rstrip())
        asked.child.send(keys)
        asked.child.expect_exact("Input:")  # it has begun a line
        asked.child.send("\x15n\r")
        asked.drawn()
        assert asked.outcomes()["answer"] == ["n"], name


def test_a_key_that_was_pressed_before_the_question_begins_a_line(asking: Callable[..., Asked]) -> None:
    asked = asking("single")
    asked.arrive("y")
    assert not asked.prompted()
    asked.child.send("\r")
    asked.drawn()
    assert asked.outcomes() == {"feedback": ["y"], "answer": [], "interrupt": []}


def test_half_a_line_behind_a_whole_one_is_no_answer_to_the_question_asked_anew(asking: Callable[..., Asked]) -> None:
    """A plain terminal gives the first line alone, so it cannot be known that they are one block."""
    asked = asking("plain")
    assert asked.try_keys("use oak\rwa", "")["feedback"] == ["use oak"]
    assert not asked.prompted()
    asked.child.send("y\r")
    asked.drawn()
    assert asked.outcomes() == {"feedback": ["way"], "answer": [], "interrupt": []}


@pytest.mark.parametrize("kind", READERS)
def test_the_end_of_input_counts_also_when_it_is_typed_ahead(asking: Callable[..., Asked], kind: str) -> None:
    asked = asking(kind)
    os.write(asked.child.child_fd, b"\x04")
    asked.go_on()
    asked.child.expect_exact("ENDED")
    assert asked.outcomes() == {"feedback": [], "answer": [None], "interrupt": []}


@pytest.mark.parametrize("kind", READERS)
def test_the_end_of_input_makes_no_answer_of_half_a_line(asking: Callable[..., Asked], kind: str) -> None:
    """Twice Ctrl-D ends a plain terminal's input inside a line; the line with editing takes it as a key."""
    asked = asking(kind)
    assert asked.prompted()
    asked.child.send("y\x04\x04")
    if kind == "plain":
        asked.child.expect_exact("ENDED")
        assert asked.outcomes()["answer"] == [None]
        return
    asked.child.send("\x15n\r")
    asked.drawn()
    assert asked.outcomes()["answer"] == ["n"]


@pytest.mark.parametrize(
    ("begun", "prompted", "then", "interrupt"),
    [("yy", False, "\x7f\x7fn\r", []), ("y\x03", True, "n\r", [""])],
    ids=["emptied", "Ctrl-C"],
)
def test_a_begun_line_that_is_taken_back_is_begun_anew(
    asking: Callable[..., Asked], begun: str, prompted: bool, then: str, interrupt: list[str]
) -> None:
    asked = asking("line")
    asked.arrive(begun)
    assert asked.prompted() is prompted
    asked.child.send(then)
    asked.drawn()
    assert asked.outcomes() == {"feedback": [], "answer": ["n"], "interrupt": interrupt}
