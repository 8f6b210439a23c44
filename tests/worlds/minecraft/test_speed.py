"""The same seed and the same commands come to the same at any speed: what is told and carried, and how many ticks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from autocraft.worlds.minecraft.joining import Joining
from autocraft.worlds.minecraft.settings import MinecraftSettings
from autocraft.worlds.minecraft.world import MinecraftWorld
from tests.worlds.minecraft.playing import playing
from tests.worlds.minecraft.proxy import Proxy

pytestmark = pytest.mark.full

STEPS: list[tuple[str, dict[str, Any]]] = [
    ("mine_block", {"name": "oak_log", "count": 4}),
    ("craft_item", {"name": "oak_planks", "count": 12}),
    ("craft_item", {"name": "stick", "count": 4}),
    ("mine_block", {"name": "dirt", "count": 3}),
    ("explore_until", {"direction": "north", "seconds": 10, "block": "diamond_block"}),
    ("toss", {"name": "stick", "count": 2}),
    ("wait", {"seconds": 5}),
]


class JoiningInPieces(Joining):
    """A bot that gets what its practice server sends in small pieces, each read by itself."""

    async def _practice(self) -> int:
        self.proxy = Proxy(await super()._practice())
        self.proxy.piece = 97
        await self.proxy.open()
        return self.proxy.port

    async def close(self) -> None:
        await super().close()
        await self.proxy.close()


class InPieces(MinecraftWorld):
    def __init__(self, settings: MinecraftSettings, folder: Path, accounts: Path) -> None:
        super().__init__(settings, folder, accounts)
        state = self._state_to_join
        self.joining = JoiningInPieces(settings, folder, accounts, self._hear, self._tell, self.say, state)


async def played(speed: float, world: type[MinecraftWorld] = MinecraftWorld) -> dict[str, Any]:
    """What a run with mobs about comes to."""
    async with playing(world, speed=speed, mobs=True, seed=3) as player:
        told = [(await player.do(name, **args)).text for name, args in STEPS]
        seen = await player.seen()
        assert player.world.joining.server is not None
        state: Any = await player.world.joining.server.ask("state")
    return {
        "told": told,
        "inventory": seen["inventory"],
        "position": seen["position"],
        "ticks": state["tick"],
        "entities": state["entities"],
    }


def test_inventories_and_ticks_are_the_same_at_speed_1_and_10() -> None:
    slow = asyncio.run(played(1))
    assert slow["inventory"] and slow["ticks"] > 400
    assert asyncio.run(played(10)) == slow
    assert asyncio.run(played(0)) == slow


def test_it_does_not_depend_on_how_the_connection_cuts_what_is_sent() -> None:
    assert asyncio.run(played(0, InPieces)) == asyncio.run(played(0))
