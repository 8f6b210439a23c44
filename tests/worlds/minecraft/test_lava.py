"""Where lava is near, the bot takes no step that it cannot take back."""

from __future__ import annotations

from typing import Any

from tests.worlds.minecraft.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor

REACH = 9


async def pool(player: Player) -> tuple[int, int, int]:
    """Put the bot on a floor of lava, on the one block of it that is stone. Returns where it stands."""
    x, y, z = await floor(player, reach=REACH + 1)
    for low, high in ((-REACH, -1), (1, REACH)):
        for area in (f"{x + low} {y - 1} {z - REACH} {x + high}", f"{x} {y - 1} {z + low} {x}"):
            end = z + (high if area.startswith(f"{x} ") else REACH)
            await player.world.command(f"/fill {area} {y - 1} {end} lava")
    return x, y, z


async def ticks(player: Player) -> int:
    assert player.world.server is not None
    state: Any = await player.world.server.ask("state")
    return int(state["tick"])


def test_a_bot_without_a_way_over_lava_stays_where_it_stands(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await pool(player)
        assert "No path" in await player.fails("goto", x=x + REACH + 1, y=y, z=z)
        assert await player.standing() == (x, y, z)
        assert (await player.seen())["health"] == 20

    stage.play(scene)


def test_over_a_bridge_across_lava_it_walks_and_elsewhere_it_runs(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, reach=REACH + 1)
        spent = []
        for block in ("lava", "stone"):
            await player.world.command(f"/tp {x - REACH - 0.5} {y} {z + 0.5}")
            await player.world.command(f"/fill {x - REACH} {y - 1} {z - REACH} {x + REACH} {y - 1} {z + REACH} {block}")
            await player.world.command(f"/fill {x - REACH} {y - 1} {z} {x + REACH} {y - 1} {z} stone")
            await player.must("wait", seconds=0.5)
            begun = await ticks(player)
            await player.must("goto", x=x + REACH + 1, y=y, z=z)
            spent.append(await ticks(player) - begun)
            assert (await player.seen())["health"] == 20
        assert spent[0] > 1.2 * spent[1], f"{spent} ticks, over lava and over stone"

    stage.play(scene)
