"""What the person has fenced off stays as it is, whatever a command or the pathfinder wants."""

from __future__ import annotations

import asyncio
import re

import pytest

from autocraft.errors import CommandError
from tests.worlds.minecraft.playing import Player, play, playing
from tests.worlds.minecraft.talking import talker
from tests.worlds.minecraft.test_commands import flat


async def places(player: Player, name: str) -> set[str]:
    """Where blocks of this kind are."""
    return set(re.findall(r"\(.*?\)", await player.must("find_block", name=name)))


def test_a_fence_holds_for_commands_and_for_the_pathfinder() -> None:
    async def scene() -> None:
        async with playing(cheats=True) as player:
            x, y, z = await flat(player)
        fence = f"{x - 4},{z - 4},{x + 4},{z + 4}"
        async with playing(cheats=True, fence=fence, heights=f"{y - 3},{y + 8}") as player:
            assert await flat(player) == (x, y, z)
            await player.give(iron_pickaxe=1, dirt=20)
            outside = {"x": x + 6, "y": y - 1, "z": z}
            assert "is outside the fence" in await player.fails("dig", **outside)
            assert "is outside the fence" in await player.fails("goto", **outside)
            assert "is outside the fence" in await player.fails("place_item", name="dirt", x=x + 5, y=y, z=z)
            assert "is outside the heights" in await player.fails("place_item", name="dirt", x=x, y=y + 20, z=z)
            assert "please explore first" in await player.fails("mine_block", name="oak_log")
            assert "is outside the heights" in await player.fails("goto", x=x, y=y + 20, z=z)
            await player.world.command(f"/setblock {x + 5} {y} {z} oak_door")
            await player.world.command(f"/setblock {x + 5} {y - 1} {z + 1} dirt")
            await player.give(stone_hoe=1, water_bucket=1)
            assert "is outside the fence" in await player.fails("activate", x=x + 5, y=y, z=z)
            assert "is outside the fence" in await player.fails("till", x=x + 5, y=y - 1, z=z + 1)
            assert "is outside the fence" in await player.fails(
                "place_item", name="water_bucket", x=x + 5, y=y, z=z + 2
            )

            # what is wanted lies inside, but every way to it leads over the fence
            for row in range(-4, 5):
                for up in range(9):
                    await player.world.command(f"/setblock {x + row} {y + up} {z + 2} bedrock")
            await player.world.command(f"/setblock {x} {y} {z + 4} diamond_block")
            await player.must("wait", seconds=0.5)
            for out in (x - 5, x + 5):  # the way around, were it not outside, leads through dirt that can be dug
                for up in range(3):
                    await player.world.command(f"/setblock {out} {y + up} {z + 2} dirt")
            before = await player.must("find_block", name="diamond_block")
            fenced = await places(player, "dirt")
            assert len(fenced) == 7
            assert "No path" in await player.fails("goto", x=x, y=y, z=z + 4)
            assert "No path" in await player.fails("mine_block", name="diamond_block")
            assert (await player.must("find_block", name="diamond_block")).split(",")[:2] == before.split(",")[:2]
            assert await places(player, "dirt") == fenced
            here = await player.standing()
            assert abs(here[0] - x) <= 4 and abs(here[2] - z) <= 4

    play(scene())


def test_protected_blocks_and_friends_are_spared() -> None:
    async def scene() -> None:
        async with playing(cheats=True, never_attack=("player", "sheep"), protected=("gold_*", "chest")) as player:
            x, y, z = await flat(player)
            await player.give(iron_pickaxe=1, chest=1)
            await player.world.command(f"/setblock {x + 2} {y} {z} gold_block")
            await player.world.command(f"/summon sheep {x - 3} {y} {z}")
            await player.must("wait", seconds=1)
            assert "gold_block at" in await player.fails("dig", x=x + 2, y=y, z=z)
            assert "please explore first" in await player.fails("mine_block", name="gold_block")
            assert "sheep is never attacked" in await player.fails("kill_mob", name="sheep")
            await player.give(snowball=2)
            assert "sheep is never attacked" in await player.fails("shoot", weapon="snowball", target="sheep")
            assert player.world.server is not None
            with talker(str(player.world.server.port), "friend") as say:
                say(f"/tp {x + 0.5} {y} {z + 3.5}")
                await player.must("wait", seconds=1)
                assert "friend is never attacked" in await player.fails("kill_mob", name="player:friend")
            assert "sheep" in await player.must("find_entity", name="sheep")

            # gold all around: the pathfinder would have to dig through
            for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
                for up in range(3):
                    await player.world.command(f"/setblock {x + dx} {y + up} {z + dz} gold_block")
            await player.world.command(f"/setblock {x} {y - 1} {z} gold_block")
            await player.world.command(f"/setblock {x} {y + 2} {z} gold_block")
            await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
            await player.must("wait", seconds=1)
            assert "No path" in await player.fails("goto", x=x + 5, y=y, z=z)
            assert await player.standing() == (x, y, z)

    play(scene())


def test_a_chest_of_its_own_may_be_broken_and_small_changes_put_back() -> None:
    async def scene() -> None:
        async with playing(cheats=True) as player:
            x, y, z = await flat(player)
            await player.give(chest=2)
            await player.world.command(f"/setblock {x - 2} {y} {z} chest")
            assert "is protected" in await player.fails("dig", x=x - 2, y=y, z=z)
            await player.must("place_item", name="chest", x=x + 2, y=y, z=z)
            call = f"test:{player.calls}"
            assert await asyncio.to_thread(player.world.undo, {"call": call}) == "1 change was put back."
            assert (await player.seen())["inventory"]["chest"] == 2
            settled = player.world.settle(player.registry.bind("dig", {"x": 0, "y": 0, "z": 0}), {"call": call})
            assert settled.outcome == "unknown" and f"placed chest at {x + 2},{y},{z}" in settled.text
            await player.must("place_item", name="chest", x=x + 2, y=y, z=z)
            call = f"test:{player.calls}"
            await player.world.command(f"/setblock {x + 2} {y} {z} stone")
            await player.must("wait", seconds=1)
            with pytest.raises(CommandError, match=r"0 of 1 changes were put back; not air at .*it is stone by now"):
                await asyncio.to_thread(player.world.undo, {"call": call})

    play(scene())


def test_server_commands_need_the_persons_leave() -> None:
    async def scene() -> None:
        async with playing() as player:
            assert "server commands are switched off" in await player.fails("chat", text="/give autocraft diamond 64")
            assert "server commands are switched off" in await player.fails("chat", text=" /give autocraft diamond 64")
            assert (await player.seen())["inventory"] == {}
        async with playing(cheats=True) as player:
            await player.give(diamond=1)
            assert player.world.cheats == 1
            assert any("the result is assisted" in note for note in player.notes)

    play(scene())
