"""A small Minecraft server of other versions for the tests, independent of ours and of flying-squid: `node/standin/`.

It uses only minecraft-protocol, and answers as vanilla does in the packets that matter to a bot. npm and PyPI have no
independent server: all packages download Mojang's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from tests.worlds.minecraft.playing import Player, playing, serving


class StandIn:
    """One running server. `tell` sends it one of the lines that `node/standin/main.js` names, such as "hurt 20"."""

    def __init__(self, child: asyncio.subprocess.Process, port: int) -> None:
        self.child = child
        self.port = port

    async def has(self, done: str) -> None:
        """Wait until it has done something with a window: "opened" or "clicked"."""
        assert self.child.stdout is not None
        while (await self.child.stdout.readline()).decode().strip() != done:
            assert self.child.returncode is None

    async def tell(self, line: str) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(f"{line}\n".encode())
        await self.child.stdin.drain()


@contextlib.asynccontextmanager
async def standing_in(version: str, **settings: Any) -> AsyncIterator[StandIn]:
    """Yield a server of this version, with the settings of `node/standin/main.js`. End it afterwards."""
    async with serving("standin/main.js", version, json.dumps(settings)) as (child, port):
        yield StandIn(child, port)


@contextlib.asynccontextmanager
async def joined(server: StandIn, **settings: Any) -> AsyncIterator[Player]:
    """Yield a player on the server, who is not told its version. Afterwards the bot's process must have ended."""
    async with playing(server=f"127.0.0.1:{server.port}", **{"fight": "off", "eat": False, **settings}) as player:
        yield player
