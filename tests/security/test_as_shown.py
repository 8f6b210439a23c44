"""What was shown is what runs: a command runs only while all that its question showed is still the same.

The attacker is whoever may write in the workspace or in the skill library while a question stands, or while the run is
dead: a second program, another account, another session. Each attack changes what the command is about between two
steps of it. The controls change nothing, and the approved command runs without a further question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autocraft.skills.skill import Draft
from autocraft.skills.store import Library
from tests.commands.programs import with_programs
from tests.conftest import Place, kinds
from tests.sampling import covering
from tests.security.count import Tally

pytestmark = pytest.mark.sampled(5)

Kind = Callable[[str], Tally]
FAST = ("run a file", "write over a file", "run a skill")
"""The cases of `make test`; `make test-all` tries all of them."""
GAPS = ("question", "decision", "intent", "result")
SKILL = "async function makePlanks(bot) {{\n  await craftItem(bot, 'oak_planks', {count});\n}}\n"


@dataclass(frozen=True)
class Case:
    """A command that a person approves, what it is about, and how that is changed."""

    command: str
    args: dict[str, Any]
    before: Callable[[Place], None]
    change: Callable[[Place], None]
    undone: Callable[[Place], bool]
    """Whether the changed thing was left alone: true where the command did not run on it."""


def workspace(place: Place, name: str) -> Path:
    path = place.folder / "workspace" / name
    path.parent.mkdir(exist_ok=True)
    return path


def file_case(command: str, before: str | None, after: str, **args: Any) -> Case:
    """A command about one file `f`, or `f.py`."""
    name = args["file"]

    def prepare(place: Place) -> None:
        path = workspace(place, name)
        if before is not None:
            path.write_text(before)

    def left_alone(place: Place) -> bool:
        printed = [event["text"] for event in kinds(place.events(), "result")]
        return workspace(place, name).read_text() == after and not any("STOLEN" in text for text in printed)

    return Case(command, args, prepare, lambda place: put(workspace(place, name), after), left_alone)


def put(path: Path, text: str) -> None:
    path.write_text(text)


def save_skill(place: Place, count: int) -> None:
    Library(place.state / "skills").save("makePlanks", Draft(SKILL.format(count=count), description="makes planks"))


def crafted(place: Place, times: int) -> bool:
    """Whether a program crafted so often."""
    args = [each["args"] for each in kinds(place.events(), "intent") if each["agent"] == "program"]
    return any(each.get("count") == times * 4 for each in args)


CASES = {
    "run a file": file_case("execute_python_file", "print('kind')\n", "print('STO' 'LEN')\n", file="f.py"),
    "run a file that was missing": file_case("execute_python_file", None, "print('STO' 'LEN')\n", file="f.py"),
    "write over a file": file_case("write_to_file", "old\n", "saved meanwhile\n", file="f", text="new\n"),
    "write a new file": file_case("write_to_file", None, "saved meanwhile\n", file="f", text="new\n"),
    "edit a file": file_case("edit_file", "a b c\n", "saved b meanwhile\n", file="f", old="b", new="x"),
    "delete a file": file_case("delete_file", "old\n", "saved meanwhile\n", file="f"),
    "add to a new file": file_case("append_to_file", None, "saved meanwhile\n", file="f", text="new\n"),
    "run a skill": Case(
        "run_skill",
        {"name": "makePlanks"},
        lambda place: save_skill(place, 1),
        lambda place: save_skill(place, 2),
        lambda place: not crafted(place, 2),
    ),
    "save over a skill": Case(
        "save_skill",
        {"name": "makePlanks", "code": SKILL.format(count=3), "description": "makes planks"},
        lambda place: save_skill(place, 1),
        lambda place: save_skill(place, 2),
        lambda place: SKILL.format(count=2) == Library(place.state / "skills").code("makePlanks"),
    ),
    "delete a skill": Case(
        "delete_skill",
        {"name": "makePlanks"},
        lambda place: save_skill(place, 1),
        lambda place: save_skill(place, 2),
        lambda place: "makePlanks" in Library(place.state / "skills").names(),
    ),
}
"""By what the person approves."""
NAMES = [each if each in FAST else pytest.param(each, marks=pytest.mark.full) for each in CASES]


def environment(place: Place) -> dict[str, str]:
    return with_programs() | {"MEMORY_BACKEND": "none"}


def script(place: Place, case: Case) -> str:
    return place.script((case.command, case.args), ("do_nothing", {}))


# ---------------------------------------------------------------- changed while the question stands


@pytest.mark.parametrize("name", NAMES)
def test_what_changed_while_the_question_stood_is_asked_about_again(
    place: Place, terminal: Callable[..., Any], tally: Kind, name: str
) -> None:
    case, count = CASES[name], tally("shown otherwise")
    case.before(place)
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script(place, case), "--plain")
    child = terminal(*start, "--inventory", "oak_log=4", **environment(place))
    child.expect("Input: ", timeout=60)
    case.change(place)
    child.sendline("y")
    child.expect(f"what was shown with {case.command} has changed since", timeout=60)
    child.expect("Input: ", timeout=60)
    child.sendline("n")
    child.expect_exact("resume", timeout=60)
    child.wait()
    count.add(f"question: {name}", not case.undone(place))
    questions = kinds(place.events(), "question")
    assert len(questions) == 2
    assert [each["kind"] for each in kinds(place.events(), "decision")] == ["run", "stop"]
    assert not kinds(place.events(), "intent")
    count.done()


def test_the_second_question_shows_what_is_there_now_and_its_yes_runs(
    place: Place, terminal: Callable[..., Any]
) -> None:
    case = CASES["write over a file"]
    case.before(place)
    start = ("run", "--goal", "be nice", "--brain", "scripted", "--script", script(place, case), "--plain")
    child = terminal(*start, **environment(place))
    child.expect("Input: ", timeout=60)
    case.change(place)
    child.sendline("y -5")
    child.expect_exact("-saved meanwhile", timeout=60)
    child.expect("Input: ", timeout=60)
    child.sendline("y")
    child.expect("do_nothing", timeout=60)
    assert workspace(place, "f").read_text() == "new\n"


# ---------------------------------------------------------------- changed while the run is dead


def killed(place: Place, case: Case, gap: str) -> None:
    """Approve the command, and kill -9 the run right after this event."""
    runner = ["-m", "tests.crash.runner", f"after {gap}", "1", script(place, case), "attended"]
    done = place.python(*runner, stdin="y\n", **environment(place))
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize(("name", "gap"), covering(list(CASES), GAPS))
@pytest.mark.sampled(1)
def test_what_changed_while_the_run_was_dead_is_not_run_unseen(place: Place, tally: Kind, name: str, gap: str) -> None:
    case, count = CASES[name], tally("shown otherwise")
    case.before(place)
    killed(place, case, gap)
    if gap == "result" and case.command == "delete_skill":
        return  # it is gone: nothing is left to be changed
    case.change(place)
    asked = len(kinds(place.events(), "question"))
    done = place.run("run", "--resume", "last", stdin="n\n", **environment(place))
    assert done.returncode == 4, done.stdout + done.stderr
    count.add(f"kill after {gap}: {name}", not case.undone(place))
    events = place.events()
    if gap in ("question", "decision"):
        assert len(kinds(events, "question")) > asked, "it is asked about again"
        assert not kinds(events, "intent")
    else:
        results = [each for each in kinds(events, "result") if each["command"] == case.command]
        assert len(kinds(events, "intent")) == len(kinds(events, "result"))
        assert len(results) == 1
        if gap == "intent":
            assert not results[0]["ok"]
    count.done()


@pytest.mark.parametrize("name", ["run a file", "delete a skill", "run a skill"])
def test_a_second_kill_after_a_resume_lets_no_change_through(place: Place, tally: Kind, name: str) -> None:
    """Killed after the decision, resumed, and killed again after the intent that the resume wrote."""
    case, count = CASES[name], tally("shown otherwise")
    case.before(place)
    killed(place, case, "decision")
    runner = ["-m", "tests.crash.runner", "after intent", "1", "resume", "attended"]
    again = place.python(*runner, **environment(place))
    assert again.returncode == -9, again.stderr
    case.change(place)
    place.run("run", "--resume", "last", stdin="n\n", **environment(place))
    [intent] = [each for each in kinds(place.events(), "intent") if each["command"] == case.command]
    assert intent["fingerprint"], "the resumed approval still says what was shown"
    count.add(f"killed twice: {name}", not case.undone(place))
    count.done()


@pytest.mark.parametrize("name", ["run a file", "write over a file", "delete a file", "save over a skill"])
def test_the_control_an_approval_is_carried_out_where_nothing_has_changed(place: Place, name: str) -> None:
    case = CASES[name]
    case.before(place)
    killed(place, case, "decision")
    place.run("run", "--resume", "last", stdin="n\n", **environment(place))
    [result] = [each for each in kinds(place.events(), "result") if each["command"] == case.command]
    assert result["ok"]
    assert len([each for each in kinds(place.events(), "question") if each["command"] == case.command]) == 1


@pytest.mark.parametrize("changed", [True, False])
def test_an_approval_that_was_given_on_the_page_holds_for_what_it_was_shown_with(place: Place, changed: bool) -> None:
    case = CASES["write over a file"]
    case.before(place)
    killed(place, case, "decision")
    path = place.state / "sessions" / place.session() / "events.jsonl"
    text = path.read_text()
    assert text.count('"by":"person"') == 1
    path.write_text(text.replace('"by":"person"', '"by":"web"'))
    if changed:
        case.change(place)
    place.run("run", "--resume", "last", stdin="n\n", **environment(place))
    assert len([each for each in kinds(place.events(), "result") if each["command"] == case.command]) == (not changed)
    assert case.undone(place) == changed


def test_an_approval_of_an_older_journal_that_tells_no_fingerprint_is_asked_about_again(place: Place) -> None:
    case = CASES["run a file"]
    case.before(place)
    killed(place, case, "decision")
    path = place.state / "sessions" / place.session() / "events.jsonl"
    [decision] = kinds(place.events(), "decision")
    path.write_text(path.read_text().replace(f'"fingerprint":"{decision["fingerprint"]}",', ""))
    place.run("run", "--resume", "last", stdin="n\n", **environment(place))
    assert not kinds(place.events(), "intent")
