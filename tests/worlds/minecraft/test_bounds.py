"""What the person has fenced off stays as it is, whatever a command or the pathfinder wants."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from autocraft.errors import CommandError
from autocraft.goals import Goal
from autocraft.worlds.minecraft.faults import BotFault
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import HIGH, Player, floor, play, playing
from tests.worlds.minecraft.talking import talker


async def places(player: Player, name: str) -> set[str]:
    """Where blocks of this kind are."""
    return set(re.findall(r"\(.*?\)", await player.must("find_block", name=name)))


@pytest.mark.full
def test_a_fence_holds_for_commands_and_for_the_pathfinder(stage: Stage) -> None:
    x, z = stage.area()

    async def scene(player: Player) -> None:
        _, y, _ = await floor(player, (x, z))
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
        assert "is outside the fence" in await player.fails("place_item", name="water_bucket", x=x + 5, y=y, z=z + 2)

        # what is wanted lies inside, but every way to it leads over the fence
        await player.world.command(f"/fill {x - 4} {y} {z + 2} {x + 4} {y + 8} {z + 2} bedrock")
        await player.world.command(f"/setblock {x} {y} {z + 4} diamond_block")
        await player.must("wait", seconds=0.5)
        for out in (x - 5, x + 5):  # the way around, were it not outside, leads through dirt that can be dug
            await player.world.command(f"/fill {out} {y} {z + 2} {out} {y + 2} {z + 2} dirt")
        before = await player.must("find_block", name="diamond_block")
        fenced = await places(player, "dirt")
        assert len(fenced) == 7
        assert "No path" in await player.fails("goto", x=x, y=y, z=z + 4)
        assert "No path" in await player.fails("mine_block", name="diamond_block")
        assert (await player.must("find_block", name="diamond_block")).split(",")[:2] == before.split(",")[:2]
        assert await places(player, "dirt") == fenced
        here = await player.standing()
        assert abs(here[0] - x) <= 4 and abs(here[2] - z) <= 4

    stage.play(scene, fence=f"{x - 4},{z - 4},{x + 4},{z + 4}", heights=f"{HIGH - 3},{HIGH + 8}")


@pytest.mark.full
def test_protected_blocks_and_friends_are_spared() -> None:
    async def scene() -> None:
        async with playing(cheats=True, never_attack=("player", "sheep"), protected=("gold_*", "chest")) as player:
            x, y, z = await floor(player)
            await player.give(iron_pickaxe=1, chest=1)
            await player.world.command(f"/setblock {x + 2} {y} {z} gold_block")
            await player.world.command(f"/summon sheep {x - 3} {y} {z}")
            await player.must("wait", seconds=1)
            assert "gold_block at" in await player.fails("dig", x=x + 2, y=y, z=z)
            assert "please explore first" in await player.fails("mine_block", name="gold_block")
            await player.world.command(f"/setblock {x + 3} {y} {z} gold_ore")
            await player.looks(lambda seen: "gold_ore" in seen["voxels"])
            await player.must("wait", seconds=11)  # it looks for what it remembers every ten seconds
            plan = await player.world.plan([Goal.parse("get 1 gold_ore", player.world.items)])
            assert plan.steps[0].name != "goto_block", "it does not go to an ore that it may not mine"
            assert "sheep is never attacked" in await player.fails("kill_mob", name="sheep")
            await player.give(snowball=2)
            assert "sheep is never attacked" in await player.fails("shoot", weapon="snowball", target="sheep")
            assert player.world.joining.server is not None
            with talker(str(player.world.joining.server.port), "friend") as say:
                say(f"/tp {x + 0.5} {y} {z + 3.5}")
                while "player friend" not in (await player.seen())["entities"]:  # he comes when his process has a turn
                    await player.must("wait", seconds=0.5)
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


@pytest.mark.full
@pytest.mark.parametrize("sight", ["seen", "loaded"])
def test_blocks_that_were_never_in_view_are_not_known(sight: str) -> None:
    """A server sends also the ores inside rock, and a bot that digs to them is taken for a cheat."""

    async def scene() -> None:
        async with playing(cheats=True, sight=sight) as player:
            x, y, z = await floor(player)
            await player.world.command(f"/fill {x + 3} {y} {z - 2} {x + 7} {y + 4} {z + 2} stone")
            await player.world.command(f"/setblock {x + 5} {y + 1} {z} emerald_ore")
            await player.world.command(f"/setblock {x + 3} {y + 1} {z} diamond_ore")
            await player.give(iron_pickaxe=1)
            assert "diamond_ore at" in await player.must("find_block", name="diamond_ore")
            if sight == "loaded":
                assert "emerald_ore at" in await player.must("find_block", name="emerald_ore")
                return
            for command in ("find_block", "mine_block", "goto_block"):
                assert "please explore first" in await player.fails(command, name="emerald_ore")
            around = await player.must("look_around")
            assert "diamond_ore" in around and "emerald_ore" not in around
            await player.must("mine_block", name="diamond_ore")
            await player.must("dig", x=x + 4, y=y + 1, z=z)
            await player.must("goto", x=x + 1, y=y, z=z)
            assert "emerald_ore at" in await player.must("find_block", name="emerald_ore")

    play(scene())


@pytest.mark.full
def test_a_chest_of_its_own_may_be_broken_and_small_changes_put_back(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(chest=2)
        await player.world.command(f"/setblock {x - 2} {y} {z} chest")
        assert "is protected" in await player.fails("dig", x=x - 2, y=y, z=z)
        await player.must("place_item", name="chest", x=x + 2, y=y, z=z)
        call = f"test:{player.calls}"
        settled = player.world.settle(player.registry.bind("dig", {"x": 0, "y": 0, "z": 0}), {"call": call})
        assert settled.outcome == "unknown" and f"placed chest at {x + 2},{y},{z}" in settled.text
        assert await asyncio.to_thread(player.world.undo, {"call": call}) == "1 change was put back."
        assert (await player.seen())["inventory"]["chest"] == 2
        await player.must("place_item", name="chest", x=x + 2, y=y, z=z)
        call = f"test:{player.calls}"
        await player.world.command(f"/setblock {x + 2} {y} {z} stone")
        await player.must("wait", seconds=1)
        with pytest.raises(CommandError, match=r"0 of 1 changes were put back; not air at .*it is stone by now"):
            await asyncio.to_thread(player.world.undo, {"call": call})

    stage.play(scene)


@pytest.mark.full
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


THROWN = ("bow", "crossbow", "trident", "snowball", "egg", "ender_pearl", "splash_potion", "lingering_potion",
          "experience_bottle", "fishing_rod")  # fmt: skip
"""What flies; a bow and a trident when they are let go."""


async def creatures(player: Player) -> list[dict[str, Any]]:
    """The sheep that the bot sees, the westernmost first."""
    seen = [each for each in await player.world.read("entities", []) if each["name"] == "sheep"]
    return sorted(seen, key=lambda each: float(each["position"]["x"]))


async def use(player: Player, name: str, **at: float) -> str:
    """Take this in hand, look there, use it and let it go; what the bot said, or why it refused."""
    assert player.world.joining.bridge is not None
    await player.must("equip", name=name)
    await player.world.joining.bridge.call("look_at", at, 10)
    try:
        for method in ("use_item", "release_item"):
            await player.world.joining.bridge.call(method, {}, 10)
    except BotFault as fault:
        assert fault.kind == "bounds", str(fault)
        return str(fault)
    return "done"


@pytest.mark.full
def test_what_is_thrown_or_shot_spares_friends_and_stays_inside() -> None:
    async def scene() -> None:
        async with playing(cheats=True, never_attack=()) as player:
            x, y, z = await floor(player)
            await player.give(**dict.fromkeys(THROWN, 1), arrow=8)
            await player.world.command(f"/summon sheep {x + 5} {y} {z}")
            await player.must("wait", seconds=0.5)
            for name in THROWN:  # the control: without bounds each of them flies at the sheep
                assert await use(player, name, x=x + 5.5, y=y + 0.6, z=z + 0.5) == "done", name

        fence = f"{x - 20},{z - 20},{x + 8},{z + 20}"
        async with playing(cheats=True, never_attack=("sheep",), fence=fence) as player:
            assert await floor(player) == (x, y, z)
            await player.give(**dict.fromkeys(THROWN, 2), arrow=8)
            for name in THROWN:
                assert await use(player, name, x=x - 3.5, y=y, z=z + 0.5) == "done", f"{name} at the ground, inside"
                out = await use(player, name, x=x + 20, y=y + 12, z=z + 0.5)
                if name not in ("splash_potion", "experience_bottle", "lingering_potion", "fishing_rod"):
                    assert "is outside the fence" in out, f"{name}: {out}"  # those four come down before it
            await player.world.command(f"/summon sheep {x} {y} {z + 4}")
            await player.must("wait", seconds=0.5)
            for name in THROWN:
                [sheep] = await creatures(player)  # it walks about
                at = {each: sheep["position"][each] for each in "xyz"}
                assert "sheep is never attacked" in await use(player, name, **at), name

    play(scene())


@pytest.mark.full
def test_what_is_used_on_a_place_or_a_creature_is_judged_as_well() -> None:
    async def scene() -> None:
        async with playing(cheats=True) as player:
            x, y, z = await floor(player)
        fence = f"{x - 20},{z - 20},{x + 2},{z + 20}"
        async with playing(cheats=True, never_attack=("sheep",), fence=fence) as player:
            assert await floor(player) == (x, y, z)
            assert player.world.joining.bridge is not None
            call = player.world.joining.bridge.call
            await player.give(lava_bucket=1, flint_and_steel=1, oak_boat=1, lead=1, wheat=1, shears=1)
            ground = {"x": x + 4.5, "y": y, "z": z + 0.5}
            for name in ("lava_bucket", "oak_boat"):
                assert "is outside the fence" in await use(player, name, **ground), name
            await player.give(chorus_fruit=1, tnt=1)
            inside = {"x": x - 1.5, "y": y, "z": z + 0.5}
            assert "is outside the fence" in await use(player, "chorus_fruit", **inside), "who eats it is moved"
            assert "is outside the fence" in await player.fails("place_item", name="tnt", x=x - 1, y=y, z=z)

            await player.world.command(f"/summon sheep {x - 2} {y} {z}")
            await player.must("wait", seconds=0.5)
            [inner] = [each["id"] for each in await creatures(player)]

            async def used_on(item: str, entity: int) -> str:
                await player.must("equip", name=item)
                try:
                    return str((await call("use_on", {"name": "sheep", "entity": entity}, 10))["text"])
                except BotFault as fault:
                    assert fault.kind == "bounds", str(fault)
                    return str(fault)

            for name in ("lead", "shears"):
                assert "sheep is never attacked" in await used_on(name, inner), name
            assert await used_on("wheat", inner) == "Used wheat on sheep.", "a friend may be fed"
            await player.must("equip", name="flint_and_steel")
            [sheep] = [each for each in await creatures(player) if each["id"] == inner]
            under = {each: int(sheep["position"][each] // 1) for each in "xyz"} | {"y": y - 1}
            with pytest.raises(BotFault, match="sheep is never attacked"):
                await call("activate", under, 10)  # sets fire to the block under it
        async with playing(cheats=True, never_attack=(), fence=fence) as player:
            assert await floor(player) == (x, y, z)
            assert player.world.joining.bridge is not None
            await player.give(shears=1, wheat=1)
            await player.world.command(f"/summon sheep {x + 3} {y} {z}")
            await player.must("wait", seconds=0.5)
            [sheep] = await creatures(player)
            for name in ("shears", "wheat"):
                await player.must("equip", name=name)
                with pytest.raises(BotFault, match="is outside the fence"):
                    await player.world.joining.bridge.call("use_on", {"name": "sheep", "entity": sheep["id"]}, 10)
            await player.world.command(f"/summon sheep {x - 2} {y} {z}")
            await player.must("wait", seconds=0.5)
            sheep = (await creatures(player))[0]
            await player.must("equip", name="shears")
            await player.world.joining.bridge.call("use_on", {"name": "sheep", "entity": sheep["id"]}, 10)

    play(scene())
