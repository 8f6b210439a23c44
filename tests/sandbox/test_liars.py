"""A child that was taken over and lies on its lines: it is ended, nothing of it is believed, and the next program runs.

The control is a reader that believes what it is told, as one writes it without a thought.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from autocraft.errors import NodeMissing
from autocraft.node import find_node, packages
from autocraft.sandbox import linux
from autocraft.sandbox.packages import PACKAGES
from autocraft.sandbox.program import Outcome, ProgramLimits
from autocraft.sandbox.programs import Programs
from tests.sandbox.answers import Answers, grant
from tests.sandbox.test_attacks import NEXT, children
from tests.security.count import Tally

pytestmark = pytest.mark.sampled(6)

LIAR = Path(__file__).parent / "liar"
MODES = re.findall(r"^  '([^']+)' \(\)", (LIAR / "main.js").read_text(encoding="utf-8"), re.M)
LIMITS = ProgramLimits(seconds=60, calls=1_000, output=10_000)
SHORT = ProgramLimits(seconds=2, calls=1_000, output=10_000)
"""For lies that only the clock ends."""
ENDS = {
    "says nothing more": "seconds",
    "half a line, and stays": "seconds",
    "reads, and takes no answer": "seconds",
    "chat without an end": "output",
    "reads without an end": "calls",
    "effects without an end": "calls",
    "reads, and goes on talking": "calls",
    "takes all memory": "memory",
}
"""The limit by which each is ended; ``process`` where nothing is said here."""
GONE = ("half a line, and ends", "ends while its effect runs", "kills itself while its effect runs")
"""Lies of a child that ends by itself; every other one stays for ever."""
REFUSED = ("an effect outside the grant", "an effect with a forged approval")


def lie(mode: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> tuple[Outcome, Answers]:
    """Run a program in a child that does not run it but lies."""
    limits = SHORT if ENDS.get(mode) == "seconds" else LIMITS
    monkeypatch.setattr("autocraft.sandbox.engine.NODE_FOLDER", LIAR)
    answers = Answers()

    async def run() -> Outcome:
        programs = Programs(find_node(), folder / mode, folder / "log")
        try:
            return await programs.run("async function f (bot) {}", "f", answers, limits, grant())
        finally:
            await programs.close()

    try:
        return asyncio.run(run()), answers
    finally:
        monkeypatch.undo()


def what_it_got(mode: str, outcome: Outcome, answers: Answers) -> str:
    """Empty where the lie came to nothing."""
    if mode in REFUSED:
        contained = outcome.kind == "returned" and not answers.acted
    else:
        contained = outcome.kind == "limit" and outcome.which == ENDS.get(mode, "process")
    return "" if contained and len(answers.acted) <= 1 else f"{outcome}, {answers.acted[:5]}"


@pytest.mark.full
def test_no_lie_is_believed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    tally = Tally("machine", record_property)
    for mode in MODES:
        tally.add(mode, what_it_got(mode, *lie(mode, monkeypatch, tmp_path)))
    assert children() == []
    tally.done()


def believed(mode: str) -> str:
    """What a reader suffers that takes each line as it comes; one that never ends is given a second."""
    child = subprocess.Popen(
        [find_node(), LIAR / "main.js", f"/{mode}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={}
    )
    try:
        said, _ = child.communicate(timeout=60 if mode in GONE else 1)
    except subprocess.TimeoutExpired:
        return "it waited for ever"
    finally:
        child.kill()
        child.communicate()
    acted = []
    try:
        for line in said.splitlines():
            message = json.loads(line)
            if "act" in message:
                acted.append(message["act"])
    except ValueError as error:
        return f"it raised {error}"
    return f"it did {acted}" if acted else ""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_each_lie_works_on_a_reader_that_believes(mode: str) -> None:
    assert believed(mode)


def test_a_child_that_cannot_start_is_said_with_its_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(NodeMissing, match=r"did not start .*log"):
        lie("not ready", monkeypatch, tmp_path)


def test_who_gets_out_of_the_machine_reaches_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    outcome, _ = lie("reach", monkeypatch, tmp_path)
    assert outcome.kind == "returned", outcome
    got = set(json.loads(outcome.said[0]))
    open_here = set() if linux.landlock_version() or os.uname().sysname == "Linux" else {"the network"}
    tally = Tally("machine", record_property)
    command = [str(find_node()), str(LIAR / "main.js"), "/reach"]
    bare = subprocess.run(command, env={"KEY": "x"}, capture_output=True, text=True, timeout=60).stdout
    reached = json.loads(json.loads(bare.splitlines()[1])["say"])
    assert len(reached) >= 7, f"these fail without protection too: {reached}"
    for each in reached:
        tally.add(each, each in got - open_here)
    tally.done()
    Path("/tmp/autocraft-reached").unlink(missing_ok=True)


def test_after_a_lie_the_next_program_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lie("half a line, and ends", monkeypatch, tmp_path)

    async def run() -> Outcome:
        programs = Programs(find_node(), packages(PACKAGES), tmp_path / "log")
        try:
            return await programs.run(NEXT, "f", Answers(), ProgramLimits(), grant())
        finally:
            await programs.close()

    assert asyncio.run(run()).value == [None, None, [1]]
