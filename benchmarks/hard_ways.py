"""Measures 50 hard ways: our walk beside mineflayer-pathfinder as it comes, and beside another path finder.

`python -m benchmarks.hard_ways` builds five sizes of each of ten kinds of way high above the practice server's ground:
ledges, walls, water, a flooded tunnel, gates, ladders, a path between lava, pits, gaps and a way down. A way counts as
found if the bot stands within two blocks of its end, alive. Our bot plays in lockstep, as fast as it goes; its peers
are plain mineflayer bots (`peers/walker.js`), for which the server runs in real time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.node import PackageList, child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import PACKAGES, SURPLUS
from autocraft.worlds.minecraft.server import PracticeServer
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from benchmarks.measure import Json, keep, kept, machine, print_machine, print_table

HERE = Path(__file__).parent
OTHER = PackageList(
    HERE / "peers" / "pathfinder", "@miner-org/mineflayer-baritone", "AUTOCRAFT_PATH_FINDER_MODULES",
    "a path finder of others, about 300 MB", SURPLUS,
)  # fmt: skip
PEERS = ("mineflayer-pathfinder", "mineflayer-baritone")
HIGH = 180
APART = 64
"""Blocks between two ways."""
SIZES = range(1, 6)
SECONDS = 60.0
"""Seconds after which a walk has failed."""
NEAR = 2.0

Place = tuple[int, int, int]
Fill = tuple[int, int, int, int, int, int, str]
"""Two corners and a block. Places are relative to the start; z is forward, y up."""


@dataclass(frozen=True)
class HardWay:
    """One way: what is built, in this order, and its end. The bot starts at 0, 0, 0 with 32 dirt."""

    kind: str
    size: int
    fills: tuple[Fill, ...]
    to: Place

    def commands(self, at: Place, name: str) -> list[str]:
        """Return the server commands that build it at a place and put the bot there."""
        x, y, z = at
        built = [
            f"/fill {x + a} {y + b} {z + c} {x + d} {y + e} {z + f} {block}" for a, b, c, d, e, f, block in self.fills
        ]
        return [*built, "/clear", f"/give {name} dirt 32", f"/tp {x + 0.5} {y} {z + 0.5}"]

    def end(self, at: Place) -> Place:
        return at[0] + self.to[0], at[1] + self.to[1], at[2] + self.to[2]


def bank(z: int, y: int = 0, wide: int = 2, deep: int = 2) -> Fill:
    """Return a floor that begins at `z`, below height `y`."""
    return -wide, y - 1, z, wide, y - 1, z + deep, "bedrock"


def hard_ways() -> Iterator[HardWay]:
    """Yield five sizes of each kind. What must not be dug through is of bedrock."""
    first = bank(-2)
    for n in SIZES:
        steps = [(0, i - 1, 1 + 2 * i, 0, i - 1, 1 + 2 * i, "bedrock") for i in range(1, 2 + n)]
        yield HardWay("ledges", n, (first, *steps), (0, 1 + n, 3 + 2 * n))
        wall: Fill = (-3, 0, 3, 3, n, 5, "bedrock")
        yield HardWay("wall", n, ((-3, -1, -2, 3, -1, 5, "bedrock"), wall), (0, n + 1, 4))
        far = 4 + 3 * n
        pool: tuple[Fill, ...] = ((-3, -5, 1, 3, -1, far, "bedrock"), (-2, -4, 1, 2, -1, far - 1, "water"))
        yield HardWay("water", n, (first, *pool, bank(far)), (0, 0, far + 1))
        long = 3 + n
        tunnel: tuple[Fill, ...] = (
            (-2, -5, 1, 2, -1, long + 6, "bedrock"),
            (0, -3, 2, 0, -1, 2, "water"),
            (0, -3, 3, 0, -2, long + 3, "water"),
            (0, -3, long + 4, 0, -1, long + 4, "water"),
            (-2, 0, 3, 2, 4, long + 3, "bedrock"),
        )
        yield HardWay("flooded tunnel", n, (first, *tunnel), (0, 0, long + 5))
        walls = [(-3, 0, 3 * i, 3, 2, 3 * i, "bedrock") for i in range(1, n + 1)]
        gates = [(2 * (-1) ** i, 0, 3 * i, 2 * (-1) ** i, 0, 3 * i, "oak_fence_gate") for i in range(1, n + 1)]
        holes = [(2 * (-1) ** i, 1, 3 * i, 2 * (-1) ** i, 2, 3 * i, "air") for i in range(1, n + 1)]
        sides: tuple[Fill, ...] = ((-4, 0, -3, -4, 2, 3 * n + 3, "bedrock"), (4, 0, -3, 4, 2, 3 * n + 3, "bedrock"))
        ground: Fill = (-4, -1, -3, 4, -1, 3 * n + 3, "bedrock")
        yield HardWay("gates", n, (ground, *sides, *walls, *holes, *gates), (0, 0, 3 * n + 2))
        top = 2 + 2 * n
        shaft: tuple[Fill, ...] = (
            (-1, -1, 1, 1, top - 1, 4, "bedrock"), (0, 0, 1, 0, 1, 2, "air"), (0, 0, 3, 0, top - 1, 3, "ladder"),
        )  # fmt: skip
        yield HardWay("ladder", n, (first, *shaft), (0, top, 4))
        rim: list[Fill] = [(-3, -2, 1, 3, -2, 4 * n + 4, "bedrock"), (-3, -1, 1, 3, -1, 4 * n + 4, "bedrock")]
        rim.append((-2, -1, 2, 2, -1, 4 * n + 3, "lava"))
        for i in range(n + 1):
            side = (-1) ** i
            rim.append((side, -1, 4 * i + 1, side, -1, 4 * i + 4, "bedrock"))
            rim.append((-1, -1, 4 * i + 4, 1, -1, 4 * i + 4, "bedrock"))
        yield HardWay("between lava", n, (first, *rim, bank(4 * n + 5)), (0, 0, 4 * n + 6))
        pit: tuple[Fill, ...] = (
            (-2, -1, -2, 2, n + 1, 4, "bedrock"), (0, 0, 0, 0, n + 1, 0, "air"),
        )  # fmt: skip
        yield HardWay("pit", n, pit, (0, n + 2, 3))
        yield HardWay("gap", n, (first, bank(2 + n)), (0, 0, 3 + n))
        down = 2 + 3 * n
        tower: tuple[Fill, ...] = ((-4, -down - 1, -4, 4, -down - 1, 8, "dirt"), (-1, -down, -1, 1, -1, 1, "dirt"))
        yield HardWay("down a tower", n, tower, (2, -down, 6))


@dataclass
class Found:
    """How one walker did on all ways."""

    found: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    health: float = 0.0
    """Health that was lost on the ways that were found."""
    seconds: float = 0.0
    """Game seconds of these."""

    def add(self, way: HardWay, end: Place, row: Json) -> None:
        x, y, z = row["position"]
        near = math.dist((x, y, z), (end[0] + 0.5, end[1], end[2] + 0.5)) <= NEAR and row["health"] > 0
        (self.found if near else self.lost).append(f"{way.kind} {way.size}")
        if near:
            self.health += row["lost"]
            self.seconds += row["seconds"]


def placed(ways: Iterable[HardWay]) -> list[tuple[HardWay, Place]]:
    return [(way, (APART * number, HIGH, 0)) for number, way in enumerate(ways, 1)]


async def ours(ways: list[tuple[HardWay, Place]], folder: Path, verbose: bool) -> Found:
    """Walk all ways with our bot."""
    settings = MinecraftSettings(speed=0.0, seed=1, mobs=False, cheats=True, fight="off", eat=False)
    world = MinecraftWorld(settings, folder / "minecraft", folder / "accounts")
    registry = Registry(world.commands())
    result = Found()

    async def do(name: str, **args: Any) -> str:
        call = registry.bind(name, args)
        return (await registry.call(replace(call, id=f"way:{name}"))).text

    await world.open()
    try:
        for way, at in ways:
            x, y, z = at
            await world.command(f"/tp {x + 0.5} {y + 40} {z + 0.5}")
            await do("wait", seconds=0.5)
            for command in way.commands(at, settings.username):
                await world.command(command)
            await do("wait", seconds=2.0)
            before, end = world.ticks or 0, way.end(at)
            said = await do("goto", **dict(zip("xyz", end, strict=True)))
            await world.observe()
            seen = world.observation
            row = {
                "position": [seen["position"][axis] for axis in "xyz"],
                "health": seen["health"],
                "lost": 20 - seen["health"],
                "seconds": ((world.ticks or 0) - before) / 20,
            }
            result.add(way, end, row)
            if verbose:
                print(way.kind, way.size, row, said, flush=True)
            if seen["health"] < 20:
                await world.command("/kill")
                await do("wait", seconds=1.0)
    finally:
        await world.close()
    return result


async def peer(plugin: str, ways: list[tuple[HardWay, Place]], folder: Path, verbose: bool) -> Found:
    """Walk all ways with a plain bot."""
    server = await PracticeServer.start({"seed": 1, "speed": 1, "mobs": False, "cheats": True}, folder / "server.log")
    environment = child_environment(
        AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)),
        AUTOCRAFT_PATH_FINDER_MODULES=str(packages(OTHER)) if plugin == "mineflayer-baritone" else "",
    )
    result = Found()
    child = await asyncio.create_subprocess_exec(
        find_node(), HERE / "peers" / "walker.js", str(server.port), plugin,
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None
    try:
        await child.stdout.readline()
        for way, at in ways:
            end = way.end(at)
            task = {"commands": way.commands(at, "walker"), "to": end, "seconds": SECONDS}
            child.stdin.write(json.dumps(task).encode() + b"\n")
            row = json.loads(await child.stdout.readline())
            result.add(way, end, row)
            if verbose:
                print(plugin, way.kind, way.size, row, flush=True)
    finally:
        child.kill()
        await child.wait()
        await server.close()
    return result


def show(rows: dict[str, Json]) -> None:
    kinds = list(dict.fromkeys(way.kind for way in hard_ways()))
    names = list(rows)

    def of(name: str, kind: str) -> str:
        return str(sum(way.rpartition(" ")[0] == kind for way in rows[name]["found"]))

    body = [[kind, *(of(name, kind) for name in names)] for kind in kinds]
    body.append(["all", *(str(len(rows[name]["found"])) for name in names)])
    body.append(["health lost", *(f"{rows[name]['health']:.0f}" for name in names)])
    body.append(["seconds", *(f"{rows[name]['seconds']:.0f}" for name in names)])
    print_table("hard ways that were found, of five of each kind", ["kind", *names], body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("ours", *PEERS), help="one walker alone; the figures of the others stay")
    parser.add_argument("--kind", help="one kind of way alone; its figures are not kept")
    parser.add_argument("-v", "--verbose", action="store_true", help="print each walk")
    chosen = parser.parse_args()
    about = machine()
    print_machine(about)
    ways = placed(way for way in hard_ways() if chosen.kind in (None, way.kind))
    rows: dict[str, Json] = {}
    for name in ("ours", *PEERS):
        if chosen.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            walk = ours if name == "ours" else partial(peer, name)
            rows[name] = asdict(asyncio.run(walk(ways, Path(folder), chosen.verbose)))
    show(rows)
    if chosen.kind is None:
        keep("hard_ways", about, kept("hard_ways") | rows)


if __name__ == "__main__":
    main()
