"""The terminal as a person sees it: streams, status, editing, sizes, colours, attention."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from threading import Event

import pytest

from autocraft.console.render import QUESTION
from tests.brains.stand_in import Reply, StandIn, endless, event, fault, piece
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.console import writer
from tests.console.emulator import Emulator, last_row
from tests.waiting import PATIENCE, until
from tests.worlds.minecraft.playing import node_environment

pytestmark = pytest.mark.sampled(8)

ASK = "feedback for Crafter..."
WORDS = "I look at what I have and then I make planks from one of the logs"
SPEECH = "I will have the planks in a moment"
ANSWER = json.dumps(
    {
        "thoughts": {
            "text": WORDS,
            "reasoning": "planks come first",
            "plan": ["planks"],
            "criticism": "",
            "speak": SPEECH,
        },
        "command": {"name": "craft_item", "args": {"name": "oak_planks"}},
    }
)
HALVES = ANSWER[: ANSWER.index('"command"')], ANSWER[ANSWER.index('"command"') :]
STREAM = "text/event-stream"


@pytest.fixture
def go() -> Iterator[Event]:
    """Lets the model go on; at the end it may in any case."""
    made = Event()
    yield made
    made.set()


@pytest.fixture
def run(place: Place) -> Iterator[Callable[..., Emulator]]:
    started: list[Emulator] = []

    def start(*arguments: str, columns: int = 80, rows: int = 40, **env: str) -> Emulator:
        started.append(Emulator(place, ["run", *arguments], columns, rows, **env))
        return started[-1]

    yield start
    for each in started:
        each.close()


def held(go: Event, text: str, rest: str = "") -> Reply:
    """A stream of small pieces that stops after `text`, and goes on with `rest` once it may."""

    def pieces(text: str) -> Iterable[bytes]:
        return (piece(content=text[at : at + 6]) for at in range(0, len(text), 6))

    def chunks() -> Iterable[bytes]:
        yield piece(role="assistant", content="")
        yield from pieces(text)
        go.wait()
        yield from pieces(rest)
        yield piece("stop")
        yield event(b"[DONE]")

    return Reply(chunks=chunks(), kind=STREAM)


def model(stand_in: StandIn) -> dict[str, str]:
    return {"OPENAI_BASE_URL": stand_in.url, "SMART_LLM_MODEL": "m", "FAST_LLM_MODEL": "m"}


# ---------------------------------------------------------------- streams


def test_thoughts_are_read_while_they_arrive_and_raw_json_is_hidden(
    run: Callable[..., Emulator], stand_in: StandIn, go: Event, place: Place
) -> None:
    stand_in.replies.append(held(go, *HALVES))
    screen = run(*STONE_PICKAXE, **model(stand_in))
    screen.until("planks come first")
    until(lambda: screen.read() and "thinking" in last_row_but_one(screen.text), "the status line under it")
    shown = screen.text
    assert WORDS in shown.replace("\n  ", "")
    assert '"thoughts"' not in shown
    assert not kinds(place.events(), "answer"), "it was shown before the answer was whole"
    assert SPEECH in shown.replace("\n  ", "")


def test_what_the_model_says_to_the_person_is_shown(run: Callable[..., Emulator], stand_in: StandIn, go: Event) -> None:
    stand_in.replies.append(held(go, ANSWER))
    go.set()
    assert f"\nSPEAK:  {SPEECH}\n" in run(*STONE_PICKAXE, **model(stand_in)).until(ASK)


def last_row_but_one(shown: str) -> str:
    return [row for row in shown.split("\n") if row.strip()][-2]


def test_debug_shows_raw_json_and_keeps_every_exchange(
    run: Callable[..., Emulator], stand_in: StandIn, go: Event, place: Place
) -> None:
    stand_in.replies.append(held(go, ANSWER))
    screen = run(*STONE_PICKAXE, "--debug", OPENAI_API_KEY="sk-secret-1234567", **model(stand_in))
    screen.until('"thoughts"')
    go.set()
    screen.until(ASK)
    kept = list((place.state / "sessions" / place.session() / "debug").iterdir())
    assert len(kept) == 1
    exchange = kept[0].read_text()
    assert "craft 1 stone_pickaxe" in exchange
    assert "sk-secret" not in exchange
    assert kept[0].stat().st_mode & 0o077 == 0


def test_ctrl_c_cancels_a_stream_at_once_and_the_server_sees_it(
    run: Callable[..., Emulator], stand_in: StandIn
) -> None:
    stand_in.replies.append(Reply(chunks=chain([piece(content=HALVES[0])], endless("more ")), kind=STREAM))
    screen = run(*STONE_PICKAXE, **model(stand_in))
    screen.until("I look at")
    screen.send("\x03")
    screen.until("Paused.")
    assert stand_in.left.wait(PATIENCE)


@pytest.mark.full
def test_a_rate_limit_is_counted_down_in_sight(run: Callable[..., Emulator], stand_in: StandIn) -> None:
    stand_in.replies.append(fault(429, "slow down", headers={"retry-after": "3"}))
    screen = run(*STONE_PICKAXE, **model(stand_in))
    for second in ("3 s", "2 s", "1 s"):
        screen.until(f"trying again in {second}")
    screen.until(ASK)


def test_feedback_typed_into_a_stream_is_kept(run: Callable[..., Emulator], stand_in: StandIn, go: Event) -> None:
    stand_in.replies.append(held(go, *HALVES))
    screen = run(*STONE_PICKAXE, **model(stand_in))
    screen.until("I look")
    screen.send("use birch\r")
    screen.until("Noted: your feedback")
    go.set()
    screen.until("your feedback came first")
    screen.until(ASK)
    sent = stand_in.requests[-1]["messages"]
    assert any("Human feedback: use birch" in message["content"] for message in sent)


def test_tokens_and_money_of_each_step_are_shown(run: Callable[..., Emulator], stand_in: StandIn) -> None:
    screen = run(*STONE_PICKAXE, "--price-in", "1000", "--price-out", "1000", columns=120, **model(stand_in))
    screen.until("step 1: 11 tokens sent, 7 received, $0.0180")
    screen.question(1)
    assert "18 tokens · $0.0180" in last_row_but_one(screen.until("waiting for you"))


# ---------------------------------------------------------------- the status line


def test_one_status_line_stays_above_the_input(run: Callable[..., Emulator]) -> None:
    screen = run(*STONE_PICKAXE, "--max-steps", "9", columns=120, rows=12)
    for nth in range(1, 4):
        screen.question(nth)
        shown = screen.until("waiting for you")
        status = [row for row in shown.split("\n") if " · step " in row]
        assert len(status) == 1
        assert re.match(r"waiting for you( \d+ s)? · step ", status[0])
        assert re.search(r"/9 · \d+ s in all · ", status[0])
        assert status[0].rstrip().endswith("planner · craft 1 stone_pickaxe")
        assert last_row(screen).startswith("Input:")
        screen.send("y\r")
    assert screen.leave() == 0
    assert " · step " not in screen.text, "nothing of it is left behind"


def test_a_command_of_the_persons_own_is_named_while_it_runs(run: Callable[..., Emulator], place: Place) -> None:
    screen = run(*STONE_PICKAXE)
    screen.question(1)
    screen.send("/do wait seconds=600\r")
    until(lambda: screen.read() and re.search(r"running wait( \d+ s)? · step ", screen.text), "the status line")
    assert "waiting for you" not in screen.text


@pytest.mark.full
def test_what_takes_over_two_seconds_shows_its_seconds(run: Callable[..., Emulator], place: Place) -> None:
    script = place.script(("wait", {"seconds": 600}))
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script)
    screen.until(ASK)
    screen.until("Input:")
    screen.send("y\r")
    until(lambda: screen.read() and re.search(r"running wait ([2-9]|\d\d+) s", screen.text))


# ---------------------------------------------------------------- typing


def test_history_comes_back_with_the_up_key_in_a_later_run(run: Callable[..., Emulator]) -> None:
    first = run(*STONE_PICKAXE)
    first.until(ASK)
    first.until("Input:")
    first.send("use the birch logs\r")
    first.question(2)
    first.send("n\r")
    assert first.leave() == 4
    second = run(*STONE_PICKAXE)
    second.until(ASK)
    second.until("Input:")
    second.send("\x1b[A\x1b[A")
    second.until("Input: use the birch logs")


def test_several_lines_can_be_typed_with_alt_enter(run: Callable[..., Emulator], place: Place) -> None:
    screen = run(*STONE_PICKAXE)
    screen.until("Input:")
    screen.send("first\x1b\rsecond\r")
    screen.until("cannot read your words")
    assert kinds(place.events(), "feedback")[0]["text"] == "first\nsecond"


def test_a_long_paste_stands_in_one_row_and_arrives_whole(run: Callable[..., Emulator], place: Place) -> None:
    pasted = "\n".join(f"row {n} of what I want" for n in range(200))
    screen = run(*STONE_PICKAXE)
    screen.question(1)
    screen.send(f"see: \x1b[200~{pasted}\x1b[201~ and that is all")
    until(lambda: screen.read() and last_row(screen) == "Input: see: [200 lines pasted] and that is all", "the paste")
    assert "NEXT ACTION" in screen.text, "the question is still in sight"
    screen.send("\x15")
    until(lambda: screen.read() and last_row(screen) == "Input:", "an empty line")
    screen.send("\x19\r")
    screen.question(2)
    assert kinds(place.events(), "feedback")[0]["text"] == f"see: {pasted} and that is all"
    assert "[197 more lines]" in screen.text and "row 150" not in screen.whole
    screen.send("\x1b[200~one\rtwo\x1b[201~\r")
    screen.question(3)
    assert kinds(place.events(), "feedback")[-1]["text"] == "one\ntwo"


def test_ctrl_g_opens_the_editor_with_the_whole_of_a_paste(run: Callable[..., Emulator], place: Place) -> None:
    (place.folder / "editor").write_text("#!/bin/sh\ngrep -c row $1 >lines\necho edited >$1\n")
    (place.folder / "editor").chmod(0o755)
    screen = run(*STONE_PICKAXE, EDITOR=str(place.folder / "editor"))
    screen.question(1)
    screen.send("\x1b[200~" + "row\n" * 20 + "\x1b[201~")
    screen.until("[21 lines pasted]")
    screen.send("\x07")
    screen.question(2)
    assert (place.folder / "lines").read_text() == "20\n"
    assert kinds(place.events(), "feedback")[0]["text"] == "edited"


@pytest.mark.parametrize(
    ("keys", "becomes"),
    [
        ("/inv\t", "Input: /inventory"),
        ("/do craft_\t", "Input: /do craft_item"),
        ("/do craft_item n\t", "Input: /do craft_item name="),
        ("/do craft_item name=stone_pick\t", "Input: /do craft_item name=stone_pickaxe"),
        ("/mode l\t", "Input: /mode looks"),
    ],
)
def test_tab_completes(run: Callable[..., Emulator], keys: str, becomes: str) -> None:
    screen = run(*STONE_PICKAXE)
    screen.until("Input:")
    screen.send(keys)
    screen.until(becomes)


def test_long_results_are_folded_and_page_shows_all(run: Callable[..., Emulator], place: Place) -> None:
    (place.folder / "workspace").mkdir()
    (place.folder / "workspace" / "long.txt").write_text("".join(f"row {n}\n" for n in range(100)))
    script = place.script(("read_file", {"file": "long.txt"}), ("show_inventory", {}))
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, rows=60, PAGER="tail -n 3")
    screen.until(ASK)
    screen.until("Input:")
    screen.send("y\r")
    screen.until("/page shows everything")
    screen.question(2)
    assert "show_inventory" in screen.text and "row 90" not in screen.text
    screen.send("/page\r")
    screen.until("row 99")


def test_ctrl_c_in_the_pager_counts_when_the_pager_has_ended(run: Callable[..., Emulator], place: Place) -> None:
    script = place.script({"text": "I would rather talk.\n" * 30}, ("show_inventory", {}))
    pager = "trap '' INT; tail -n 1; sed q </dev/tty; echo The pager ends"
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, PAGER=pager)
    screen.question(1)
    screen.send("/page\r")
    until(lambda: screen.read() and last_row(screen) == "I would rather talk.", "the pager")
    screen.send("\x03")
    screen.until("^C")
    screen.send("\r")
    screen.until("Paused.")
    assert screen.raw.index(b"The pager ends") < screen.raw.index(b"Paused.")
    assert screen.raw.count(b"Enter 'y'") == 1, "the question is not drawn again first"
    until(lambda: screen.read() and last_row(screen) == "Input:", "the prompt of the pause")
    screen.send("y\r")
    screen.question(2)


def editor(place: Place, line: str) -> str:
    """Make an editor that waits for Enter, ignores Ctrl-C as vi does, and leaves this line."""
    path = place.folder / "editor"
    path.write_text(f"#!/bin/sh\ntrap '' INT\necho The editor is open\nsed q </dev/tty\necho '{line}' >$1\n")
    path.chmod(0o755)
    return str(path)


def test_ctrl_c_in_the_editor_is_a_key_of_the_editor(run: Callable[..., Emulator], place: Place) -> None:
    script = place.script(("write_to_file", {"file": "a.txt", "text": "x" * 300}))
    edited = editor(place, '{"file": "a.txt", "text": "edited"}')
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, EDITOR=edited)
    screen.question(1)
    screen.send("e\r")
    screen.until("The editor is open")
    screen.send("\x03")
    screen.until("^C")
    screen.send("\r")
    screen.until("The command with your arguments:")
    assert "Paused." not in screen.whole
    assert not kinds(place.events(), "feedback")


def test_a_line_of_an_editor_that_was_opened_before_the_question_is_no_answer(
    run: Callable[..., Emulator], place: Place
) -> None:
    slow = {"text": '{"command": {"name": "craft_item", "args": {"name": "oak_planks"}}}', "wait_for": "go"}
    script = place.script(slow, ("show_inventory", {}))
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, EDITOR=editor(place, "y"))
    screen.until("waiting for the file go")
    screen.send("caf\udce9\x18\x05")  # also with half a character in the line
    screen.until("The editor is open")
    (place.folder / "go").touch()
    until(lambda: screen.read() and b"Enter 'y'" in screen.raw, "the question under the editor")
    screen.send("\r")
    screen.until("Ignored: y was typed before you saw a question")
    assert not kinds(place.events(), "decision", "intent")


def test_ctrl_z_without_a_shell_only_asks_again(run: Callable[..., Emulator], place: Place) -> None:
    screen = run(*STONE_PICKAXE)
    screen.question(1)
    screen.send("\x1a")
    screen.question(2)
    screen.send("y\r")
    until(lambda: screen.read() and kinds(place.events(), "intent"), "the command")


def test_a_line_of_an_editor_that_fails_is_not_sent(run: Callable[..., Emulator], place: Place) -> None:
    screen = run(*STONE_PICKAXE, EDITOR="false")
    screen.question(1)
    screen.send("y\x18\x05")
    screen.until("The editor failed, so the line stays as it was.")
    until(lambda: screen.read() and last_row(screen) == "Input: y", "the line")
    assert not kinds(place.events(), "decision")


def test_a_line_of_an_editor_that_is_not_utf_8_is_read(run: Callable[..., Emulator], place: Place) -> None:
    (place.folder / "editor").write_text("#!/bin/sh\nprintf 'caf\\351 first\\n' >$1\n")
    (place.folder / "editor").chmod(0o755)
    screen = run(*STONE_PICKAXE, EDITOR=str(place.folder / "editor"))
    screen.question(1)
    screen.send("\x18\x05")
    screen.until("cannot read your words")
    assert kinds(place.events(), "feedback")[0]["text"] == "caf\ufffd first"
    assert "Traceback" not in screen.whole


def test_a_search_in_the_history_gives_a_line_and_ends_at_ctrl_c(run: Callable[..., Emulator], place: Place) -> None:
    screen = run(*STONE_PICKAXE)
    screen.question(1)
    screen.send("use birch\r")
    screen.question(2)
    screen.send("\x12bir")
    until(lambda: screen.read() and "`bir': use birch" in last_row(screen), "the search")
    screen.send("\r")
    until(lambda: screen.read() and last_row(screen) == "Input: use birch", "the line")
    screen.send("\x05 wood\r")
    screen.question(3)
    assert kinds(place.events(), "feedback")[-1]["text"] == "use birch wood"
    screen.send("\x12bir\x03")
    until(lambda: screen.read() and "Paused." in screen.text and last_row(screen) == "Input:", "the pause")
    screen.send("y\r")
    screen.question(4)


def test_an_extremely_narrow_window_ends_no_input(run: Callable[..., Emulator]) -> None:
    screen = run(*STONE_PICKAXE)
    screen.question(1)
    for columns in (3, 2, 1):
        before = len(screen.raw)
        screen.resize(columns, 30)
        until(partial(_redrawn_since, screen, before), f"{columns} columns")
    redrawn(screen, 80)
    screen.send("y -4\r")
    assert screen.leave() == 0
    assert b"Traceback" not in screen.raw


def _redrawn_since(screen: Emulator, before: int) -> bool:
    return screen.read() and len(screen.raw) > before


def test_another_language_is_at_home(run: Callable[..., Emulator], place: Place) -> None:
    script = place.script(
        {"text": '{"thoughts": {"text": "丸太から板を作ります 🪓"}, "command": {"name": "do_nothing"}}'}
    )
    goal = "把木头变成漂亮的房子"
    screen = run("--goal", goal, "--brain", "scripted", "--script", script)
    screen.until("丸太から板を作ります" if "丸太から板を作ります" in screen.text else "丸")
    screen.until("Input:")
    screen.send("préférez le bouleau, 白樺で\r")
    while not kinds(place.events(), "decision"):
        assert screen.read()
    assert place.events()[0]["goals"][0]["text"] == goal
    assert kinds(place.events(), "decision")[0]["feedback"] == "préférez le bouleau, 白樺で"


# ---------------------------------------------------------------- sizes and kinds of terminals


@pytest.mark.parametrize("columns", [40, 57, 80, 100, 120, 250])
def test_every_width_shows_the_whole_question(run: Callable[..., Emulator], columns: int) -> None:
    screen = run(*STONE_PICKAXE, columns=columns)
    screen.until("Input:")
    assert 'COMMAND = craft_item ARGUMENTS = {"name": "oak_planks", "count": 4}' in screen.whole
    assert all(len(row.rstrip()) <= columns for row in screen.screen.display)
    asked = QUESTION.format(leave="exit program", name="Crafter")
    assert " ".join(asked.split()) in " ".join(screen.text.split()), "no word is broken"
    screen.send("y -4\r")
    assert screen.leave() == 0
    assert "GOAL REACHED" in screen.whole


def test_ctrl_l_clears_the_screen_and_draws_the_question_again(run: Callable[..., Emulator]) -> None:
    screen = run(*STONE_PICKAXE)
    screen.question(1)
    screen.send("bir\x0c")
    screen.question(2)
    shown = screen.until("Input: bir")
    assert "Goal: " not in shown
    assert shown.count(ASK) == 1 and "COMMAND = craft_item" in shown
    screen.send("\x7f\x7f\x7fn\r")
    assert screen.leave() == 4


def redrawn(screen: Emulator, columns: int) -> None:
    """Change the width, and wait until the status line fills it, above an input line."""
    screen.resize(columns, 30)

    def fits() -> bool:
        status = [sum(char.reverse for char in row.values()) for row in screen.screen.buffer.values()]
        return screen.read() and columns - 1 in status and last_row(screen).startswith("Input:")

    until(fits, f"the status line in {columns} columns")


STRAY = """
import itertools, os, subprocess, sys, warnings
from autocraft.protocols import Call, Risk, command

NUMBERS = itertools.count()

@command(help="Write past the console", risk=Risk.CHANGE)
async def scribble(call: Call) -> str:
    print("a print of a library")
    warnings.warn("an old function is used")
    sys.stderr.write("half of ")
    sys.stderr.write("a line\\n")
    subprocess.run(["sh", "-c", "echo a child says this >&2"])
    print(" 17 of 750", file=sys.stderr)
    os.write(2, b"a bar 10 %\\ra bar 99 %\\n\\x1b[2Jover\\n")
    return f"scribbled {next(NUMBERS)}"
"""


@pytest.mark.parametrize("columns", [80, 100])
def test_what_others_write_to_the_terminal_tears_no_row(
    run: Callable[..., Emulator], place: Place, columns: int
) -> None:
    (place.folder / "own").mkdir()
    (place.folder / "own" / "stray.py").write_text(STRAY)
    script = place.script(*[("scribble", {})] * 20, ("show_inventory", {}))
    own = {"AUTOCRAFT_COMMANDS": str(place.folder / "own"), "PAGER": "cat"}
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, columns=columns, **own)
    for nth in range(1, 4):
        screen.question(nth)
        screen.send("y\r")
        until(partial(_says, screen, "\\x1b[2Jover", nth), "the last line")
    screen.question(4)
    rows = [row.rstrip() for row in screen.text.split("\n") if row.strip()]
    for line in ("a print of a library", "half of a line", "a child says this", "a bar 99 %", "\\x1b[2Jover"):
        assert line in rows
    assert any(row.endswith("UserWarning: an old function is used") or "old function is used" in row for row in rows)
    assert "17 of 750" not in screen.text
    status = [y for y, row in screen.screen.buffer.items() if any(char.reverse for char in row.values())]
    assert len(status) == 1 and last_row(screen) == "Input:"
    screen.send("n\r")
    assert screen.leave() == 4


FETCH = f"""
import asyncio, sys
from autocraft.protocols import Call, Risk, command

@command(help="Fetch something with a child", risk=Risk.CHANGE)
async def fetch(call: Call, number: int) -> str:
    child = await asyncio.create_subprocess_exec(sys.executable, {writer.__file__!r}, str(number))
    at = 0
    while child.returncode is None:
        sys.stdout.write(f"<{{number}}.print ")
        sys.stderr.write(f"<{{number}}.warning {{at}}>\\n")
        print(f"{{at}}>")
        at += 1
        await asyncio.wait([asyncio.create_task(child.wait())], timeout=0.02)
    return f"fetched {{number}} with {{at}} prints"
"""
PIECE = re.compile(r"<\d|\d>|%%|木|板|löse|added 12|packages>?$|12 % of it")
"""What only a row of a child or of a print holds."""


@pytest.mark.full
def test_what_twenty_children_and_prints_write_at_once_tears_no_row(run: Callable[..., Emulator], place: Place) -> None:
    """Each row stands once, whole and alone, while the status line is drawn and the bar of a step goes by in it."""
    (place.folder / "own").mkdir()
    (place.folder / "own" / "fetch.py").write_text(FETCH)
    script = place.script(*[("fetch", {"number": number}) for number in range(20)], ("show_inventory", {}))
    own = {"AUTOCRAFT_COMMANDS": str(place.folder / "own"), "PAGER": "cat"}
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, **own)
    prints = []
    for number in range(20):
        screen.question(number + 1)
        screen.send("y\r")
        until(partial(_says, screen, f"fetched {number} with", 1), "the end of the fetch")
        prints.append(int(screen.whole.partition(f"fetched {number} with ")[2].split()[0]))
    screen.question(21)
    expected = [row for number in range(20) for row in writer.rows(number)]
    for number, often in enumerate(prints):
        expected += [f"<{number}.{kind} {at}>" for kind in ("print", "warning") for at in range(often)]
    shown = [row.rstrip() for row in screen.rows if PIECE.search(row)]
    assert sorted(shown) == sorted(expected)
    status = [y for y, row in screen.screen.buffer.items() if any(char.reverse for char in row.values())]
    assert len(status) == 1 and last_row(screen) == "Input:"
    screen.send("n\r")
    assert screen.leave() == 4


def _says(screen: Emulator, words: str, times: int) -> bool:
    return screen.read() and screen.whole.count(words) == times


def test_a_resize_in_the_middle_of_a_question_is_taken_in(run: Callable[..., Emulator]) -> None:
    screen = run(*STONE_PICKAXE, columns=120)
    screen.until("Input:")
    for columns in (60, 40, 200):
        redrawn(screen, columns)
    screen.send("y -4\r")
    assert screen.leave() == 0


def drawn(screen: Emulator, nth: int, end: str) -> bool:
    """Whether the question was drawn for the nth time, and the last words on the screen are these."""
    return screen.read() and screen.raw.count(b"Enter 'y'") == nth and letters(screen.text).endswith(letters(end))


def letters(text: str) -> str:
    """The text without its blanks and line ends, which depend on the width."""
    return "".join(text.split())


@pytest.mark.parametrize("reflows", [True, False])
def test_a_narrower_window_holds_no_torn_rows(place: Place, reflows: bool) -> None:
    screen = Emulator(place, ["run", *STONE_PICKAXE], 120, 30)
    screen.reflows = reflows
    try:
        screen.question(1)
        screen.send("half a line of feedback that is long enough to be broken")
        screen.until("to be broken")
        for nth, columns in enumerate((100, 61, 40), 2):
            screen.resize(columns, 30)
            until(partial(drawn, screen, nth, "to be broken"), f"question {nth}")
            status = [y for y, row in screen.screen.buffer.items() if any(char.reverse for char in row.values())]
            assert len(status) == 1, screen.text
            shown = letters(screen.text)
            assert letters('COMMAND = craft_item ARGUMENTS = {"name": "oak_planks", "count": 4}') in shown
            assert letters(QUESTION.format(leave="exit program", name="Crafter")) in shown
            assert shown.endswith(letters("Input: half a line of feedback that is long enough to be broken"))
            assert shown.count("Input:") == 1
    finally:
        screen.close()


@pytest.mark.parametrize(
    "env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}, {"TERM": "vt100"}]
)
def test_odd_terminals_work(run: Callable[..., Emulator], env: dict[str, str]) -> None:
    screen = run("--goal", "craft 1 stone_pickaxe", **env)
    screen.until("Input:")
    screen.send("y -4\r")
    assert screen.leave() == 0
    assert "GOAL REACHED" in screen.whole
    colours = {code for code in (b"\x1b[31m", b"\x1b[32m", b"\x1b[33m", b"\x1b[36m") if code in screen.raw}
    if "NO_COLOR" in env or env.get("TERM") == "dumb":
        assert not colours


def test_plain_redraws_nothing_and_sends_no_escape(run: Callable[..., Emulator], place: Place) -> None:
    slow = {"text": '{"command": {"name": "craft_item", "args": {"name": "oak_planks"}}}', "wait_for": "go"}
    script = place.script(slow, ("craft_item", {"name": "stick"}))
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, "--plain")
    screen.until("waiting for the file go")
    screen.send("y -9\n")
    screen.until("Noted: your feedback")
    (place.folder / "go").touch()
    screen.until("your feedback came first")
    screen.until("Input:")
    screen.send("y\nmore\n")
    screen.until("craft_item was not run: your feedback goes to the model")
    assert b"\x1b" not in screen.raw
    assert not kinds(place.events(), "intent")


def test_a_waiting_question_rings_and_names_the_window(run: Callable[..., Emulator]) -> None:
    screen = run(*STONE_PICKAXE)
    screen.until("Input:")
    assert screen.raw.count(b"\x07") >= 1
    assert b"autocraft: waiting for you" in screen.raw
    silent = run(*STONE_PICKAXE, "--no-bell", "--workspace", "other")
    silent.until("Input:")
    assert (
        silent.raw.replace(b"\x1b]2;autocraft: waiting for you\x07", b"").replace(b"\x1b]2;\x07", b"").count(b"\x07")
        == 0
    )


def test_quiet_shows_actions_and_results_only(run: Callable[..., Emulator]) -> None:
    screen = run(*STONE_PICKAXE, "--quiet")
    screen.until("Input:")
    screen.send("y -4\r")
    assert screen.leave() == 0
    assert "THOUGHTS" not in screen.whole
    assert "NEXT ACTION:" in screen.whole
    assert "SYSTEM: Command craft_item returned" in screen.whole


def test_code_is_coloured_and_overwrites_are_diffs_also_when_nothing_is_asked(
    run: Callable[..., Emulator], place: Place
) -> None:
    script = place.script(
        ("write_to_file", {"file": "a.py", "text": "def one() -> int:\n    return 1\n"}),
        ("write_to_file", {"file": "a.py", "text": "def one() -> int:\n    return 2\n"}),
    )
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, "--continuous", rows=60)
    screen.leave()
    assert "- return 1" in screen.whole
    assert "+ return 2" in screen.whole
    assert b"\x1b[31m" in screen.raw
    assert b"\x1b[32m" in screen.raw
    assert any(char.bold or char.fg != "default" for row in screen.screen.buffer.values() for char in row.values())


def test_help_has_examples(place: Place) -> None:
    done = place.run("run", "--help")
    assert 'autocraft run --goal "craft 1 stone_pickaxe"' in done.stdout
    assert "Exit codes: 0 goal reached" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_their_completion(place: Place, shell: str) -> None:
    """The installed command is what a shell completes, so it is what is asked here."""
    command = Path(sys.executable).with_name("autocraft")
    done = subprocess.run(
        [command], env=place.environment | {"_AUTOCRAFT_COMPLETE": f"source_{shell}"}, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "_AUTOCRAFT_COMPLETE" in done.stdout


def test_completion_offers_the_commands(place: Place) -> None:
    command = Path(sys.executable).with_name("autocraft")
    asked = {"_AUTOCRAFT_COMPLETE": "complete_bash", "COMP_WORDS": "autocraft ru", "COMP_CWORD": "1"}
    done = subprocess.run([command], env=place.environment | asked, capture_output=True, text=True)
    assert done.stdout.split() == ["run"]


# ---------------------------------------------------------------- the first hour


@pytest.mark.parametrize("columns", [40, 80, 100])
def test_an_error_breaks_between_words(place: Place, columns: int) -> None:
    screen = Emulator(place, ["eval", "--split", "none"], columns)
    try:
        assert screen.leave() == 2
        assert "choose train, val, test, val.small, test.small, val.small.easy, test.small.easy" in screen.whole
        assert all(len(row) < columns for row in screen.text.split("\n"))
    finally:
        screen.close()


@pytest.mark.full
def test_the_practice_server_breaks_its_line_between_words(place: Place) -> None:
    screen = Emulator(place, ["practice-server", "--port", "0"], 80, 24, **node_environment())
    try:
        shown = screen.until("ends it.")
        assert "not vanilla. Minecraft 1.16.5, Multiplayer, Direct Connection" in " ".join(shown.split())
        assert all(len(row) < 80 for row in shown.split("\n"))
        screen.send("\x03")
        assert screen.leave() == 0
    finally:
        screen.close()


@pytest.mark.parametrize("columns", [80, 100])
def test_bare_autocraft_asks_for_the_goal_with_examples(place: Place, columns: int) -> None:
    screen = Emulator(place, [], columns)
    try:
        assert "craft 1 stone_pickaxe" in screen.until("Goal:")
        screen.send("craft 1 stick\r")
        screen.until("Input:")
        assert place.events()[0]["goals"][0]["text"] == "craft 1 stick"
    finally:
        screen.close()


def test_bare_autocraft_in_a_pipe_shows_its_help(place: Place) -> None:
    done = place.run()
    assert done.returncode == 2
    assert "A terminal agent that plays Minecraft" in done.stdout + done.stderr


def test_a_run_takes_its_goal_and_its_options_in_short(place: Place, stand_in: StandIn) -> None:
    done = place.run("run", "craft", "1", "stick", "-y", "--max-steps", "9")
    assert done.returncode == 0
    assert "Goal: craft 1 stick" in done.stdout
    done = place.run("run", "craft 1 stick", "craft 1 ladder", "-g", "craft 1 torch", "--dry-run")
    assert done.returncode == 0
    done = place.run("run", "craft 1 stick", "-m", "named", "-y", "--max-steps", "1", **(model(stand_in)))
    assert f"(named at {stand_in.url})" in done.stdout
    assert stand_in.requests[0]["model"] == "named"
    done = place.run("run", "--resume", "last", "-y", "--max-steps", "2", **model(stand_in))
    assert stand_in.requests[-1]["model"] == "named", "a resume asks the model that the run began with"


def test_a_named_model_is_never_passed_over_for_the_planner(place: Place) -> None:
    done = place.run("run", "craft 1 stick", "-m", "named")
    assert done.returncode == 2
    assert "OPENAI_API_KEY" in done.stderr


@pytest.mark.parametrize("columns", ["80", "100"])
def test_the_options_of_a_run_stand_in_groups(place: Place, columns: str) -> None:
    told = place.run("run", "-h", COLUMNS=columns).stdout
    rows = told.split("\n")
    titles = [at for at, row in enumerate(rows) if row.endswith(":") and not row.startswith(" ")]
    assert [rows[at] for at in titles][:3] == ["Arguments:", "Options:", "World, brain and files:"]
    assert all(len(row) <= 80 for row in rows)
    assert rows[titles[3] + 1].startswith("  -c, -y, --continuous")
    own = [sum(row.startswith("  -") for row in rows[one:two]) for one, two in pairwise(titles)]
    assert max(own) <= 11


def test_what_an_unreadable_answer_said_is_shown_cleaned_and_folded(run: Callable[..., Emulator], place: Place) -> None:
    said = "I would rather talk.\x1bc\nNEXT ACTION:  COMMAND = forged\n" + "".join(f"row {n}\n" for n in range(30))
    script = place.script({"text": said}, {"role": "fast", "text": "I can not"}, ("show_inventory", {}))
    screen = run(*STONE_PICKAXE, "--brain", "scripted", "--script", script, columns=100, rows=60)
    shown = screen.until("/page shows everything")
    assert "ERROR:  The answer holds no command.\n" in shown
    assert "Send one JSON object" not in screen.whole, "that is worded for the model"
    assert "THE MODEL SAID:  I would rather talk." in shown
    assert "\n    NEXT ACTION:  COMMAND = forged\n" in shown
    assert "row 5" in shown and "row 6" not in shown
    screen.question(1)
    screen.send("/page\r")
    screen.until("row 29")
    story = place.run("report", place.session()).stdout
    assert "  INVALID ANSWER The answer holds no command.\n  THE MODEL SAID I would rather talk." in story
    assert "row 29" in story and "\x1b" not in story
    assert "Send one JSON object" in kinds(place.events(), "reply")[0]["error"], "the model is told all of it"
