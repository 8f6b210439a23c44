"""One practice server and one bot for all the short scenes of a pytest worker, since a start takes longer than most."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.worlds.minecraft.playing import Player, ended, processes

LONGEST = 600
"""Seconds after which a scene hangs, also on a busy machine."""
APART = 640
"""Blocks between two scenes, more than the planner would send the bot to something that it remembers."""


class Stage:
    """A bot on a practice server with cheats. Both stay for the next scene, unless a scene fails."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runner = asyncio.Runner()
        self._player: Player | None = None
        self._starts = 0
        self._areas = 0
        self._spawn = (0, 0, 0)

    def area(self) -> tuple[int, int]:
        """Return the x and z of a place that no other scene has used, can see or would go to."""
        self._areas += 1
        return APART * self._areas, 0

    def play(self, scene: Callable[[Player], Awaitable[None]], **settings: Any) -> None:
        """Play one scene, in the morning, well and fed, with an empty inventory at the spawn point.

        With other settings the bot joins anew.
        """
        try:
            self._runner.run(asyncio.wait_for(self._played(scene, settings), LONGEST))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the bot and its server."""
        player, self._player = self._player, None
        if player is not None:
            self._runner.run(self._leave(player))

    async def _played(self, scene: Callable[[Player], Awaitable[None]], settings: dict[str, Any]) -> None:
        player = await self._ready(settings)
        player.world.report = player.hear
        await player.world.command("/clear")
        x, y, z = self._spawn
        seen = await player.seen()
        if min(seen["health"], seen["food"]) < 20 or seen["saturation"] < 5:  # after the scene before
            await player.world.command(f"/tp {x + 0.5} {y + 100} {z + 0.5}")  # no scene is held to be deadly
            await player.must("wait", seconds=0.5)  # so that it dies with nothing, and has no grave to go back to
            await player.fails("chat", text="/kill")
            await player.must("wait", seconds=1)
        await player.world.command("/time set 1000")
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.must("wait", seconds=0.5)
        player.notes.clear()
        await scene(player)

    async def _ready(self, settings: dict[str, Any]) -> Player:
        if self._player is None:
            self._starts += 1
            self._player = Player(self._folder / str(self._starts), cheats=True, fight="off", eat=False)
            self._usual = self._player.world.settings
            await self._player.world.open()
            self._spawn = await self._player.standing()
        world = self._player.world
        wanted = replace(self._usual, **settings)
        if wanted != world.settings and world.joining.bridge is not None:
            await world.joining.bridge.close()
        world.settings = world.joining.settings = wanted
        assert world.joining.server is not None
        await world.joining.server.ask("speed", speed=wanted.speed)
        return self._player

    @staticmethod
    async def _leave(player: Player) -> None:
        pids = processes(player)
        await player.world.close()
        await ended(*pids)


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("stage"))
    yield made
    made.close()
