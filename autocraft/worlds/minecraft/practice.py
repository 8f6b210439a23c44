"""The practice server by itself, for a person's own client or other bots."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path

from autocraft.agent.signals import on_signals
from autocraft.errors import UsageError
from autocraft.node import find_node, packages, show_progress
from autocraft.protocols import Json
from autocraft.text.sanitize import clean_line
from autocraft.worlds.minecraft.faults import WorldLost
from autocraft.worlds.minecraft.packages import PACKAGES
from autocraft.worlds.minecraft.server import PracticeServer


async def serve(options: Json, log: Path, say: Callable[[str], None]) -> int:
    """Run until Ctrl-C or SIGTERM, and save at the end. Raises UsageError, NodeMissing, WorldLost.

    `say` shows the person a line.
    """
    if not 0 <= options["port"] < 65536:
        raise UsageError(f"--port {options['port']} is not a port: give 0 to 65535")
    if not (math.isfinite(options["speed"]) and 0 <= options["speed"] <= 1000):
        raise UsageError(f"--speed {options['speed']:g}: give 1 for Minecraft's own, or up to 1000; 0 is no limit")
    node = find_node()
    modules = packages(PACKAGES, say=show_progress)
    stop = asyncio.Event()
    on_signals(SIGINT=stop.set, SIGTERM=stop.set, SIGHUP=stop.set)

    def hear(line: Json) -> None:
        if line.get("event") in ("joined", "left"):
            say(f"{clean_line(str(line.get('username')))} {line['event']}")
        elif line.get("event") == "notSaved":
            say(f"The practice world could not be saved: {clean_line(str(line.get('error')))}")
        elif line.get("event") == "gone":
            stop.set()

    server = await PracticeServer.start(node, modules, options, log, hear)
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
