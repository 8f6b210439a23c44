"""A small Minecraft server of other versions for the tests, independent of ours and of flying-squid: `node/standin/`.

It is written on minecraft-protocol alone and answers as vanilla does in the packets that matter to a bot, since no
independent server can be had from npm or PyPI: what there is downloads Mojang's own. Neighbours: `playing.py` plays on
it, `test_other_servers.py` says what must work there.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import PACKAGES
from tests.worlds.minecraft.playing import HERE, Player, ended


class StandIn:
    """One running server; `tell` gives it a line such as "hurt 20", "kick KEY" or "say NAME WORDS"."""

    def __init__(self, child: asyncio.subprocess.Process, port: int) -> None:
        self.child = child
        self.port = port

    async def tell(self, line: str) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(f"{line}\n".encode())
        await self.child.stdin.drain()


@contextlib.asynccontextmanager
async def standing_in(version: str, **settings: Any) -> AsyncIterator[StandIn]:
    """A server of this version, with the settings of `node/standin/main.js`; its process is gone afterwards."""
    child = await asyncio.create_subprocess_exec(
        str(find_node()),
        "standin/main.js",
        version,
        json.dumps(settings),
        cwd=HERE / "node",
        env=child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        line = await asyncio.wait_for(child.stdout.readline(), 60)
        yield StandIn(child, json.loads(line)["port"])
    finally:
        child.stdin.close()
        try:
            await asyncio.wait_for(child.wait(), 5)
        except TimeoutError:
            child.kill()
            await child.wait()


@contextlib.asynccontextmanager
async def joined(server: StandIn, **settings: Any) -> AsyncIterator[Player]:
    """A player on it, not told its version; afterwards the bot's process must be gone."""
    with tempfile.TemporaryDirectory() as folder:
        player = Player(Path(folder), server=f"127.0.0.1:{server.port}", **{"fight": "off", "eat": False, **settings})
        pids: list[int] = []
        try:
            await player.world.open()
            pids = player.world.processes
            yield player
        finally:
            await player.world.close()
        await ended(*pids)
