"""Where lava is near, the bot takes no step that it cannot take back."""

from __future__ import annotations

import pytest

from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor

REACH = 9


async def lay(player: Player, at: tuple[int, int, int], block: str, path: int) -> None:
    """Lay a block all around a place, with a row of stone through it, `path` blocks long to both sides.

    The bot is put on the rim before.
    """
    x, y, z = at
    await player.world.command(f"/tp {x - REACH - 0.5} {y} {z + 0.5}")
    await player.world.command(f"/fill {x - REACH} {y - 1} {z - REACH} {x + REACH} {y - 1} {z + REACH} {block}")
    await player.world.command(f"/fill {x - path} {y - 1} {z} {x + path} {y - 1} {z} stone")
    await player.must("wait", seconds=0.5)


@pytest.mark.full
def test_a_bot_without_a_way_over_lava_stays_where_it_stands(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = at = await floor(player, stage.area(), reach=REACH + 1)
        await lay(player, at, "lava", 0)
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        assert "No path" in await player.fails("goto", x=x + REACH + 1, y=y, z=z)
        assert await player.standing() == (x, y, z)
        assert (await player.seen())["health"] == 20

    stage.play(scene)


@pytest.mark.full
def test_over_a_bridge_across_lava_it_walks_and_elsewhere_it_runs(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = at = await floor(player, stage.area(), reach=REACH + 1)
        spent = []
        for block in ("lava", "stone"):
            await lay(player, at, block, REACH)
            begun = await player.ticks()
            await player.must("goto", x=x + REACH + 1, y=y, z=z)
            spent.append(await player.ticks() - begun)
            assert (await player.seen())["health"] == 20
        assert spent[0] > 1.2 * spent[1], f"{spent} ticks, over lava and over stone"

    stage.play(scene)


@pytest.mark.full
def test_a_block_on_lava_is_not_broken_under_the_own_feet(stage: Stage) -> None:
    """With obsidian that it had made of lava, the bot fell into the lava below, and lost all that it carried."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x} {y - 3} {z} {x} {y - 2} {z} lava")
        await player.world.command(f"/setblock {x} {y - 1} {z} obsidian")
        await player.give(diamond_pickaxe=1)
        assert "the obsidian nearby lies on lava" in await player.fails("mine_block", name="obsidian")
        await player.do("dig", x=x, y=y - 1, z=z)  # what it drops may burn
        assert await player.standing() != (x, y, z)
        assert (await player.seen())["health"] == 20

    stage.play(scene)


@pytest.mark.full
def test_a_bucket_is_filled_where_nothing_is_between(stage: Stage) -> None:
    """The bot stood behind a wall, two blocks from the lava: near enough, and nothing came, again and again."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/setblock {x + 2} {y - 2} {z} stone")
        await player.world.command(f"/setblock {x + 2} {y - 1} {z} lava")
        await player.world.command(f"/fill {x + 1} {y} {z - 1} {x + 1} {y + 1} {z + 1} stone")
        await player.give(bucket=1)
        assert await player.must("fill_bucket", name="lava") == (
            "Filled a bucket: lava_bucket. Got 1 lava_bucket. Used 1 bucket. Now there are 0 bucket, 1 lava_bucket."
        )
        assert (await player.seen())["health"] == 20

    stage.play(scene)


@pytest.mark.full
def test_a_bot_that_sinks_in_water_fills_a_bucket_with_lava(stage: Stage) -> None:
    """It looked at the lava while it sank into the water that it had poured, and clicked on the ground before it."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 7} {y - 3} {z - 7} {x + 7} {y - 2} {z + 7} stone")
        await player.world.command(f"/setblock {x} {y - 1} {z} water")
        await player.world.command(f"/setblock {x - 3} {y - 1} {z} lava")
        await player.give(bucket=1)
        await player.world.command(f"/tp {x + 0.5} {y - 0.2} {z + 0.5}")
        await player.must("fill_bucket", name="lava")
        assert await player.standing() == (x, y - 1, z), "it need not go elsewhere"

    stage.play(scene)
