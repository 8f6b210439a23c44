"""A program that asks for effects faster than they can be carried out: it fills nothing, and nobody waits for it."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.node import find_node
from autocraft.protocols import Call
from autocraft.sandbox.engine import ProgramChild
from autocraft.sandbox.program import Outcome, ProgramLimits
from autocraft.sandbox.programs import Programs, outcome_of
from tests.sandbox.answers import Answers, grant
from tests.sandbox.test_attacks import children
from tests.sandbox.test_liars import LIAR
from tests.sandbox.test_programs import body, outcomes, with_programs
from tests.security.count import Tally

ROOMY = ProgramLimits(seconds=120, steps=10**12, calls=10**9, queue_mb=10_000)
QUEUES = {
    "long texts": "const x = 'x'.repeat(250_000); for (let n = 0; n < 400; n++) bot.act('count', x)",
    "many small things": "const x = Array(80_000).fill({}); for (let n = 0; n < 40; n++) bot.act('count', x)",
    "long texts for no effect": "const x = 'x'.repeat(250_000); for (let n = 0; n < 400; n++) bot.act('none', x)",
}
"""Each takes about 100 MB in Python where nothing bounds it."""
MOST = 60 << 20


class Blocked(Answers):
    """Carries out nothing before the program has ended or was ended."""

    async def act(self, call: Call, beyond: str) -> Any:
        raise AssertionError("nothing waits, so nothing is begun")


def peak(folder: Path, code: str, limits: ProgramLimits) -> tuple[Outcome, int]:
    """How it ended, and the most memory of Python's that was taken meanwhile."""
    tracemalloc.start()
    try:
        (found,) = outcomes(folder, body(code), answers=Blocked(), limits=limits)
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.full
def test_a_queue_of_effects_is_bounded_in_bytes(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    count = Tally("machine", record_property)
    for name, code in QUEUES.items():
        found, most = peak(tmp_path, f"{code}; for (;;);", ProgramLimits(seconds=120, steps=10**12))
        held = (found.kind, found.which) == ("limit", "queue") and most < MOST
        count.add(f"a queue of {name}", "" if held else (found.kind, found.which, most))
    count.done()


@pytest.mark.parametrize("name", QUEUES)
@pytest.mark.full
def test_without_the_limit_the_same_queue_fills_the_memory(name: str, tmp_path: Path) -> None:
    """The control, which is ended by what it throws once it has queued all."""
    found, most = peak(tmp_path, f"{QUEUES[name]}; throw new Error('queued')", ROOMY)
    assert (found.kind, found.message) == ("threw", "queued")
    assert found.calls == (40 if "small" in name else 400)
    if "small" not in name:  # kept as they came in, which for these is a twentieth
        assert most > MOST


class Talkative(Answers):
    """Every effect of which much is said."""

    async def act(self, call: Call, beyond: str) -> Any:
        self.acted.append(call.name)
        return "x" * 1_000_000


@pytest.mark.full
def test_what_came_of_effects_counts_as_well(tmp_path: Path) -> None:
    code = body("for (let n = 0; n < 20; n++) bot.act('count')")
    answers, free = Talkative(), Talkative()
    (found,) = outcomes(tmp_path, code, answers=answers, limits=ProgramLimits(seconds=120))
    assert (found.kind, found.which) == ("limit", "queue")
    assert len(answers.acted) == 9  # the ninth passes eight megabytes, which is seen before the tenth
    (control,) = outcomes(tmp_path, code, answers=free, limits=ROOMY)
    assert (control.kind, len(free.acted)) == ("returned", 20)


@pytest.mark.full
def test_a_program_of_many_small_effects_is_not_ended_by_it(tmp_path: Path) -> None:
    code = body("for (let n = 0; n < 2_000; n++) bot.act('count', n); return 'done'")
    answers = Answers()

    async def work(programs: Programs) -> Outcome:
        return await programs.run(code, "f", answers, ProgramLimits(seconds=120), grant(effects=10_000))

    found = with_programs(tmp_path, work)
    assert (found.kind, found.value, len(answers.acted)) == ("returned", "done", 2_000)


def test_others_get_their_turn_between_any_two_lines_and_an_interruption_comes_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in lines of the program's, not in seconds: Ctrl-C cancels the run in one such turn."""
    heard, hear = [0], ProgramChild.receive

    async def counted(engine: ProgramChild, until: float) -> Any:
        heard[0] += 1
        return await hear(engine, until)

    monkeypatch.setattr(ProgramChild, "receive", counted)

    async def work(programs: Programs) -> tuple[int, int, Outcome | None]:
        code = body("for (;;) bot.act('count')")
        running = asyncio.create_task(programs.run(code, "f", Blocked(), ROOMY, grant()))
        most = 0
        while heard[0] < 5_000 and not running.done():
            before = heard[0]
            await asyncio.sleep(0)
            most = max(most, heard[0] - before)
        running.cancel()
        before = heard[0]
        with pytest.raises(asyncio.CancelledError) as ended:
            await running
        return most, heard[0] - before, outcome_of(ended.value)

    most, more, outcome = with_programs(tmp_path, work)
    assert most <= 2, f"{most} lines were taken in one turn"
    assert more <= 2, f"{more} lines were taken after the interruption"
    assert outcome is not None and outcome.kind == "cancelled"


class Thinking(Answers):
    """Never done with the first read."""

    async def read(self, name: str, args: list[Any]) -> Any:
        await asyncio.Event().wait()


def test_a_child_is_ended_while_the_pipe_between_us_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines that nobody reads any more must not hide that it has ended."""
    engines, hear = [], ProgramChild.receive

    async def seen(engine: ProgramChild, until: float) -> Any:
        engines.append(engine)
        return await hear(engine, until)

    async def work() -> None:
        programs = Programs(find_node(), tmp_path / "reads, and goes on talking", tmp_path / "log")
        running = asyncio.create_task(programs.run(body(""), "f", Thinking(), ROOMY, grant()))
        async with asyncio.timeout(120):
            while not (engines and engines[0]._process.stdout._paused):  # type: ignore[union-attr]  # noqa: ASYNC110
                await asyncio.sleep(0)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            await programs.close()

    monkeypatch.setattr(ProgramChild, "receive", seen)
    monkeypatch.setattr("autocraft.sandbox.engine.NODE_FOLDER", LIAR)
    asyncio.run(work())
    assert children() == []
