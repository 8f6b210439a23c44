"""Helpers of the tests of the Minecraft world: Node and its packages, a world to play in, and its processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from autocraft.commands.registry import Registry
from autocraft.node import child_environment, find_node, packages
from autocraft.protocols import Result
from autocraft.session.events import Event, Note
from autocraft.worlds.minecraft.child import NodeChild
from autocraft.worlds.minecraft.packages import PACKAGES
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from tests.processes import alive
from tests.waiting import PATIENCE

HERE = Path(__file__).parent
HIGH = 180
"""Where floors are laid: no ground is so near that a command would find something in it."""
FAST: dict[str, Any] = {"speed": 0.0, "mobs": False, "seed": 1}


def node_environment() -> dict[str, str]:
    """Return variables that say where Node and its packages are. They are fetched once into the user's folder."""
    return {"AUTOCRAFT_NODE": str(find_node()), "AUTOCRAFT_NODE_MODULES": str(packages(PACKAGES))}


class Player:
    """A world with its commands, which a registry calls as in the loop."""

    def __init__(self, folder: Path, world: type[MinecraftWorld] = MinecraftWorld, **settings: Any) -> None:
        self.notes: list[str] = []
        self._noted = asyncio.Event()
        self.world = world(MinecraftSettings(**{**FAST, **settings}), folder / "minecraft", folder / "accounts")
        self.world.report = self.hear
        self.registry = Registry(self.world.commands())
        self.calls = 0

    def hear(self, event: Event) -> None:
        """Keep the text of a note. The world reports its events to this."""
        if isinstance(event, Note):
            self.notes.append(event.text)
            self._noted.set()

    async def told(self, text: str) -> str:
        """Wait, without any command, for a note that holds the text, and return it."""
        while True:
            for note in self.notes:
                if text in note:
                    return note
            self._noted.clear()
            await self._noted.wait()

    async def do(self, command: str, **args: Any) -> Result:
        self.calls += 1
        return await self.registry.call(replace(self.registry.bind(command, args), id=f"test:{self.calls}"))

    async def must(self, command: str, **args: Any) -> str:
        done = await self.do(command, **args)
        assert done.ok, f"{command} {args}: {done.text} {done.trace}"
        return done.text

    async def fails(self, command: str, **args: Any) -> str:
        done = await self.do(command, **args)
        assert not done.ok, f"{command} {args} should have failed: {done.text}"
        return done.text

    async def seen(self) -> dict[str, Any]:
        """Return the values behind the observation."""
        await self.world.observe()
        return self.world.observation

    async def looks(self, met: Callable[[dict[str, Any]], Any]) -> None:
        """Observe until `met` accepts the values behind the observation. Raises TimeoutError if it takes too long."""
        async with asyncio.timeout(PATIENCE):
            while True:
                if met(await self.seen()):
                    return
                await asyncio.sleep(0.05)

    async def standing(self) -> tuple[int, int, int]:
        at = (await self.seen())["position"]
        return int(at["x"] // 1), int(at["y"] // 1), int(at["z"] // 1)

    async def ticks(self) -> int:
        """Return the age of the practice world in ticks."""
        assert self.world.joining.server is not None
        state: Any = await self.world.joining.server.ask("state")
        return int(state["tick"])

    async def give(self, **items: int) -> None:
        """Put items into the inventory with the server's own command. This needs `cheats`."""
        for name, count in items.items():
            await self.must("chat", text=f"/give {self.world.settings.username} {name} {count}")
        await self.must("wait", seconds=0.5)


def processes(player: Player) -> list[int]:
    """Return the process ids of the children that run now: the bot, the practice server."""
    bridge, server = player.world.joining.bridge, player.world.joining.server
    children = (bridge and bridge._child, server and server.child)
    return [child.pid for child in children if child and not child.gone.is_set()]


async def floor(player: Player, at: tuple[int, int] | None = None, reach: int = 7) -> tuple[int, int, int]:
    """Make a lit stone floor of `2 * reach + 1` squared high above x, z, or above the bot. Put the bot in its middle.

    Return the place of the bot.
    """
    if at is None:
        here = await player.standing()
        at = here[0], here[2]
    (x, z), y = at, HIGH
    await player.world.command(f"/fill {x - reach} {y - 1} {z - reach} {x + reach} {y - 1} {z + reach} stone")
    await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
    await player.must("wait", seconds=1)
    return x, y, z


async def under_way(player: Player, work: asyncio.Task[Any], ticks: int = 5) -> None:
    """Wait for some ticks of the world, which pass only while a command runs. Fails if the command ends before."""
    end = await player.ticks() + ticks
    while await player.ticks() < end:
        assert not work.done(), f"it was over before its middle: {work.result()}"


async def begun(player: Player, work: asyncio.Task[Any]) -> None:
    """Wait until the bot has begun a command. It takes what it is asked in order."""
    bridge = player.world.joining.bridge
    assert bridge is not None and bridge._child is not None
    while not bridge._child._waiting:
        await asyncio.wait([work], timeout=0.01)
    await player.seen()


async def no_ping(child: NodeChild | None, beside: int = 0) -> None:
    """Wait until a child has answered all requests but so many, so that no ping with the usual patience is out."""
    assert child is not None
    while len(child._waiting) > beside:
        await asyncio.wait(child._waiting.values(), return_when=asyncio.FIRST_COMPLETED)


@contextlib.asynccontextmanager
async def playing(world: type[MinecraftWorld] = MinecraftWorld, **settings: Any) -> AsyncIterator[Player]:
    """Yield a player, by default on its own practice server. Afterwards all their processes must have ended."""
    with tempfile.TemporaryDirectory() as folder:
        player = Player(Path(folder), world, **settings)
        pids: list[int] = []
        try:
            await player.world.open()
            pids = processes(player)
            yield player
        finally:
            await player.world.close()
        await ended(*pids)


@contextlib.asynccontextmanager
async def serving(*script: str, modules: Path | None = None) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """Yield a server that a script of `node/` runs, and its port. End its process afterwards.

    `modules` is a folder of packages other than the bot's.
    """
    child = await asyncio.create_subprocess_exec(
        str(find_node()),
        *script,
        cwd=HERE / "node",
        env=child_environment(AUTOCRAFT_NODE_MODULES=str(modules or packages(PACKAGES))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        line = await asyncio.wait_for(child.stdout.readline(), 600)
        yield child, int(json.loads(line)["port"])
    finally:
        child.stdin.close()
        try:
            await asyncio.wait_for(child.wait(), 5)
        except TimeoutError:
            child.kill()
            await child.wait()


def play(scene: Coroutine[Any, Any, None]) -> None:
    """Play a scene to its end. Fails the test if it hangs, also on a busy machine."""
    asyncio.run(asyncio.wait_for(scene, 600))


async def ended(*pids: int) -> None:
    """Wait for the end of killed processes, which takes the system a moment. Fails if one still runs."""
    for _ in range(1200):
        if not any(alive(pid) for pid in pids):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"still running: {[pid for pid in pids if alive(pid)]}")
