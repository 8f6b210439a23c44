"""Measures the Minecraft world: bridge, observation, joining, memory, ticks per second.

Everything is real: the practice server of seed 1 with its mobs, and our bot, each in a process of its own. Its peers
are plain mineflayer on the same server (`peers/plain_mineflayer.js`), which has no bridge, and the calls per second
that were measured for JSPyBridge.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import PACKAGES
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from benchmarks.measure import Json, Row, change, keep, kept, machine, print_machine, print_table, spread

JOINS = 3
CALLS, LOOKS = 2000, 200
WAITS = {1.0: 5.0, 10.0: 60.0, 0.0: 120.0}
"""Seconds of the game that are let pass at each speed."""
AIMS: dict[str, tuple[str, float]] = {
    "bridge, a call and its answer": ("ms", 0.5),
    "observation": ("ms", 20),
    "join from a cold start": ("s", 10),
    "memory, bot and server": ("MB", 1000),
    "speed 10": ("ticks/s", 194),
}
"""Speed 10 is 200 ticks a second, which nothing passes: 97 % of it counts, for time that is lost is not caught up."""
JSPYBRIDGE = 2900
"""Calls per second of the PyPI package `javascript` that were measured on two cores in November 2026."""


async def timed(act: Callable[[], Awaitable[Any]], times: int) -> list[float]:
    """Return the milliseconds of each call."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        await act()
        taken.append((time.perf_counter() - begun) * 1000)
    return taken


def highest(pid: int) -> float:
    """Return the peak memory of a process in MB. Return 0 on a system other than Linux."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM")), 0.0)


def middle(values: list[float]) -> list[float]:
    """Return [median, 5 %, 95 %], because single calls have outliers that say nothing about the rest."""
    cuts = statistics.quantiles(values, n=20)
    return [statistics.median(values), cuts[0], cuts[-1]]


class Measured:
    """The figures of all runs of autocraft."""

    def __init__(self) -> None:
        self.rows: dict[str, Json | None] = {}
        self._joins: list[float] = []
        self._memory: list[list[float]] = []

    async def run(self, folder: Path, speed: float, *, closer: bool) -> None:
        """Start server and bot, and let the game run at this speed. `closer` also times single calls."""
        world = MinecraftWorld(
            MinecraftSettings(speed=speed, seed=1, fight="off"), folder / "world", folder / "accounts"
        )
        begun = time.perf_counter()
        try:
            await world.open()
            self._joins.append(time.perf_counter() - begun)
            assert world.joining.bridge is not None and world.joining.server is not None
            bridge, server = world.joining.bridge, world.joining.server
            if closer:
                calls = await timed(lambda: bridge.call("ping", {}, 10), CALLS)
                self.rows["bridge, a call and its answer"] = {"figure": middle(calls)}
                self.rows["observation"] = {"figure": middle(await timed(world.observe, LOOKS))}
            rates = []
            for _ in range(3):
                before, begun = await ticks(server), time.perf_counter()
                await bridge.call("wait", {"seconds": WAITS[speed] / 3}, WAITS[speed] + 10)
                rates.append((await ticks(server) - before) / (time.perf_counter() - begun))
            self.rows[f"speed {speed:g}"] = {"figure": spread(rates)}
            self._memory.append([highest(child.pid) for child in (bridge._child, server.child) if child is not None])
        finally:
            await world.close()

    def finish(self) -> None:
        self.rows["join from a cold start"] = {"figure": spread(self._joins)}
        for name, values in (
            ("memory, bot", [bot for bot, _ in self._memory]),
            ("memory, server", [server for _, server in self._memory]),
            ("memory, bot and server", [bot + server for bot, server in self._memory]),
        ):
            self.rows[name] = {"figure": spread(values)}


async def ticks(server: Any) -> int:
    state: Any = await server.ask("state")
    return int(state["tick"])


async def plain(folder: Path) -> list[Json]:
    """Measure plain mineflayer on a server whose clock runs freely."""
    from autocraft.worlds.minecraft.server import PracticeServer

    node, modules = find_node(), packages(PACKAGES)
    server = await PracticeServer.start({"seed": 1, "speed": 1}, folder / "server.log")
    script = Path(__file__).parent / "peers" / "plain_mineflayer.js"
    try:
        found = []
        for _ in range(JOINS):
            done = await asyncio.to_thread(
                subprocess.run,
                [str(node), str(script), str(server.port)],
                env=child_environment(AUTOCRAFT_NODE_MODULES=str(modules)),
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            )
            found.append(json.loads(done.stdout.splitlines()[-1]))
        return found
    finally:
        await server.close()


def measure() -> dict[str, Json | None]:
    measured = Measured()
    with tempfile.TemporaryDirectory() as name:
        for turn, speed in enumerate(WAITS):
            asyncio.run(measured.run(Path(name) / str(turn), speed, closer=turn == 0))
        measured.finish()
        (Path(name) / "plain").mkdir()
        peers = asyncio.run(plain(Path(name) / "plain"))
    rows = measured.rows
    rows["observation: plain mineflayer, the blocks alone"] = {"figure": spread([each["look"] for each in peers])}
    rows["join: plain mineflayer, server already there"] = {"figure": spread([each["joined"] for each in peers])}
    rows["memory: plain mineflayer"] = {"figure": spread([each["memory"] for each in peers])}
    rows["bridge: JSPyBridge, as measured elsewhere"] = {"figure": [1000 / JSPYBRIDGE] * 3}
    return rows


def show(rows: dict[str, Json | None], before: Row) -> None:
    shown = []
    for name, row in sorted(rows.items()):
        assert row is not None
        figure = row["figure"]
        unit, aim = AIMS.get(name, ("", 0.0))
        unit = unit or {"b": "ms", "o": "ms", "j": "s", "m": "MB", "s": "ticks/s"}[name[0]]
        least = unit == "ticks/s"
        reached = "" if not aim else "reached" if (figure[0] >= aim if least else figure[0] <= aim) else "missed"
        wanted = f"{'>=' if least else '<='} {aim:g}" if aim else ""
        figures = [f"{figure[0]:.4g}", f"{figure[1]:.4g}..{figure[2]:.4g}", unit]
        shown.append([name, *figures, wanted, reached, change(figure, before.get(name), "figure")])
    head = ["", "median", "range", "unit", "aim", "", "change"]
    print_table("The Minecraft world: practice server of seed 1 with mobs, and our bot", head, shown)


def main() -> None:
    about, before = machine(), kept("minecraft")
    rows = measure()
    show(rows, before)
    print_machine(about)
    keep("minecraft", about, rows)


if __name__ == "__main__":
    main()
