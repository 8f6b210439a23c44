"""What the page of the player's view gets, as its wire says it, and who may not ask for it."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.worlds.minecraft.playing import Player

pytestmark = pytest.mark.full

SEPARATOR = "\x1e"
"""Between two messages of one poll."""


class Watcher:
    """A browser's connection, by the polls of Engine.IO 4 and the messages of Socket.IO 5."""

    def __init__(self, address: str) -> None:
        self.http = httpx2.AsyncClient(timeout=60)
        self.address = f"{address}socket.io/"
        self.query = {"EIO": "4", "transport": "polling"}
        self.told: list[tuple[str, Any]] = []

    async def enter(self) -> None:
        opened = await self.http.get(self.address, params=self.query)
        self.query["sid"] = json.loads(opened.text[1:])["sid"]
        await self.http.post(self.address, params=self.query, content="40")

    async def until(self, name: str, count: int = 1) -> Any:
        """Return what the last message of this name says, once so many came."""
        while [each for each, _ in self.told].count(name) < count:
            polled = await self.http.get(self.address, params=self.query)
            for message in polled.text.split(SEPARATOR):
                if message == "2":
                    await self.http.post(self.address, params=self.query, content="3")
                elif message.startswith("42"):
                    self.told.append(tuple(json.loads(message[2:])))
        return next(value for each, value in reversed(self.told) if each == name)

    async def leave(self) -> None:
        await self.http.post(self.address, params=self.query, content="1")
        await self.http.aclose()


def test_a_browser_is_told_what_is_seen_and_what_changes(tmp_path: Path) -> None:
    async def play() -> None:
        player = Player(tmp_path, cheats=True)
        try:
            await player.seen()
            watcher = Watcher(await player.world.view(print))
            await watcher.enter()
            assert player.world.joining.bridge is not None
            assert await watcher.until("version") == player.world.joining.bridge.about["version"]
            column = await watcher.until("loadChunk", 9)
            assert column["x"] % 16 == column["z"] % 16 == 0 and json.loads(column["chunk"])["sections"]
            stand = await watcher.until("position")
            x, y, z = await player.standing()
            assert [math.floor(stand["pos"][axis]) for axis in "xyz"] == [x, y, z]
            await player.world.command(f"/setblock {x + 2} {y + 3} {z} gold_block")
            changed = await watcher.until("blockUpdate")
            assert changed["pos"] == {"x": x + 2, "y": y + 3, "z": z} and changed["stateId"] != 0
            await watcher.leave()
        finally:
            await player.world.close()

    asyncio.run(play())


def test_nobody_else_sees_it(tmp_path: Path) -> None:
    async def play() -> None:
        player = Player(tmp_path)
        try:
            await player.seen()
            address = await player.world.view(print)
            root = address[: address.index("/", 8) + 1]
            async with httpx2.AsyncClient() as other:
                assert (await other.get(address)).status_code == 200, "the control"
                for name in ("", "index.js", "socket.io/?EIO=4&transport=polling", f"x{address.rsplit('/', 2)[1]}/"):
                    assert (await other.get(root + name)).status_code == 404, name
                sockets = f"{address}socket.io/?EIO=4&transport=polling"
                assert (await other.get(sockets)).status_code == 200, "the control"
                for headers in ({"Host": "evil.example"}, {"Origin": "http://127.0.0.1:1"}, {"Origin": "null"}):
                    assert (await other.get(address, headers=headers)).status_code == 403, headers
                    assert (await other.get(sockets, headers=headers)).status_code == 403, headers
                page = await other.get(address)
                assert "default-src 'self'" in page.headers["content-security-policy"]
                outside = await other.get(f"{address}..%2f..%2fpackage.json")
                assert outside.status_code in (403, 404)
        finally:
            await player.world.close()

    asyncio.run(play())
