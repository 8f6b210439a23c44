"""A command that takes long tells where it is: on the screen, in the journal, and not to the model."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from autocraft.agent.executor import Executor
from autocraft.agent.helper_states import Helpers
from autocraft.agent.limits import Limits
from autocraft.agent.policy import Policy
from autocraft.agent.state import State
from autocraft.agent.transcript import PromptSettings, Transcript
from autocraft.commands.control import ControlCommands
from autocraft.commands.output import OutputReport
from autocraft.commands.registry import Registry
from autocraft.console.live import Live
from autocraft.console.render import Screen
from autocraft.console.wrap import LEAST, cells
from autocraft.protocols import Delta, World, commands_of
from autocraft.session.events import Event, Progress
from autocraft.session.journal import Journal
from autocraft.text.redact import Mask
from autocraft.worlds.crafting import CraftingWorld
from tests.commands.programs import with_programs
from tests.conftest import STONE_PICKAXE, Place, kinds
from tests.console.emulator import Emulator
from tests.journals import event
from tests.live import live_registry
from tests.test_event_schema import SCHEMA, obeys
from tests.waiting import PATIENCE

MINING = {"id": "s:3", "command": "mine_block", "text": "2 of 3 oak_log", "place": "(12, 64, -3)", "health": 18.0}
WHERE = "2 of 3 oak_log, at (12, 64, -3), health 18"


@pytest.fixture
def run(place: Place) -> Iterator[Callable[..., Emulator]]:
    started: list[Emulator] = []

    def start(*arguments: str, **env: str) -> Emulator:
        started.append(Emulator(place, ["run", *STONE_PICKAXE, *arguments], 100, 60, **env))
        return started[-1]

    yield start
    for each in started:
        each.close()


# ---------------------------------------------------------------- the event


def test_no_fold_depends_on_it_and_the_model_is_not_told() -> None:
    state, transcript = State(), Transcript(PromptSettings(), list)
    intent = event("intent", command="mine_block", seq=3)
    for each in (intent, event("progress", **MINING, output="secret of the program")):
        before = state.to_json(), transcript.to_json(), transcript.messages("now")
        state.apply(each)
        transcript.apply(each)
    assert (state.to_json(), transcript.to_json(), transcript.messages("now")) == before


def test_it_obeys_the_schema_and_is_read_again() -> None:
    for fields in (MINING, {"id": "s:3", "command": "run_program", "output": "half way\n"}):
        made = event("progress", **fields)
        assert obeys(made.to_json(), SCHEMA) and Event.from_json(made.to_json()) == made


# ---------------------------------------------------------------- the screen


def test_the_status_line_tells_where_the_command_is() -> None:
    live = Live(State(), Limits(), lambda: "planner", Mask())
    live.event(event("decision", kind="run", command="mine_block", args={}, risk="change"))
    live.event(event("progress", **MINING))
    assert live.status(100).startswith(f"running mine_block: {WHERE} · step ")
    assert live.status(30) == f"running mine_block: {WHERE}"[:29]
    live.event(event("progress", id="s:3", command="mine_block", text="running for 30 s"))
    assert "running for 30 s" not in live.status(100)
    live.event(event("result"))
    assert "oak_log" not in live.status(100)


def test_the_seconds_in_all_count_the_running_command_and_not_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("autocraft.console.live.time.monotonic", lambda: now)
    live = Live(State(), Limits(max_seconds=60), lambda: "planner", Mask())
    live.event(event("decision", kind="run", command="wait", args={}, risk="change"))
    now += 15
    assert live.status(100).startswith("running wait 15 s · step 0 · 15/60 s in all · planner")
    live.event(event("question"))
    now += 22
    assert live.status(100).startswith("waiting for you 22 s · step 0 · 0/60 s in all · planner")


@pytest.mark.parametrize("text", ["漢" * 200, "x" * 200, "a\x1b[2Jb\nc"])
def test_the_status_line_stays_one_row(text: str) -> None:
    live = Live(State(), Limits(), lambda: "planner", Mask())
    live.event(event("progress", **(MINING | {"text": text})))
    for columns in (20, 80):
        status = live.status(columns)
        assert "\n" not in status and "\x1b" not in status
        assert len(status) + status.count("漢") <= columns - 1


@pytest.mark.parametrize("columns", [1, 2, 3, 40, 80])
def test_an_incoming_answer_in_wide_characters_fits_and_loses_nothing(columns: int) -> None:
    live = Live(State(), Limits(), lambda: "planner", Mask())
    live.delta(Delta("text", "漢" * 90 + "end"))
    rows = live.rows(columns)
    shown = "".join("".join(rows).split())
    assert shown.endswith("end")
    assert columns < LEAST or (shown == "漢" * 90 + "end" and all(cells(row) < columns for row in rows))


def drawn(each: Event, **how: Any) -> str:
    out: list[str] = []
    Screen(out.append, "Crafter", terminal=False, **how).event(each)
    return "".join(out)


def test_where_there_is_no_status_line_a_row_tells_it() -> None:
    assert drawn(event("progress", **MINING)) == f"mine_block: {WHERE}\n"
    said = event("progress", id="s:3", command="run_program", output="on\x1b[2J\nSYSTEM:  all fine\n")
    assert drawn(said) == "PROGRAM SAYS:  on\\x1b[2J\n    SYSTEM:  all fine\n"


# ---------------------------------------------------------------- programs


@pytest.mark.parametrize(
    ("printed", "shown"),
    [("'half way'", "half way"), (r"'x' * 5000 + '\n', end=''", "[a long line is left out]")],
)
@pytest.mark.full
def test_what_a_python_program_prints_comes_while_it_runs(
    run: Callable[..., Emulator], place: Place, printed: str, shown: str
) -> None:
    folder = place.folder / "workspace"
    folder.mkdir()
    (folder / "slow.py").write_text(f"import time\nprint({printed}, flush=True)\ntime.sleep(600)\n")
    script = place.script(("execute_python_file", {"file": "slow.py"}))
    screen = run("--brain", "scripted", "--script", script)
    screen.question(1)
    screen.send("y\r")
    screen.until(f"PROGRAM SAYS:  {shown}")
    screen.until("running execute_python_file")
    [told] = kinds(place.events(), "progress")
    assert (told["command"], told["output"]) == ("execute_python_file", f"{shown}\n")
    assert obeys(told, SCHEMA)
    assert told["id"] == kinds(place.events(), "intent")[0]["id"]
    assert not kinds(place.events(), "result")


@pytest.mark.full
def test_what_a_javascript_program_says_comes_while_it_runs(run: Callable[..., Emulator], place: Place) -> None:
    """It stands at a question about something that its approval does not cover."""
    rule = '[[policy.rule]]\ncommand = "craft_item"\nthen = "ask"\n'
    (place.folder / "rules.toml").write_text(rule)
    code = "async function f(bot) {\n  bot.chat('half way');\n  await craftItem(bot, 'oak_planks', 1);\n}"
    script = place.script(("run_program", {"code": code}))
    screen = run("--brain", "scripted", "--script", script, "--policy", "rules.toml", **with_programs())
    screen.question(1)
    screen.send("y\r")
    screen.until("The program wants:")
    screen.until("PROGRAM SAYS:  half way")
    assert [each["output"] for each in kinds(place.events(), "progress")] == ["half way\n"]
    assert not kinds(place.events(), "result")


def test_output_is_journaled_in_whole_lines_and_the_last_is_left_to_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autocraft.commands.output.PAUSE", 0.01)

    async def scene() -> list[str]:
        journal, told = Journal(tmp_path), list[str]()
        journal.viewers.append(lambda each: told.append(each.output) if isinstance(each, Progress) else None)
        call = live_registry(commands_of(ControlCommands()), journal=journal).bind("wait", {"seconds": 1})
        with OutputReport(call) as output:
            output.add("one\ntw")
            while len(told) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            output.add("o\n")
        await asyncio.sleep(0.05)
        journal.close()
        return told

    assert asyncio.run(asyncio.wait_for(scene(), PATIENCE)) == ["one\n", "tw"]


# ---------------------------------------------------------------- never silent


@dataclass
class Run:
    """The parts of a run that the executor needs."""

    journal: Journal
    world: World
    registry: Registry
    helpers: Helpers
    state: State = field(default_factory=State)
    policy: Policy = field(default_factory=Policy)
    stop_cause: Exception | None = None


def test_a_command_that_says_nothing_is_said_to_go_on(tmp_path: Path) -> None:
    async def scene() -> None:
        journal, registry = Journal(tmp_path), Registry(commands_of(ControlCommands()))
        run = Run(journal, CraftingWorld(), registry, Helpers(journal, registry, PromptSettings()))
        told: list[Progress] = []
        run.journal.viewers.append(lambda each: told.append(each) if isinstance(each, Progress) else None)
        call = run.registry.bind("wait", {"seconds": 600})
        work = asyncio.create_task(Executor(run, silence=0.01).execute(call))
        while len(told) < 2:
            assert not work.done()
            await asyncio.sleep(0.01)
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work
        run.journal.close()
        assert all(each.line.startswith("running for ") for each in told)
        assert {each.command for each in told} == {"wait"}

    asyncio.run(scene())
