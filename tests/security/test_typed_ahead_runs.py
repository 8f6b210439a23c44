"""What is typed before a question, in whole runs: every kind of question, at both readers, while a preview is made."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autocraft.console.typed import BEGUN
from autocraft.memory import open_memory
from autocraft.sandbox.processes import below
from tests.commands.programs import ITEMS, with_programs
from tests.conftest import PROGRAM, STONE_PICKAXE, Place, kinds
from tests.console.emulator import Emulator, last_row
from tests.security.count import Tally
from tests.test_agents import says
from tests.test_memory_line import ROWS
from tests.waiting import PATIENCE

pytestmark = pytest.mark.sampled(8)

READERS = {"line": (), "plain": ("--plain",), "dumb": ()}
WIPE = ("wipe", {"name": "a"})
NOTHING: tuple[str, dict[str, Any]] = ("do_nothing", {})
FIRST = "was not run: your feedback came first"
OWN = '''
import asyncio
from pathlib import Path

from autocraft.protocols import Call, Risk, command

HERE = Path(__file__).parent


def wait(name):
    """Say that it has come here, and stand still until the test goes on."""
    (HERE / f"{name}-{len(list(HERE.glob(name + '-*'))) + 1}").touch()
    (HERE / "go").read_bytes()


def risk(family, name):
    wait("risk")
    return Risk.DESTROY


class Slow:
    @command(help="Wipe something", risk=Risk.DESTROY)
    async def wipe(self, call: Call, name: str) -> str:
        return f"wiped {name}"

    @command(help="Wipe something whose risk takes long", risk=risk)
    async def wipe_later(self, call: Call, name: str) -> str:
        return f"wiped {name}"

    def preview(self, call: Call) -> str:
        wait("preview")
        return "everything goes"

    def fingerprint(self, call: Call) -> str:
        return "the same"


@command(help="Wait for the test", risk=Risk.LOOK)
async def hold(call: Call) -> str:
    await asyncio.to_thread(wait, "hold")
    return "held"
'''


class Game:
    """A run in a pseudo-terminal whose own commands stand still where the test wants it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.own = place.folder / "own"
        self.own.mkdir()
        (self.own / "slow.py").write_text(OWN)
        os.mkfifo(self.own / "go")
        self.screen: Emulator

    def start(self, reader: str, *script: Any, flags: tuple[str, ...] = (), program: Any = PROGRAM) -> Emulator:
        arguments = ["run", "--goal", "craft 1 stick", "--brain", "scripted", "--script", self.place.script(*script)]
        env = {"TERM": "dumb"} if reader == "dumb" else {}
        self.screen = Emulator(
            self.place, [*arguments, *READERS[reader], *flags], 100, 60,
            program=program, AUTOCRAFT_COMMANDS=str(self.own), **with_programs(),
            AUTOCRAFT_PROGRAMS_SECONDS=f"{PATIENCE}", **env,
        )  # fmt: skip
        return self.screen

    def at(self, name: str, number: int = 1) -> None:
        """Wait until it stands still there."""
        self._until(lambda: (self.own / f"{name}-{number}").exists(), f"{name} {number} did not begin")

    def go_on(self) -> None:
        def opened() -> bool:
            try:
                os.close(os.open(self.own / "go", os.O_WRONLY | os.O_NONBLOCK))
            except OSError as error:
                assert error.errno == errno.ENXIO  # nobody waits there yet
                return False
            return True

        self._until(opened, "nobody waits")

    def _until(self, done: Callable[[], bool], why: str) -> None:
        deadline = time.monotonic() + 60
        while not done():
            assert self.screen.read(0.02), self.screen.text
            assert time.monotonic() < deadline, f"{why}; the screen is:\n{self.screen.text}"

    def typed(self, keys: str) -> None:
        """Type what has no Enter, and wait until it is shown."""
        self.screen.send(keys)
        self._until(lambda: last_row(self.screen).endswith(keys), f"{keys!r} was not shown")

    def noted(self, line: str) -> None:
        """Type a whole line before its question, and wait until it is noted."""
        self.screen.send(line + "\r")
        self.screen.until("Noted: ", 60)

    def question(self, number: int) -> None:
        """Wait for the nth question and its prompt."""
        asked = re.compile(rb"Enter 'y'|y: go on ")
        self._until(lambda: len(asked.findall(self.screen.raw)) >= number, f"no question {number}")
        self._until(lambda: last_row(self.screen).startswith("Input:"), "no prompt")

    def finish(self, after: str = "\r") -> None:
        """Finish the line that was begun before the question."""
        self.screen.until(BEGUN[:24], 60)
        self.screen.send(after)

    @property
    def ran(self) -> list[str]:
        return [f"{event['agent']}: {event['command']}" for event in kinds(self.place.events(), "intent")]

    @property
    def feedback(self) -> list[str]:
        return [event["text"] for event in kinds(self.place.events(), "feedback")]


@pytest.fixture
def game(place: Place) -> Iterator[Game]:
    made = Game(place)
    yield made
    made.screen.close()


@pytest.fixture
def ahead(tally: Callable[[str], Tally]) -> Tally:
    return tally("typed ahead")


# ---------------------------------------------------------------- while a preview is made


@pytest.mark.parametrize("line", ["y -9", "// y", "y\ry\ry\ry"])
@pytest.mark.parametrize("reader", READERS)
def test_a_line_typed_while_the_preview_is_made_refuses_the_command(
    game: Game, ahead: Tally, reader: str, line: str
) -> None:
    game.start(reader, WIPE, NOTHING)
    game.at("preview")
    game.noted(line)
    game.go_on()
    game.screen.until(FIRST, 60)
    game.question(1)
    ahead.add(f"{reader}: {line}", game.ran)
    ahead.done()


@pytest.mark.parametrize("reader", READERS)
def test_half_a_line_typed_while_the_preview_is_made_refuses_the_command(game: Game, ahead: Tally, reader: str) -> None:
    game.start(reader, WIPE, NOTHING)
    game.at("preview")
    game.typed("y -9")
    game.go_on()
    game.finish()
    game.screen.until(FIRST, 60)
    ahead.add(f"{reader}: y -9, and Enter later", game.ran)
    ahead.done()
    assert game.feedback == ["y -9"]


@pytest.mark.parametrize("line", ["y", "n", "a"])
@pytest.mark.parametrize("reader", READERS)
def test_a_lone_letter_typed_while_the_preview_is_made_is_dropped(
    game: Game, ahead: Tally, reader: str, line: str
) -> None:
    game.start(reader, WIPE, NOTHING)
    game.at("preview")
    game.screen.send(f"{line}\r")
    game.screen.until(f"Ignored: {line}", 60)
    game.go_on()
    game.question(1)
    ahead.add(f"{reader}: {line} alone", game.ran)
    ahead.done()
    assert not kinds(game.place.events(), "feedback", "decision")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.full
def test_a_second_n_while_something_runs_pauses_and_asks(game: Game, reader: str) -> None:
    game.start(reader, ("hold", {}), NOTHING, flags=("--continuous",))
    game.at("hold")
    game.screen.send("n\r")
    game.screen.until("type n again", 60)
    game.screen.send("n\r")
    game.screen.until("Paused.", 60)
    game._until(lambda: last_row(game.screen).startswith("Input:"), "no prompt")
    game.go_on()
    game.screen.send("n\r")
    game.screen.until("STOPPED:", 60)
    assert game.feedback == []


@pytest.mark.parametrize("reader", READERS)
def test_control_the_same_keys_at_the_question_run_it(game: Game, reader: str) -> None:
    game.start(reader, WIPE, NOTHING)
    game.at("preview")
    game.go_on()
    game.question(1)
    game.screen.send("y\r")
    game.screen.until("wiped a", 60)
    assert game.ran == ["main: wipe"]


def test_control_a_terminal_read_like_a_pipe_takes_them_for_the_answer(game: Game) -> None:
    game.start("plain", WIPE, NOTHING, program=[sys.executable, "-m", "tests.security.naive"])
    game.at("preview")
    game.screen.send("y\r")
    game._until(lambda: last_row(game.screen) == "y", "the terminal did not take it")
    game.go_on()
    game.screen.until("wiped a", 60)


@pytest.mark.parametrize("reader", READERS)
def test_continuous_mode_hears_what_is_typed_while_the_preview_is_made(game: Game, ahead: Tally, reader: str) -> None:
    game.start(reader, WIPE, ("hold", {}), flags=("--continuous",))
    game.at("preview")
    game.noted("leave it alone")
    game.go_on()
    game.screen.until(FIRST, 60)
    ahead.add(f"{reader}: continuous", "main: wipe" in game.ran)
    ahead.done()


@pytest.mark.parametrize("reader", READERS)
def test_stop_typed_while_the_preview_is_made_asks(game: Game, ahead: Tally, reader: str) -> None:
    game.start(reader, WIPE, flags=("--continuous",))
    game.at("preview")
    game.noted("/stop")
    game.go_on()
    game.at("preview", 2)
    game.go_on()
    game.question(1)
    ahead.add(f"{reader}: /stop", game.ran)
    ahead.done()


# ---------------------------------------------------------------- other questions


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("how", ["asked again", "edited"])
def test_a_question_that_comes_once_more(game: Game, ahead: Tally, reader: str, how: str) -> None:
    game.start(reader, WIPE, NOTHING)
    game.at("preview")
    game.go_on()
    game.question(1)
    if how == "edited":
        game.screen.send("e\r")
        game.screen.until("\nArguments:", 60)
        game.screen.send("\x15" if reader == "line" else "")
    game.screen.send('{"name": "b"}\r' if how == "edited" else "/tokens\r")
    game.at("preview", 2)
    game.typed("y -9")
    game.go_on()
    game.finish()
    game.screen.until(FIRST, 60)
    ahead.add(f"{reader}: {how}", game.ran)
    ahead.done()


@pytest.mark.parametrize("reader", READERS)
def test_a_helper_s_question(game: Game, ahead: Tally, reader: str) -> None:
    start = ("start_agent", {"name": "scout", "task": "wipe", "prompt": "Wipe.", "grants": ["wipe"]})
    game.start(reader, start, NOTHING, says("fast", "wipe", name="a"))
    game.question(1)
    game.screen.send("y\r")
    game.at("preview")
    game.typed("y -9")
    game.go_on()
    game.finish()
    game.screen.until(FIRST, 60)
    ahead.add(f"{reader}: helper", "scout: wipe" in game.ran)
    ahead.done()


@pytest.mark.full
@pytest.mark.parametrize("reader", ["line", "plain"])
def test_a_program_s_question(game: Game, ahead: Tally, reader: str) -> None:
    """The program is stopped while the line is begun: between its two commands, each of which asks."""
    code = """async function two(bot) {
  await craftItem(bot, 'oak_planks', 1);
  await craftItem(bot, 'stick', 1);
}"""
    asks = game.place.folder / "rules.toml"
    asks.write_text('[[policy.rule]]\ncommand = "craft_item"\nagent = "program"\nthen = "ask"\n')
    flags = ("--inventory", ITEMS, "--policy", str(asks))
    screen = game.start(reader, ("run_program", {"code": code}), NOTHING, flags=flags)
    game.question(1)
    screen.send("y\r")
    game.question(2)
    children = [each.pid for each in below(screen.child.pid)]
    for pid in children:
        os.kill(pid, signal.SIGSTOP)
    screen.send("y\r")
    screen.until("craft_item of the program returned", 60)
    game.typed("y -9")
    for pid in children:
        os.kill(pid, signal.SIGCONT)
    game.finish()
    screen.until("craft_item was refused", 60)
    ahead.add(f"{reader}: program", game.ran.count("program: craft_item") != 1)
    ahead.done()


@pytest.mark.parametrize("reader", READERS)
def test_a_question_in_words(game: Game, ahead: Tally, reader: str) -> None:
    game.start(reader, ("hold", {}), ("ask_human", {"question": "Which?"}), NOTHING, flags=("--continuous",))
    game.at("hold")
    game.typed("bir")
    game.go_on()
    game.finish("ch\r")
    game.screen.until("The same question again:", 60)
    ahead.add(f"{reader}: in words", [e for e in kinds(game.place.events(), "result") if "answered" in e])
    game._until(lambda: last_row(game.screen).startswith("Answer:"), "no prompt")
    game.screen.send("oak\r")
    game.screen.until("ask_human returned: oak", 60)
    assert game.feedback == ["birch"]
    ahead.done()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.full
def test_the_question_after_a_pause(game: Game, ahead: Tally, reader: str) -> None:
    """The program is stopped while Ctrl-C and a letter are typed, so both are there before it can draw."""
    screen = game.start(reader, ("hold", {}), flags=("--continuous",))
    game.at("hold")
    screen.child.send_signal(signal.SIGSTOP)
    if reader == "line":
        held = game_bytes(screen)
        screen.send("\x03y -9")
        game._until(lambda: game_bytes(screen) >= held + 5, "the terminal did not take the keys")
    else:
        screen.child.send_signal(signal.SIGINT)
        game.typed("y -9")
    screen.child.send_signal(signal.SIGCONT)
    screen.until("Paused.", 60)
    game.finish()
    game.question(2)
    ahead.add(f"{reader}: pause", [e for e in kinds(game.place.events(), "decision") if e["command"] is None])
    ahead.done()
    assert game.feedback == ["y -9"]


@pytest.mark.parametrize("reader", READERS)
def test_a_line_typed_while_the_program_is_stopped_at_its_question(game: Game, ahead: Tally, reader: str) -> None:
    screen = game.start(reader, ("hold", {}), NOTHING)
    game.question(1)
    screen.child.send_signal(signal.SIGSTOP)
    held = game_bytes(screen)
    screen.send("y\r")
    game._until(lambda: game_bytes(screen) > held, "the terminal did not take the keys")
    screen.child.send_signal(signal.SIGCONT)
    screen.until("Ignored: y", 60)
    game.question(2)
    ahead.add(f"{reader}: stopped", game.ran)
    ahead.done()


def game_bytes(screen: Emulator) -> int:
    """How many bytes the terminal holds for its program."""
    import fcntl
    import struct
    import termios

    side = os.open(screen.tty, os.O_RDWR | os.O_NOCTTY)
    try:
        return int(struct.unpack("i", fcntl.ioctl(side, termios.FIONREAD, b"\0" * 4))[0])
    finally:
        os.close(side)


# ---------------------------------------------------------------- before the program begins


@pytest.mark.parametrize("reader", READERS)
def test_what_was_typed_before_the_program_began(place: Place, ahead: Tally, reader: str) -> None:
    env = {"TERM": "dumb"} if reader == "dumb" else {}
    for typed in ("y\r", "y -4\r", "y\ry\ry\r"):
        folder = Place(place.folder / f"{len(typed)}")
        folder.folder.mkdir()
        screen = Emulator(folder, ["run", *STONE_PICKAXE, *READERS[reader]], 100, 60, ahead=typed, **env)
        try:
            screen.until("Ignored: y" if typed == "y\r" else "Noted: your feedback", 60)
            screen.question(1)
            ahead.add(f"{reader}: {typed!r} before the start", kinds(folder.events(), "intent"))
        finally:
            screen.close()
    ahead.done()


@pytest.mark.parametrize(("before", "after"), [("craft 1 ladder\r", ""), ("craft 1 lad", "der\r")])
def test_the_goal(place: Place, ahead: Tally, before: str, after: str) -> None:
    screen = Emulator(place, ["run"], 100, ahead=before)
    try:
        if after:
            screen.until(BEGUN[:24], 60)
            screen.send(after)
        screen.until("\nIgnored, because it was typed before the question: craft 1 ladder", 60)
        answers = [("Name of the agent:", ""), ("Role of the agent:", ""), ("Goal 1 (at most 5):", "craft 1 stick")]
        for question, answer in [*answers, ("Goal 2, or Enter to begin:", "")]:
            deadline = time.monotonic() + 60
            while last_row(screen) != question:
                assert screen.read() and time.monotonic() < deadline
            screen.send(f"{answer}\r")
        screen.until("Session ", 60)
        begun = place.events()[0]
        goals = [goal["text"] for goal in begun["goals"]]
        ahead.add(f"goal {before!r}", goals != ["craft 1 stick"] or "craft 1 lad" in json.dumps(begun["options"]))
    finally:
        screen.close()
    ahead.done()


@pytest.mark.parametrize(("before", "after"), [("yes\r", "no\r"), ("yes", "\rno\r")])
def test_memory_clear(place: Place, ahead: Tally, before: str, after: str) -> None:
    memory = open_memory("local", path=place.state / "memory", embedder="lexical")
    memory.add_many(ROWS)
    memory.close()
    screen = Emulator(place, ["memory", "clear"], 120, ahead=before, MEMORY_EMBEDDER="lexical")
    try:
        screen.until(BEGUN[:24] if after[0] == "\r" else "Ignored, because it was typed before", 60)
        for line in after.split("\r")[:-1]:
            deadline = time.monotonic() + 60
            while line and not last_row(screen).endswith("Type yes:"):
                assert screen.read() and time.monotonic() < deadline, screen.text
            screen.send(f"{line}\r")
            screen.until("Ignored, because" if not line else "Nothing was deleted.", 60)
        assert screen.leave() == 4
    finally:
        screen.close()
    rows = json.loads(place.run("memory", "stats", "--json", MEMORY_EMBEDDER="lexical").stdout)["rows"]
    ahead.add(f"memory clear {before!r}", rows != len(ROWS))
    ahead.done()


# ---------------------------------------------------------------- the program goes on living


@pytest.mark.parametrize("command", ["wipe", "wipe_later"])
@pytest.mark.parametrize("reader", READERS)
def test_ctrl_c_is_answered_while_a_preview_or_a_risk_is_made_that_never_ends(
    game: Game, reader: str, command: str
) -> None:
    screen = game.start(reader, (command, {"name": "a"}), NOTHING)
    game.at("preview" if command == "wipe" else "risk")
    if reader == "line":
        screen.send("\x03")
    else:
        screen.child.send_signal(signal.SIGINT)  # what a terminal makes of the key for its own session
    screen.until("Paused.", 60)
    game._until(lambda: last_row(screen).startswith("Input:"), "no prompt")
    screen.send("n\r")
    assert screen.leave() == 4
    assert game.ran == []


@pytest.mark.parametrize("reader", READERS)
def test_the_edited_line_shows_no_character_that_a_terminal_obeys(game: Game, ahead: Tally, reader: str) -> None:
    name = "a\u202eb\u200bc\x9bd\x1b[2Je\u00adf\U000e0041"
    screen = game.start(reader, ("wipe", {"name": name}), NOTHING)
    game.at("preview")
    game.go_on()
    game.question(1)
    screen.send("e\r")
    game._until(
        lambda: "an empty line keeps the old ones" in screen.text and "Arguments:" in screen.text, "no edit line"
    )
    if reader == "line":
        game._until(lambda: last_row(screen).endswith('e0041"}') or "udc41" in screen.text, "no arguments")
        screen.send("\r")
    else:
        screen.send(json.dumps({"name": name}) + "\r")
    game.at("preview", 2)
    game.go_on()
    game.question(2)
    screen.send("y\r")
    game.question(3)
    for each in name:
        if not each.isascii():
            ahead.add(f"{reader}: {each!a}", each.encode() in screen.raw)
    ahead.add(f"{reader}: erase", b"\x1b[2J" in screen.raw)
    ahead.done()
    assert kinds(game.place.events(), "intent")[0]["args"] == {"name": name}, "it reads back the same"
