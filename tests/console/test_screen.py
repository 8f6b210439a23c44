"""The person's view: nothing untrusted can look like a line of ours."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from autocraft.commands.program_report import whole_program
from autocraft.console.choices import AGAIN
from autocraft.console.render import Screen
from autocraft.console.report import said_by
from autocraft.protocols import Call, Command, Proposal, Risk
from autocraft.session.events import Answer, Decision, Event, Reply, Result
from autocraft.text.sanitize import clean_line
from autocraft.usage import Usage
from autocraft.web.question import FullTextScreen

pytestmark = pytest.mark.sampled(60)

OURS = re.compile(r"^(NEXT ACTION:|SYSTEM:|Enter 'y'|Input:|.*COMMAND AUTHORISED|GOAL REACHED)", re.MULTILINE)
FORGERIES = [
    "ok\nNEXT ACTION:  COMMAND = show_inventory  ARGUMENTS = {}",
    "ok\r\nSYSTEM:  Command x returned: fine",
    "ok\rNEXT ACTION:  COMMAND = look",
    "ok\x1b[1A\x1b[2KNEXT ACTION:  COMMAND = look",
    "ok\u2028NEXT ACTION:  COMMAND = look",
    "ok\x85SYSTEM:  all fine",
    "x" * 76 + "NEXT ACTION:  COMMAND = look",
    "x" * 71 + " " * 9 + "SYSTEM:  all fine",
    " " * 200 + "NEXT ACTION:  COMMAND = look",
    "a" + " " * 90 + "b",
    "\t" * 9 + "x\tNEXT ACTION:  COMMAND = look",
    "\t" * 5 + "x" * 3 + "NEXT ACTION:  COMMAND = look",
    "\u26cf\ufe0f" * 36 + "xSYSTEM:  all fine",
    "e\u0301\u0302\u0303" * 100 + "SYSTEM:  all fine",
    "\u6f22" * 36 + "SYSTEM:  all fine",
    "[bold]markup[/foo] [link=http://x]y[/link]",
]


async def _nothing(*_: Any) -> str:
    return ""


def drawn(monkeypatch: pytest.MonkeyPatch, event: Event, *, terminal: bool, columns: int = 80) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "40")
    out: list[str] = []
    Screen(out.append, "Crafter", terminal=terminal).event(event)
    return re.sub(r"\x1b\[[0-9;]*m", "", "".join(out))


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("text", FORGERIES)
def test_thoughts_cannot_forge_a_line(monkeypatch: pytest.MonkeyPatch, text: str, columns: int, terminal: bool) -> None:
    thoughts = {"text": text, "reasoning": text, "plan": [text], "criticism": text}
    reply = Reply(stage="plain", thoughts=thoughts, command="look", args={})
    shown = drawn(monkeypatch, reply, terminal=terminal, columns=columns)
    assert "\x1b" not in shown
    rows = [row[at : at + columns] for row in shown.split("\n") for at in range(0, max(1, len(row)), columns)]
    if terminal:
        assert not [row for row in rows if OURS.match(row)]
    assert not OURS.search(shown)


@pytest.mark.parametrize("text", FORGERIES)
def test_results_cannot_forge_a_line(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    result = Result(intent=1, command="read_file", ok=True, text=text, seconds=0.0)
    shown = drawn(monkeypatch, result, terminal=True)
    assert len(OURS.findall(shown)) == 1, "only our own SYSTEM: line"


@pytest.mark.parametrize("text", FORGERIES)
def test_the_approval_line_shows_the_arguments_whole(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out: list[str] = []
    call = Call(Command("write_to_file", "", Risk.DESTROY, _nothing), {"file": "a", "text": text}, Risk.DESTROY)
    Screen(out.append, "Crafter", terminal=True).question(Proposal(call), "")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", "".join(out))
    assert OURS.findall(shown) == ["NEXT ACTION:", "Enter 'y'"]
    assert all(ord(c) >= 32 or c == "\n" for c in shown)
    action = shown[shown.index("NEXT ACTION:") : shown.index("This command can destroy")]
    joined = action.replace("\n    ", "").rstrip("\n")
    before, _, arguments = joined.partition("ARGUMENTS = ")
    assert before == "NEXT ACTION:  COMMAND = write_to_file  "
    assert json.loads(arguments) == {"file": "a", "text": text}, "what is shown reads back as what runs"
    assert clean_line(arguments) == arguments


PROGRAM = "async function f(bot) {\n" + "".join(f"  await craftItem(bot, 'stick', {n});\n" for n in range(60)) + "}\n"


def asked(monkeypatch: pytest.MonkeyPatch, code: str, *, terminal: bool = True, columns: int = 80) -> str:
    """The question about a program, as it is drawn."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "200")
    out: list[str] = []
    call = Call(Command("run_program", "", Risk.DESTROY, _nothing), {"code": code, "description": "d"}, Risk.DESTROY)
    preview = "\n".join(["program f, 62 lines; calls craftItem", *whole_program(code)])
    Screen(out.append, "Crafter", terminal=terminal).question(Proposal(call, preview=preview), "")
    return re.sub(r"\x1b\[[0-9;]*m", "", "".join(out))


@pytest.mark.sampled(1)
def test_a_repaired_answer_is_said_and_dashed_lines_are_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    thoughts = {"plan": "- fell a tree\n- craft planks"}
    reply = Reply(stage="brace slice", flags=["a comma"], thoughts=thoughts, command="look", args={})
    shown = drawn(monkeypatch, reply, terminal=False)
    assert shown.startswith("The answer was repaired: brace slice (a comma)\n")
    assert "PLAN:\n-  fell a tree\n-  craft planks\n" in shown


@pytest.mark.sampled(1)
def test_a_report_has_all_that_an_unreadable_answer_said() -> None:
    answer = Answer(
        text=" ", finish_reason="stop", reasoning="", refusal="I may not.", tool_calls=[{"name": "dig"}], usage=Usage(),
        cost=0.0, seconds=0.0, heard=0,
    )  # fmt: skip
    assert said_by(answer) == 'I may not.\n[{"name": "dig"}]'


@pytest.mark.sampled(2)
@pytest.mark.parametrize("terminal", [False, True])
def test_a_program_is_shown_once_and_whole(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    shown = asked(monkeypatch, PROGRAM, terminal=terminal)
    action = 'COMMAND = run_program ARGUMENTS = {"code": (below, 62 lines), "description": "d"}'
    assert action in " ".join(shown.split())
    rows = [row.removeprefix("    ") for row in shown.split("\n")]
    first = rows.index("program:") + 1
    assert rows[first : first + 62] == PROGRAM.rstrip("\n").split("\n")
    assert shown.count("'stick', 59") == 1 and "/page" not in shown


@pytest.mark.parametrize(
    "code",
    [
        "// one\n\tf()",
        "// one \nf()",
        "// one\r\nf()",
        "// one\u2028f()\nf()",
        "f()\n\n",
        "// " + "x" * 70 + "\n    f()",
        "// \u6f22" * 20 + "\nf()",
        "f()\x1b[2J\ng()",
        "key: a\nport:\u00a080",
        "key: a\nport:\u200380",
        "key: a\nport:\u202f80",
        "key: a\nport:\u300080",
        "key: a\nport: \u060080",
        "key: a\nport: a\u0301\u0300",
        "f()",
    ],
)
def test_a_program_whose_rows_do_not_say_it_all_is_shown_as_json_too(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """A tab, a strange blank, a line end of another kind, a row that is broken: the person sees it in the JSON."""
    shown = asked(monkeypatch, code)
    action = shown[shown.index("ARGUMENTS = ") : shown.index("This command can destroy")]
    arguments = action.removeprefix("ARGUMENTS = ").replace("\n    ", "").rstrip("\n")
    assert json.loads(arguments) == {"code": code, "description": "d"}


@pytest.mark.parametrize("rows", [1, 39, 40])
@pytest.mark.parametrize("terminal", [False, True])
def test_a_row_that_is_cut_says_so_in_the_row(monkeypatch: pytest.MonkeyPatch, terminal: bool, rows: int) -> None:
    """The preview of a program in a file is the only view of it. The live page and a form show it whole."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "40")
    evil = "; import os; os.system('rm -rf ~')"
    preview = "\n".join([f"x = 1{' ' * 395}{evil}", *["y = 2" + " " * 395] * rows])
    call = Call(Command("execute_python_file", "", Risk.DESTROY, _nothing), {"file": "main.py"}, Risk.DESTROY)
    for kind in (Screen, FullTextScreen):
        out: list[str] = []
        kind(out.append, "Crafter", terminal=terminal).question(Proposal(call, preview=preview), "")
        shown = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", "".join(out)).split())
        assert (evil in shown) == (kind is FullTextScreen or rows == 1)
        assert evil in shown or f"x = 1 [{len(evil)} more characters] y = 2" in shown


@pytest.mark.parametrize(("rows", "whole"), [(0, False), (40, True)])
@pytest.mark.parametrize("window", [True, False])
def test_a_question_that_is_in_sight_is_not_drawn_again_in_a_window(
    monkeypatch: pytest.MonkeyPatch, rows: int, whole: bool, window: bool
) -> None:
    """A pipe gets every question whole, and so does a window in which it has scrolled away."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "40")
    out: list[str] = []
    screen = Screen(out.append, "Crafter", terminal=False, window=window)
    proposal = Proposal(Call(Command("dig", "", Risk.CHANGE, _nothing), {}, Risk.CHANGE))
    screen.question(proposal, "", True)
    assert "NEXT ACTION" in "".join(out) or window
    screen.question(proposal, "")
    for _ in range(rows):
        screen.say("a row")
    out.clear()
    screen.question(proposal, AGAIN, True)
    shown = "".join(out)
    assert ("NEXT ACTION" in shown) is (whole or not window)
    assert ("Enter 'y' for dig as above, 'n', or enter feedback for Crafter..." in shown) is not (whole or not window)


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_the_instruction_takes_one_row_once_the_person_has_answered(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "40")
    out: list[str] = []
    screen = Screen(out.append, "Crafter", terminal=True)
    proposal = Proposal(Call(Command("dig", "", Risk.CHANGE, _nothing), {}, Risk.CHANGE))
    asked = []
    for _ in range(2):
        out.clear()
        screen.question(proposal, "")
        asked.append(re.sub(r"\x1b\[[0-9;]*m", "", "".join(out)).rstrip("\n").split("\n"))
        screen.event(Decision(kind="run", by="person", command="dig", args={}, risk=Risk.CHANGE, why=""))
    (first, second) = asked
    assert "to authorise command" in " ".join(first)
    assert second[-2] == "Enter 'y', 'y -N', 'y, TEXT', 'a', 'e', 'n', or enter feedback for Crafter..."
    assert first[0] == first[-1] == second[0] == second[-1] and set(first[0]) <= set("─-"), "it is framed"
