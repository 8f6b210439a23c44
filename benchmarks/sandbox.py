"""Measures what a program costs: start, cold and warm, reads and effects a second beside direct calls, memory.

The function that answers only returns its argument, so the figures show the way there and back. A start lasts from
the call of `run` to the outcome of a program that does nothing. CPU is that of both processes for one start or call.
It varies less than the clock on a busy machine. "With the façade" is what the programs of a run see. There,
craftItem is compared with the same command called without a program.
"""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.crafting.inventory import parse_inventory
from autocraft.node import find_node, packages
from autocraft.protocols import PROGRAM, Args, Call, Command, Risk
from autocraft.sandbox import processes
from autocraft.sandbox.facade import Facade
from autocraft.sandbox.packages import PACKAGES
from autocraft.sandbox.program import Grant, ProgramLimits
from autocraft.sandbox.programs import Programs
from autocraft.worlds.crafting import CraftingWorld
from benchmarks.measure import Json, Row, change, keep, kept, machine, print_machine, print_table, spread

STARTS, ROUNDS, CALLS, CRAFTS = 15, 5, 3_000, 300
COLD_AIM, WARM_AIM = 0.150, 0.020
READ, EFFECT, LINE = "bot.read('read', i)", "await bot.act('act', i)", "bot.say('a')"
NOTHING = "async function f (bot) {}"
GRANT = Grant("0" * 64, frozenset({"act"}), effects=10**9)
CRAFT_GRANT = Grant("0" * 64, frozenset({"craft_item"}), effects=10**9)
LIMITS = ProgramLimits(calls=10**9, seconds=60, queue_mb=10_000)


class Direct:
    """Answers each call at once."""

    prelude = "globalThis.bot = host"
    question_seconds = 0.0

    async def read(self, name: str, args: list[Any]) -> Any:
        return args

    def bind(self, name: str, args: list[Any]) -> Call:
        return Call(_ACT, {"args": args}, Risk.CHANGE)

    def say(self, text: str) -> None:
        """Ignore a message."""

    async def act(self, call: Call, beyond: str) -> Any:
        return call.args["args"]


class Crafting(Direct):
    """The crafting world behind the façade of programs, without gate and journal."""

    def __init__(self) -> None:
        world = CraftingWorld(parse_inventory(f"oak_log={CRAFTS}"))
        self.registry = Registry(world.commands())
        self.facade = Facade(
            lambda name, args: self.registry.bind(name, args, agent="program"), world.read, {}, "crafting"
        )
        self.prelude = self.facade.prelude

    def _bind(self, name: str, args: Args) -> Call:
        return self.registry.bind(name, args, agent=PROGRAM)

    async def read(self, name: str, args: list[Any]) -> Any:
        return await self.facade.read(name, args)

    def bind(self, name: str, args: list[Any]) -> Call:
        return self.facade.bind(name, args)

    async def act(self, call: Call, beyond: str) -> Any:
        result = await self.registry.call(call)
        assert result.ok, result.text
        return result.text


async def _act(owner: object, call: Call) -> str:
    return ""


_ACT = Command("act", "", Risk.CHANGE, _act)


def processor() -> float:
    """Return the CPU seconds of this process and of its ended children."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


async def costs(programs: Programs, call: str) -> Json:
    """Return the processor time of one call, without that of a start."""
    await programs.close()
    spent = []
    for repeated in (1, CALLS):
        before = processor()
        await programs.run(_repeat(call, repeated), "f", Direct(), LIMITS, GRANT)
        await programs.close()
        spent.append(processor() - before)
    return {"cpu": (spent[1] - spent[0]) / (CALLS - 1)}


async def start_costs(programs: Programs) -> Json:
    await programs.close()
    before = processor()
    await programs.run(NOTHING, "f", Direct(), LIMITS, GRANT)
    await programs.close()
    return {"cpu": processor() - before}


def _repeat(call: str, times: int) -> str:
    return f"async function f (bot) {{ for (let i = 0; i < {times}; i++) {call} }}"


async def ready(programs: Programs, api: Direct) -> None:
    """Run an empty program, and wait until the child for the next one is ready."""
    await programs.run(NOTHING, "f", api, LIMITS, GRANT)
    assert programs._next is not None
    await asyncio.shield(programs._next)


async def starts(programs: Programs, api: Direct, *, warm: bool) -> list[float]:
    """Return the seconds of each round except the first."""
    taken = []
    for _ in range(STARTS + 1):
        await (ready(programs, api) if warm else programs.close())
        started = time.perf_counter()
        outcome = await programs.run(NOTHING, "f", api, LIMITS, GRANT)
        taken.append(time.perf_counter() - started)
        assert outcome.kind == "returned", outcome
    return taken[1:]


async def calls(programs: Programs, call: str) -> list[float]:
    """Return calls a second of each round, with the start of the program."""
    rates = []
    for _ in range(ROUNDS):
        await ready(programs, Direct())
        started = time.perf_counter()
        outcome = await programs.run(_repeat(call, CALLS), "f", Direct(), LIMITS, GRANT)
        rates.append(CALLS / (time.perf_counter() - started))
        assert outcome.kind == "returned", outcome
    return rates


async def crafts(programs: Programs) -> list[float]:
    """Return craftItem calls a second in a program, each round in a new world."""
    rates = []
    for _ in range(ROUNDS):
        api = Crafting()
        await ready(programs, api)
        started = time.perf_counter()
        code = f"async function f (bot) {{ for (let i = 0; i < {CRAFTS}; i++) await craftItem(bot, 'oak_planks', 1) }}"
        outcome = await programs.run(code, "f", api, LIMITS, CRAFT_GRANT)
        rates.append(CRAFTS / (time.perf_counter() - started))
        assert outcome.kind == "returned", outcome
    return rates


async def crafts_directly() -> list[float]:
    rates = []
    for _ in range(ROUNDS):
        api = Crafting()
        started = time.perf_counter()
        for _ in range(CRAFTS):
            await api.act(api.registry.bind("craft_item", {"name": "oak_planks", "count": 4}), "")
        rates.append(CRAFTS / (time.perf_counter() - started))
    return rates


async def directly(call: Callable[[], Awaitable[Any]]) -> list[float]:
    rates = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(CALLS):
            await call()
        rates.append(CALLS / (time.perf_counter() - started))
    return rates


async def memory(programs: Programs) -> float:
    """Return the memory of a ready child in MB. Return 0 if the system does not report it."""
    await ready(programs, Direct())
    found = processes.below(os.getpid())
    return processes.memory_of(found, 1 << 40) / 2**20


async def measure(folder: Path) -> dict[str, Json | None]:
    api = Direct()
    call = api.bind("act", [1])
    node, modules, facade = find_node(), packages(PACKAGES), Crafting()
    programs = Programs(node, modules, folder / "log")
    seeing = Programs(node, modules, folder / "log")
    try:
        return {
            "start, cold": {"seconds": spread(await starts(programs, api, warm=False))} | await start_costs(programs),
            "start, warm": {"seconds": spread(await starts(programs, api, warm=True))},
            "read": {"rate": spread(await calls(programs, READ))} | await costs(programs, READ),
            "read, directly": {"rate": spread(await directly(lambda: api.read("read", [1])))},
            "effect": {"rate": spread(await calls(programs, EFFECT))} | await costs(programs, EFFECT),
            "effect, directly": {"rate": spread(await directly(lambda: api.act(call, "")))},
            "chat line": {"rate": spread(await calls(programs, LINE))} | await costs(programs, LINE),
            "a child that is ready": {"memory": spread([await memory(programs)])},
            "start, cold, with the façade": {"seconds": spread(await starts(seeing, facade, warm=False))},
            "start, warm, with the façade": {"seconds": spread(await starts(seeing, facade, warm=True))},
            "craftItem": {"rate": spread(await crafts(seeing))},
            "craft_item, directly": {"rate": spread(await crafts_directly())},
        }
    finally:
        await programs.close()
        await seeing.close()


def show(rows: dict[str, Json | None], before: Row) -> None:
    table = []
    for name, row in rows.items():
        assert row is not None
        (field, values), old = next(iter(row.items())), before.get(name)
        scale, unit = {"seconds": (1000, "ms"), "rate": (1, "a second"), "memory": (1, "MB")}[field]
        shown = [f"{value * scale:,.1f}" if scale * value < 100 else f"{value * scale:,.0f}" for value in values]
        each = f"{row['cpu'] * 1e6:,.0f} µs" if "cpu" in row else ""
        table.append([name, f"{shown[0]} {unit}", f"{shown[1]}..{shown[2]}", each, change(values, old, field)])
    print_table("programs in the sandbox", ["", "median", "range", "CPU", "change"], table)
    print(f"\naims: cold at most {COLD_AIM * 1000:.0f} ms, warm at most {WARM_AIM * 1000:.0f} ms")


def main() -> None:
    about = machine()
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(measure(Path(folder)))
    print_machine(about)
    show(rows, kept("sandbox"))
    keep("sandbox", about | {"starts": STARTS, "rounds": ROUNDS, "calls": CALLS}, rows)


if __name__ == "__main__":
    main()
