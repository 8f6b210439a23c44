"""What a program gets back, in which order its effects happen, how it ends, and what is said about that."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from autocraft.errors import CommandError, InvalidCommand, NodeMissing, UsageError
from autocraft.node import find_node, packages
from autocraft.sandbox import processes
from autocraft.sandbox.packages import PACKAGES
from autocraft.sandbox.program import Outcome, ProgramLimits
from autocraft.sandbox.programs import Programs, outcome_of
from tests.processes import alive
from tests.sandbox.answers import PRELUDE, Answers, grant
from tests.sandbox.test_attacks import children
from tests.waiting import until

pytestmark = pytest.mark.sampled(14)

LIMITS = ProgramLimits(seconds=20)


def with_programs(folder: Path, work: Callable[[Programs], Awaitable[Any]]) -> Any:
    """What `work` returns; afterwards no child is left."""

    async def run() -> Any:
        programs = Programs(find_node(), packages(PACKAGES), folder / "log")
        try:
            return await work(programs)
        finally:
            await programs.close()

    result = asyncio.run(run())
    assert children() == []
    return result


def outcomes(
    folder: Path, *codes: str, answers: Answers | None = None, limits: ProgramLimits = LIMITS
) -> list[Outcome]:
    """Of one program after the other; `f` is the main function of each."""

    async def work(programs: Programs) -> list[Outcome]:
        return [await programs.run(code, "f", answers or Answers(), limits, grant()) for code in codes]

    found: list[Outcome] = with_programs(folder, work)
    return found


async def ready(programs: Programs) -> None:
    """Run an empty program, and wait until the child for the next one is ready."""
    await programs.run("globalThis.x = 1; async function f () {}", "f", Answers(), ProgramLimits(), grant())
    assert programs._next is not None
    await asyncio.shield(programs._next)


def body(text: str) -> str:
    return f"async function f (bot) {{ {text} }}"


# ---------------------------------------------------------------- values


VALUES = {
    "1": 1,
    "'a\\u2028\\n\\0\\ud83d\\ude00'": "a\u2028\n\0\U0001f600",
    "'\\ud800'": "\ufffd",
    "'\\\\ud800'": "\\ud800",
    "[1, [2], { three: null }]": [1, [2], {"three": None}],
    "NaN": None,
    "1e21": 1e21,
    "2 ** 53 - 1": 2**53 - 1,
    "-0.5": -0.5,
    "new Date(0)": "1970-01-01T00:00:00.000Z",
    "{ __proto__: null, ['__proto__']: 1 }": {"__proto__": 1},
}


def test_values_come_through_and_back(tmp_path: Path) -> None:
    each = ", ".join(f"bot.read('echo', {text}).args[0]" for text in VALUES)
    (found,) = outcomes(tmp_path, body(f"return [{each}]"))
    assert found.value == list(VALUES.values())


def test_what_main_returns_is_its_value_or_said_not_to_be_json(tmp_path: Path) -> None:
    values = {
        "return 5": 5,
        "": None,
        "return null": None,
        "return () => 1": "(not JSON)",
        "const o = {}; o.o = o; return o": "(not JSON)",
        "return 1n": "(not JSON)",
        "return '\\ud800'": "\ufffd",
        "let a = []; for (let i = 0; i < 300; i++) a = [a]; return a": "(nested too deeply)",
    }
    found = outcomes(tmp_path, *map(body, values))
    assert {each.kind for each in found} == {"returned"}
    assert [each.value for each in found] == list(values.values())


def test_an_answer_of_nothing_is_undefined_and_a_long_one_is_refused(tmp_path: Path) -> None:
    text = "return [typeof bot.read('nothing'), bot.read('long', 3e6).length, bot.read('long', 9e6)]"
    short = body(text.replace(", bot.read('long', 9e6)", ""))
    found = outcomes(tmp_path, short, body(text))
    assert found[0].value == ["undefined", 3_000_000]
    assert (found[1].kind, found[1].line) == ("threw", 1)
    assert "too long for a program: ask for less" in found[1].message


# ---------------------------------------------------------------- order


def test_effects_happen_one_by_one_in_the_order_of_their_calls(tmp_path: Path) -> None:
    code = body("""
      const first = Promise.all([bot.act('count', 1), bot.act('count', 2)])
      bot.read('echo')
      const rest = (async () => { await bot.act('count', 3); bot.read('echo'); await bot.act('count', 5) })()
      bot.act('count', 4)
      return [await first, await rest]
    """)
    logs = []
    for _ in range(3):
        answers = Answers()
        (found,) = outcomes(tmp_path, code, answers=answers)
        assert found.value == [[{"did": [1]}, {"did": [2]}], None]
        logs.append(answers.log)
    each = [[f"begin count [{n}]", f"end count [{n}]"] for n in range(1, 6)]
    expected = ["read echo", *each[0], *each[1], *each[2], "read echo", *each[3], *each[4]]
    assert logs == [expected] * 3
    assert found.calls == 7


def test_what_was_posted_and_not_awaited_is_still_done(tmp_path: Path) -> None:
    answers = Answers()
    (found,) = outcomes(tmp_path, body("bot.act('count', 1).then(() => bot.act('fail')); return 7"), answers=answers)
    assert (found.kind, found.value, answers.acted) == ("returned", 7, ["count", "fail"])
    assert "nobody waiting" in found.message and "fail: it failed" in found.message
    assert "count: " not in found.message


def test_what_was_not_begun_when_main_failed_is_not_done(tmp_path: Path) -> None:
    answers = Answers()
    (found,) = outcomes(tmp_path, body("bot.act('count', 1); bot.act('count', 2); throw 1"), answers=answers)
    assert (found.kind, found.message, answers.acted) == ("threw", "1", [])


def test_what_is_said_is_kept_in_order(tmp_path: Path) -> None:
    (found,) = outcomes(
        tmp_path, body("bot.chat('a'); await bot.act('wait'); bot.chat(2); bot.chat({}); bot.chat('\\ud800')")
    )
    assert found.said[:3] == ("a", "2", "[object Object]")
    assert set(found.said[3]) == {"\ufffd"}


@pytest.mark.full
def test_all_that_is_said_is_heard_though_the_child_ends_before_it_is_read(tmp_path: Path) -> None:
    codes = [
        body("for (let i = 0; i < 5000; i++) bot.chat('abc'); return i_am_gone"),
        body("bot.chat('a'.repeat(9e3))"),
    ]
    found = outcomes(tmp_path, *codes * 2)
    assert [(each.kind, len(each.said)) for each in found] == [("threw", 5000), ("returned", 1)] * 2


# ---------------------------------------------------------------- errors and their lines

FAILURES = {
    "async function f (bot) {\n\n  null.x\n}": ("cannot read property 'x' of null", 3),
    "async function f (bot) {\n  await bot.act('wait')\n  await bot.act('fail')\n}": ("it failed", 3),
    "async function f (bot) {\n  bot.read('bad')\n}": ("it was bad\nfor a reason", 2),
    "async function f (bot) {\n  await bot.act('unknown')\n}": ("there is no 'unknown'", 2),
    "async function f (bot) {\n  await g(bot)\n}\nasync function g (bot) {\n  await bot.act('fail')\n}": (
        "it failed",
        5,
    ),
    "async function f (bot) {\n  let s = [\n}": ("SyntaxError", 3),
    "let a = 1\nb()\nasync function f (bot) {}": ("'b' is not defined", 2),
    "async function f (bot) {\n  throw 'a text'\n}": ("a text", 0),
    "async function f (bot) {\n  Object.prototype.toJSON = () => 5\n  throw new Error('x')\n}": ("x", 3),
    "async function f (bot) {\n  throw { a: 1 }\n}": ('{"a":1}', 0),
    "async function f (bot) {\n  throw new Proxy({}, { get () { throw 1 } })\n}": ("cannot be shown", 0),
    "async function f (bot) {\n  const e = new Error('x')\n  e.stack = 'program.js:9999'\n  throw e\n}": ("x", 0),
    "const g = 1": ("there is no main function of that name", 0),
    "async function f (bot) { const g = () => g() + 1; g() }": ("too much recursion", 1),
}


@pytest.mark.parametrize("code", FAILURES)
@pytest.mark.sampled(5)
def test_errors_have_the_line_of_the_programs_own_text(code: str, tmp_path: Path) -> None:
    (found,) = outcomes(tmp_path, code)
    message, line = FAILURES[code]
    assert found.kind == "threw"
    assert message in found.message
    assert found.line == line


def test_every_kind_of_main_function_is_found(tmp_path: Path) -> None:
    codes = ["const f = async (bot) => 1", "let f = async function (bot) { return 1 }", "function f () { return 1 }"]
    assert [each.value for each in outcomes(tmp_path, *codes)] == [1, 1, 1]


@pytest.mark.parametrize("main", ["", "f()", "1f", "f; process.exit()", "f\n", "a.b"])
def test_no_main_function_is_said_before_anything_runs(main: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match="no main function"):
        with_programs(tmp_path, lambda programs: programs.run("1", main, Answers(), LIMITS, grant()))


def test_a_program_that_is_too_long_is_said_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match="make it shorter"):
        with_programs(tmp_path, lambda programs: programs.run(";" * 300_000, "f", Answers(), LIMITS, grant()))


@pytest.mark.parametrize(
    "limits",
    [ProgramLimits(memory_mb=each) for each in (0, 5000)] + [ProgramLimits(stack_kb=each) for each in (0, 9000)],
)
def test_limits_that_cannot_be_are_said_before_anything_runs(limits: ProgramLimits, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 to 2048 MB of memory and 32 to 1024 KB of stack"):
        with_programs(tmp_path, lambda programs: programs.run("1", "f", Answers(), limits, grant()))


def test_what_fails_at_the_end_of_main_is_told(tmp_path: Path) -> None:
    answers = Answers("host.atEnd(() => { throw new Error('at the end') }); " + PRELUDE)
    (found,) = outcomes(tmp_path, body("return 1"), answers=answers)
    assert (found.kind, found.message) == ("threw", "at the end")


def test_a_prelude_that_fails_is_said(tmp_path: Path) -> None:
    answers = Answers("throw new Error('no such thing')")
    with pytest.raises(NodeMissing, match="no such thing"):
        with_programs(tmp_path, lambda programs: programs.run("1", "f", answers, LIMITS, grant()))


# ---------------------------------------------------------------- limits and grants


@pytest.mark.full
def test_the_clock_stops_while_the_world_works(tmp_path: Path) -> None:
    """The world takes longer than the program may; the program itself does next to nothing."""
    seconds = 4.0

    async def slowly(programs: Programs) -> Outcome:
        await ready(programs)
        answers = Answers()
        asyncio.get_running_loop().call_later(1.2 * seconds, answers.enough.set)
        return await programs.run(body("return bot.act('slow')"), "f", answers, ProgramLimits(seconds=seconds), grant())

    found = with_programs(tmp_path, slowly)
    assert found.value == "did slow", found


def test_the_same_program_ends_at_the_same_step(tmp_path: Path) -> None:
    code = body("for (;;) { await null; if (n++ % 1000 === 0) bot.chat(n) }")
    found = outcomes(tmp_path, *["let n = 0\n" + code] * 2, limits=ProgramLimits(seconds=30, steps=300_000))
    assert [each.which for each in found] == ["steps", "steps"]
    assert found[0].said == found[1].said != ()


@pytest.mark.full
def test_a_program_may_ask_as_often_as_it_likes_within_little_memory(tmp_path: Path) -> None:
    code = body("for (let i = 0; i < 20000; i++) bot.read('echo', [i, 'x'.repeat(500)]); return 'done'")
    (found,) = outcomes(tmp_path, code, limits=ProgramLimits(seconds=3600, memory_mb=2))
    assert (found.value, found.calls) == ("done", 20_000), found.which


def test_a_grant_ends_after_its_seconds_and_its_effects(tmp_path: Path) -> None:
    answers = Answers()

    async def work(programs: Programs) -> list[Outcome]:
        code = body("await bot.act('wait'); await bot.act('wait')")
        return [
            await programs.run(code, "f", Answers(), LIMITS, grant(seconds=0.0)),
            await programs.run(code, "f", answers, LIMITS, grant(effects=1)),
        ]

    late, many = with_programs(tmp_path, work)
    assert (late.kind, late.which, late.line) == ("refused", "wait", 1)
    assert "as long as its approval covers" in late.message
    assert answers.acted == ["wait"]
    assert "as many as its approval covers" in many.message


def test_the_grant_s_clock_stands_still_while_the_person_is_asked(tmp_path: Path) -> None:
    class Asking(Answers):
        """Its person was asked all the time."""

        @property
        def question_seconds(self) -> float:
            return time.monotonic()

    [ended] = with_programs(tmp_path, lambda programs: _one(programs, Asking()))
    assert (ended.kind, ended.value) == ("returned", "did wait")


async def _one(programs: Programs, api: Answers) -> list[Outcome]:
    return [await programs.run(body("return bot.act('wait')"), "f", api, LIMITS, grant(seconds=0.001))]


def test_a_refusal_that_is_caught_and_another_error_is_thrown_is_that_error(tmp_path: Path) -> None:
    codes = ["try { await bot.act('forbidden') } catch (e) { throw new TypeError('mine') }", "throw new Error('mine')"]
    assert [(each.kind, each.message) for each in outcomes(tmp_path, *map(body, codes))] == [
        ("threw", "TypeError: mine"),
        ("threw", "mine"),
    ]


# ---------------------------------------------------------------- the child


def test_each_program_has_a_child_of_its_own_and_the_next_is_ready(tmp_path: Path) -> None:
    async def work(programs: Programs) -> list[list[int]]:
        seen = []
        for _ in range(3):
            await ready(programs)
            seen.append(children())
        return seen

    seen = with_programs(tmp_path, work)
    assert all(len(each) == 1 for each in seen)
    assert len({each[0] for each in seen}) == 3


@pytest.mark.full
def test_another_memory_or_prelude_gets_another_child(tmp_path: Path) -> None:
    async def work(programs: Programs) -> list[Any]:
        await ready(programs)
        answers = Answers(PRELUDE + "; globalThis.more = 5")
        code = body("return typeof more === 'undefined' ? 'none' : more")
        return [
            (await programs.run(code, "f", each, limits, grant())).value
            for each, limits in (
                (answers, ProgramLimits()),
                (Answers(), ProgramLimits()),
                (answers, ProgramLimits(memory_mb=16)),
            )
        ]

    assert with_programs(tmp_path, work) == [5, "none", 5]


@pytest.mark.parametrize("code", ["await bot.act('slow')", "bot.read('echo'); for (;;);"])
def test_a_child_that_is_killed_from_outside_is_seen_at_once(code: str, tmp_path: Path) -> None:
    answers = Answers()

    async def work(programs: Programs) -> Outcome:
        limits = ProgramLimits(seconds=60, steps=10**12)
        running = asyncio.create_task(programs.run(body(code), "f", answers, limits, grant()))
        await answers.busy.wait()
        (child,) = children()
        os.kill(child, signal.SIGKILL)
        return await running

    found = with_programs(tmp_path, work)
    assert (found.kind, found.which) == ("limit", "process")
    assert answers.stopped == ("slow" in code)
    assert answers.acted == (["slow"] if "slow" in code else [])


def cancelled(tmp_path: Path, answers: Answers, code: str) -> Any:
    """What is said of a program that is cancelled while its slow effect is under way."""

    async def work(programs: Programs) -> Outcome | None:
        running = asyncio.create_task(programs.run(code, "f", answers, LIMITS, grant()))
        await answers.busy.wait()
        running.cancel()
        try:
            await running
        except asyncio.CancelledError as error:
            return outcome_of(error)
        return None

    return with_programs(tmp_path, work)


def test_a_program_that_is_cancelled_leaves_what_it_did(tmp_path: Path) -> None:
    answers = Answers()

    code = body("bot.chat('on'); await bot.act('count'); await bot.act('slow'); await bot.act('count')")
    found = cancelled(tmp_path, answers, code)
    assert found.kind == "cancelled" and found.said == ("on",)
    assert answers.acted == ["count", "slow"] and answers.stopped


def test_a_program_is_cancelled_also_if_its_effect_makes_an_error_of_that(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Saying(Answers):
        async def act(self, call: Any, beyond: str) -> Any:
            try:
                return await super().act(call, beyond)
            except asyncio.CancelledError:
                raise CommandError("Interrupted; half of it is done") from None

    answers = Saying()

    found = cancelled(tmp_path, answers, body("await bot.act('slow')"))
    assert found.kind == "cancelled" and answers.acted == ["slow"]
    gc.collect()
    assert caplog.records == [], "nobody is told of the error of an effect whose program is gone"


def test_closing_before_the_first_program_and_twice(tmp_path: Path) -> None:
    async def work(programs: Programs) -> None:
        await programs.close()
        await ready(programs)
        await programs.close()
        await programs.close()

    with_programs(tmp_path, work)


ORPHAN = """
import asyncio, os, sys
from pathlib import Path
from autocraft.node import find_node, packages
from autocraft.sandbox.packages import PACKAGES
from autocraft.sandbox.program import ProgramLimits
from autocraft.sandbox.programs import Programs
from tests.sandbox.answers import PRELUDE, Answers, grant

async def main():
    programs = Programs(find_node(), packages(PACKAGES), Path(sys.argv[1]) / "log")
    class Telling(Answers):
        async def read(self, name, args):
            print("running", flush=True)
    code = "async function f (bot) { bot.read('on'); for (;;); }"
    await programs.run(code, "f", Telling(), ProgramLimits(seconds=600, steps=10**15), grant())
asyncio.run(main())
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="elsewhere the child ends by its own clock")
def test_kill_9_of_python_ends_a_program_that_never_reads_its_input_again(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHAN, str(tmp_path)], stdout=subprocess.PIPE) as python:
        assert python.stdout is not None
        assert python.stdout.readline() == b"running\n"
        found = [each.pid for each in processes.below(python.pid)]
        assert found
        python.kill()
        python.wait()
        until(lambda: not any(map(alive, found)), f"the end of {found}")


def test_a_log_that_cannot_be_written_and_a_node_that_is_none_are_said(tmp_path: Path) -> None:
    async def run(node: Path, log: Path) -> None:
        programs = Programs(node, packages(PACKAGES), log)
        try:
            await programs.run("1", "f", Answers(), LIMITS, grant())
        finally:
            await programs.close()

    with pytest.raises(NodeMissing, match=r"Is a directory: .*correct that"):
        asyncio.run(run(find_node(), tmp_path))
    with pytest.raises(NodeMissing, match=r"did not start .*log"):
        asyncio.run(run(tmp_path / "node", tmp_path / "log"))
    assert "FileNotFoundError" in (tmp_path / "log").read_text()
