"""Every attack of `attacks/`: contained, the next program runs, its process is gone; and it works on the control.

How many were tried and let through is printed at the end of the run, as kind ``machine``.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from autocraft.node import find_node, packages
from autocraft.sandbox import processes
from autocraft.sandbox.packages import PACKAGES
from autocraft.sandbox.program import ProgramLimits
from autocraft.sandbox.programs import Programs
from tests.processes import command_line
from tests.sandbox.answers import Answers, grant
from tests.sandbox.attacks import THROUGH, Attack, attacks
from tests.security.count import Tally

FAMILIES = ("loops", "memory", "recursion", "escapes", "pollution", "grants")
SMALL = {
    "loops": ProgramLimits(seconds=3, steps=200_000, calls=500, output=5_000),
    "memory": ProgramLimits(seconds=3, steps=10_000_000, memory_mb=16, calls=500),
}
NEXT = "async function f (bot) { await bot.act('wait'); return [{}.polluted, [].polluted, bot.read('echo', 1).args] }"


def children() -> list[int]:
    """The processes of programs that are children of this one."""
    return [each.pid for each in processes.below(os.getpid()) if b"sandbox/node/main.js" in command_line(each.pid)]


async def attempt(programs: Programs, attack: Attack, limits: ProgramLimits) -> str:
    """What the attack got; empty where it was contained and the next program ran."""
    answers = Answers()
    outcome = await programs.run(attack.code, "f", answers, limits, grant(effects=3))
    shown = [repr(outcome.value), *outcome.said]
    got = attack.got(f"{outcome.kind}:{outcome.which if outcome.kind == 'limit' else ''}", " ".join(shown))
    if not got and (set(answers.acted) - {"wait"} or len(answers.acted) > 3):
        got = f"it did {answers.acted[:10]}"
    after = await programs.run(NEXT, "f", Answers(), limits, grant())
    if after.value != [None, None, [1]]:
        got = f"{got}; the next program ended with {after}"
    return got


async def attempt_alone(attack: Attack, limits: ProgramLimits, folder: Path) -> str:
    """What the attack got, with programs of its own, of which no process is left."""
    programs = Programs(find_node(), packages(PACKAGES), folder / "log")
    try:
        got = await attempt(programs, attack, limits)
    finally:
        await programs.close()
    assert children() == []
    return got


EACH = pytest.mark.parametrize(
    ("family", "attack"),
    [pytest.param(family, each, id=f"{family}: {each.name}") for family in FAMILIES for each in attacks(family)],
)


@EACH
@pytest.mark.sampled(1)
def test_it_is_contained(
    family: str, attack: Attack, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    tally = Tally("machine", record_property)
    limits = SMALL.get(family, ProgramLimits(seconds=10))
    tally.add(attack.name, asyncio.run(attempt_alone(attack, limits, tmp_path)))
    tally.done()


@EACH
@pytest.mark.sampled(4)
def test_it_works_where_nothing_protects(family: str, attack: Attack, tmp_path: Path) -> None:
    """Otherwise the attack would prove nothing."""
    assert attack.in_the_control(tmp_path)


@pytest.mark.parametrize("body", ["new RegExp('(a)'.repeat(200) + i)", "[new Array(100).fill(i), () => i]"])
@pytest.mark.parametrize("size", range(1_000, 7_000, 1_000))
@pytest.mark.sampled(1)
def test_memory_that_ends_is_that_limit_wherever_it_ends(body: str, size: int, tmp_path: Path) -> None:
    """What is there before decides in which call the memory ends."""

    async def run() -> str:
        programs = Programs(find_node(), packages(PACKAGES), tmp_path / "log")
        try:
            kept = f"const kept = ['x'.repeat({size})]"
            code = f"async function f () {{ {kept}; for (let i = 0; ; i++) kept.push({body}) }}"
            found = await programs.run(code, "f", Answers(), ProgramLimits(seconds=60, memory_mb=16), grant())
        finally:
            await programs.close()
        return f"{found.kind} {found.which or found.message}"

    assert asyncio.run(run()) == "limit memory"


@pytest.mark.full
def test_what_is_nested_too_deeply_ends_the_program_and_nothing_else(tmp_path: Path) -> None:
    async def run() -> list[str]:
        programs = Programs(find_node(), packages(PACKAGES), tmp_path / "log")
        try:
            return [await attempt(programs, each, ProgramLimits(seconds=10)) for each in attacks("nesting")]
        finally:
            await programs.close()

    wrong = [got for got in asyncio.run(run()) if got and THROUGH not in got]
    assert not wrong
