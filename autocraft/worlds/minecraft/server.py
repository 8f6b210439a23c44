"""The practice server as a child process: started, saved and stopped over stdio. It listens on loopback only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from autocraft.node import child_environment
from autocraft.protocols import Json
from autocraft.worlds.minecraft.child import NodeChild, error_of
from autocraft.worlds.minecraft.confined import confined_node
from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from autocraft.worlds.minecraft.packages import NODE_FOLDER

READY = 60.0
"""Seconds in which it must make its world and listen."""
PING, SILENT = 2.0, 120.0
"""Seconds between two pings during a command, and how long one may stay unanswered. A server in a loop ends sooner."""


class PracticeServer:
    """One running practice server. `port` and `version` are what a client needs."""

    def __init__(self, child: NodeChild, port: int, version: str) -> None:
        self.child = child
        self.port = port
        self.version = version
        self.silent = SILENT

    @classmethod
    async def start(
        cls, node: Path, modules: Path, options: Json, log: Path, on_event: Callable[[Json], None] = lambda event: None
    ) -> PracticeServer:
        """Start it and wait until it listens. `options` are those of `node/README.md`. Raises WorldLost."""
        ready: asyncio.Future[Json] = asyncio.get_running_loop().create_future()

        def hear(event: Json) -> None:
            if event.get("event") in ("ready", "failed", "gone") and not ready.done():
                ready.set_result(event)
            on_event(event)

        arguments = ["--max-old-space-size=1024", str(NODE_FOLDER / "server" / "main.js")]
        child = await NodeChild.start(
            confined_node(node, modules, arguments, writable=_world_folder(options)),
            child_environment(AUTOCRAFT_NODE_MODULES=str(modules)),
            log,
            hear,
        )
        child.send(options)
        try:
            async with asyncio.timeout(READY):
                event = await ready
        except TimeoutError:
            await child.kill()
            raise WorldLost(f"the practice server was not ready within {READY:g} seconds; its log is {log}") from None
        except asyncio.CancelledError:
            await child.kill()
            raise
        if event["event"] != "ready":
            await child.kill()
            raise WorldLost(f"the practice server did not start: {event.get('error') or event.get('why')}")
        return cls(child, int(event["port"]), str(event["version"]))

    @property
    def running(self) -> bool:
        return not self.child.gone.is_set()

    async def ask(self, do: str, seconds: float = 10, **more: object) -> object:
        """Send freeze, thaw, speed, save, tick or state, and return the answer. Raises BotFault."""
        reply = await self.child.request({"do": do, **more}, seconds)
        fault = error_of(reply)
        if fault is not None:
            raise BotFault(f"the practice server: {fault}", fault.kind)
        return reply.get("result")

    async def watch(self) -> None:
        """Return when it hangs or has ended. One that hangs is killed, so that a bot sees its connection end."""
        while self.running:
            await asyncio.sleep(PING)
            try:
                await self.ask("state", self.silent)
            except BotFault as fault:
                if fault.kind == "hung":
                    await self.child.kill()
                    return

    async def close(self) -> None:
        """Let it save and leave. Kill it if it does not leave."""
        await self.child.close()


def _world_folder(options: Json) -> list[Path]:
    """Return the folder of the world in a list, and create it. The list is empty if the world is not saved."""
    if not options.get("folder"):
        return []
    folder = Path(options["folder"])
    with contextlib.suppress(OSError):  # the server reports the error
        folder.mkdir(parents=True, exist_ok=True)
    return [folder]
