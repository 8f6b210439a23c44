"""The practice server as a child process: started, saved and stopped over stdio. It listens on loopback only."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from autocraft.agent.signals import on_signals
from autocraft.agent.threads import run_in_thread
from autocraft.errors import InUse, LeftInUse, UsageError
from autocraft.node import child_environment, find_node, packages, show_progress
from autocraft.protocols import Json
from autocraft.session.atomic import lock_file
from autocraft.text.sanitize import clean_line
from autocraft.worlds.minecraft.child import NodeChild, error_of
from autocraft.worlds.minecraft.confined import confined_node
from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES

PING, SILENT, SAVING = 2.0, 120.0, 60.0
"""Seconds between two pings in a command, to answer one, and to save at the end. A server in a loop ends sooner."""
WAITS = 600
"""How often the lock of a world is asked for while it is saved."""


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
        cls, options: Json, log: Path, on_event: Callable[[Json], None] = lambda event: None
    ) -> PracticeServer:
        """Start it and wait until it listens. Raises NodeMissing and WorldLost.

        `options` are those of `node/README.md`. Its packages are fetched at the first time.
        """
        modules = await run_in_thread(packages, PACKAGES, say=show_progress)
        arguments = ["--max-old-space-size=1024", str(NODE_FOLDER / "server" / "main.js")]
        folder = Path(options["folder"]) if options.get("folder") else None
        with ExitStack() as held:
            lock = held.enter_context(await _lock(folder, on_event)) if folder else None
            child, about = await NodeChild.listening(
                "the practice server",
                confined_node(find_node(), modules, arguments, writable=[folder] if folder else []),
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

    async def ask(self, method: str, seconds: float = SILENT, **params: object) -> object:
        """Call freeze, thaw, speed, save, tick or state, and return the answer. Raises BotFault."""
        reply = await self.child.request({"method": method, "params": params}, seconds)
        if fault := error_of(reply):
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
        await self.child.close(SAVING)
        self._held.close()


async def _lock(folder: Path, on_event: Callable[[Json], None]) -> IO[str]:
    """Create the folder of a world and return its lock. Wait while the server of a killed run saves that world.

    Raises WorldLost if another run holds it, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        for left in reversed(range(WAITS)):
            try:
                return lock_file(folder / "lock", f"the practice world in {folder}", ", or name another folder")
            except LeftInUse:
                if left == 0:
                    raise
            if left == WAITS - 10:
                on_event({"event": "waiting"})
            await asyncio.sleep(SAVING / WAITS)
    except OSError as error:
        why = f"the folder {folder} cannot be used ({error.strerror}); name another one"
    except InUse as error:
        why = str(error)
    raise WorldLost(f"the practice server did not start: {why}")


def news(event: Json) -> str:
    """Return the line that tells the person about an event of the server. Return "" for other events."""
    if event.get("event") == "notSaved":
        return f"The practice world could not be saved: {clean_line(str(event.get('error')))}"
    return "An earlier run still saves the practice world. Waiting for it." if event.get("event") == "waiting" else ""


async def serve(options: Json, log: Path, say: Callable[[str], None]) -> int:
    """Run the practice server alone until Ctrl-C or SIGTERM, and save at the end. `say` shows the person a line.

    Raises UsageError, NodeMissing and WorldLost.
    """
    if not 0 <= options["port"] < 65536:
        raise UsageError(f"--port {options['port']} is not a port: give 0 to 65535")
    if not (math.isfinite(options["speed"]) and 0 <= options["speed"] <= 1000):
        raise UsageError(f"--speed {options['speed']:g}: give 1 for Minecraft's own, or up to 1000; 0 is no limit")
    stop = asyncio.Event()
    on_signals(SIGINT=stop.set, SIGTERM=stop.set, SIGHUP=stop.set)

    def hear(line: Json) -> None:
        if line.get("event") in ("joined", "left"):
            say(f"{clean_line(str(line.get('username')))} {line['event']}")
        elif line.get("event") == "gone":
            stop.set()
        elif said := news(line):
            say(said)

    server = await PracticeServer.start(options, log, hear)
    try:
        say(
            f"Practice server on 127.0.0.1:{server.port}, seed {options['seed']}: a practice world, not vanilla. "
            f"Minecraft {server.version}, Multiplayer, Direct Connection, 127.0.0.1:{server.port}. Ctrl-C ends it."
        )
        await stop.wait()
        if not server.running:
            raise WorldLost(f"the practice server ended: {server.child.why}")
    finally:
        say("\nThe practice server ends.")  # on a line of its own, below the ^C of a terminal
        await server.close()
    return 0
