"""The practice server as a child process: started, saved and stopped over stdio. It listens on loopback only."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from autocraft.errors import InUse
from autocraft.node import child_environment
from autocraft.protocols import Json
from autocraft.session.atomic import lock_file
from autocraft.worlds.minecraft.child import NodeChild, error_of
from autocraft.worlds.minecraft.confined import confined_node
from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from autocraft.worlds.minecraft.packages import NODE_FOLDER

PING, SILENT = 2.0, 120.0
"""Seconds between two pings during a command, and how long one may stay unanswered. A server in a loop ends sooner."""


class PracticeServer:
    """One running practice server. `port` and `version` are what a client needs."""

    def __init__(self, child: NodeChild, port: int, version: str, held: ExitStack) -> None:
        self.child = child
        self._held = held
        self.port = port
        self.version = version
        self.silent = SILENT

    @classmethod
    async def start(
        cls, node: Path, modules: Path, options: Json, log: Path, on_event: Callable[[Json], None] = lambda event: None
    ) -> PracticeServer:
        """Start it and wait until it listens. `options` are those of `node/README.md`. Raises WorldLost."""
        arguments = ["--max-old-space-size=1024", str(NODE_FOLDER / "server" / "main.js")]
        folder = Path(options["folder"]) if options.get("folder") else None
        with ExitStack() as held:
            lock = held.enter_context(_lock(folder)) if folder else None
            child, about = await NodeChild.listening(
                "the practice server",
                confined_node(node, modules, arguments, writable=[folder] if folder else []),
                child_environment(AUTOCRAFT_NODE_MODULES=str(modules)),
                log,
                on_event,
                options,
                inherits=lock,
            )
            return cls(child, int(about["port"]), str(about["version"]), held.pop_all())

    @property
    def running(self) -> bool:
        return not self.child.gone.is_set()

    async def ask(self, method: str, seconds: float = 10, **params: object) -> object:
        """Call freeze, thaw, speed, save, tick or state, and return the answer. Raises BotFault."""
        reply = await self.child.request({"method": method, "params": params}, seconds)
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
        self._held.close()


def _lock(folder: Path) -> IO[str]:
    """Create the folder of a world, and return its lock.

    Raises WorldLost if another server holds it, or if nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return lock_file(folder / "lock", f"the practice world in {folder}", ", or name another folder")
    except OSError as error:
        why = f"the folder {folder} cannot be used ({error.strerror}); name another one"
    except InUse as error:
        why = str(error)
    raise WorldLost(f"the practice server did not start: {why}")
