"""Buildings on the practice server: planned, built block by block, compared by the server's own state, taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from autocraft.building.commands import BuildingCommands
from autocraft.commands.registry import Registry
from autocraft.commands.workspace import Workspace
from autocraft.protocols import PROGRAM, Result, commands_of
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import HIGH, Player, floor


class Run:
    """The parts of a run that planning needs."""

    def __init__(self, player: Player, folder: Path) -> None:
        self.world = player.world
        building = BuildingCommands(Workspace(folder), lambda run: run)
        self.registry = Registry([*player.world.commands(), *commands_of(building)], run=self)
        player.registry = self.registry


async def planned(player: Player, blueprint: str, **at: Any) -> str:
    """Return the id of the plan of a building."""
    text = await player.must("plan_build", blueprint=blueprint, **at)
    return text.rsplit("plan ", 1)[1].split()[0]


async def laid(player: Player, plan: str) -> Result:
    """Place the blocks of a plan, as `build` does after it has gathered them."""
    call = player.registry.bind("lay_blocks", {"plan": plan}, agent=PROGRAM)
    return await player.registry.call(replace(call, id=f"laid:{plan}"))


async def meadow(player: Player, at: tuple[int, int]) -> tuple[int, int, int]:
    """Make a floor with a layer of earth on it, and put the bot into its middle. Return where it stands."""
    x, y, z = await floor(player, at, 14)
    await player.world.command(f"/fill {x - 14} {y} {z - 14} {x + 14} {y} {z + 14} grass_block")
    await player.world.command(f"/tp {x + 0.5} {y + 1} {z + 0.5}")
    await player.must("wait", seconds=1)
    return x, y + 1, z


def test_a_cabin_is_built_and_the_bot_walks_in(stage: Stage, tmp_path: Path) -> None:
    async def scene(player: Player) -> None:
        Run(player, tmp_path)
        x, y, z = await meadow(player, stage.area())
        await player.give(oak_planks=96, oak_door=1, torch=1)
        plan = await planned(player, "house 5x5, oak, torch", x=x + 3, y=y - 1, z=z - 2)
        print(await player.must("survey", x1=x + 2, y1=y - 1, z1=z - 3, x2=x + 8, y2=y, z2=z + 4))
        print(await player.must("find_site", width=5, depth=6, radius=12))
        import time

        t = time.time()
        k = await player.ticks()
        done = await laid(player, plan)
        print(done.text, time.time() - t, await player.ticks() - k)
        print(await player.must("survey", x1=x - 3, y1=y - 1, z1=z - 4, x2=x + 9, y2=y + 4, z2=z + 6))
        assert done.ok

    stage.play(scene)
