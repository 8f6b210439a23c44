"""More of each command on the practice server: the successes and refusals that `test_commands.py` leaves out.

Things are set up with the server's own cheats. Each test is one world with several commands, since a start takes longer
than most commands do.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest

from autocraft.protocols import PROGRAM
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, play, playing, under_way

pytestmark = pytest.mark.full


async def put(player: Player, block: str, *places: tuple[int, int, int]) -> None:
    """Set blocks with the server's command, and let the bot see them."""
    for x, y, z in places:
        await player.world.command(f"/setblock {x} {y} {z} {block}")
    await player.must("wait", seconds=0.5)


async def summon(player: Player, mob: str, x: int, y: int, z: int) -> None:
    await player.world.command(f"/summon {mob} {x + 0.5} {y} {z + 0.5}")
    await player.must("wait", seconds=0.5)


def walls(x: int, y: int, z: int, up: int = 2) -> list[tuple[int, int, int]]:
    """The blocks around one place, so high, without a roof."""
    around = [(dx, dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1) if dx or dz]
    return [(x + dx, y + dy, z + dz) for dy in range(up) for dx, dz in around]


def test_exploring_following_and_using() -> None:
    async def scene() -> None:
        async with playing(cheats=True) as player:
            assert (await player.seen())["biome"] in ("forest", "birch_forest"), "one begins in a wood"
            for nonsense in ("constructor", "__proto__", "", "  ", "minecraft:"):
                assert (
                    await player.fails("find_block", name=nonsense) == f"No block named {nonsense} in Minecraft 1.16.5"
                )
            assert "Max exploration time reached. The bot is at (" in await player.fails(
                "explore_until", direction="south", seconds=4, block="diamond_block"
            )
            x, y, z = await floor(player)
            assert "The way up is blocked at (" in await player.fails(
                "explore_until", direction="up", seconds=60, block="diamond_block"
            )
            await summon(player, "pig", x + 4, y, z + 4)
            assert "Explore success. pig at (" in await player.must(
                "explore_until", direction="north", seconds=5, entity="pig"
            )
            assert "Followed pig for 3 seconds to (" in await player.must("follow", name="pig", seconds=3)
            assert await player.fails("follow", name="cow") == "No cow nearby, please explore first"
            assert "pig at (" in await player.must("find_entity", name="pig")
            await put(player, "stone", *walls(x - 4, y, z - 4))
            await put(player, "lava", (x - 4, y, z - 4))
            await summon(player, "cow", x - 4, y, z - 4)
            assert "cow is gone; the bot is at (" in await player.must("follow", name="cow", seconds=60)

            await player.give(oak_door=1, lever=1)
            await player.must("place_item", name="oak_door", x=x + 2, y=y, z=z)
            assert await player.must("activate", x=x + 2, y=y, z=z) == (
                f"Used oak_door at ({x + 2}, {y}, {z}). It changed."
            )
            await player.must("place_item", name="lever", x=x + 2, y=y, z=z - 2)
            assert "It changed." in await player.must("activate", x=x + 2, y=y, z=z - 2)
            await put(player, "chest", (x, y, z + 2))
            assert "A window opened; it was closed again" in await player.must("activate", x=x, y=y, z=z + 2)
            assert "there is nothing to use at" in await player.fails("activate", x=x, y=y + 2, z=z)
            assert await player.fails("chat", text=" \n ") == "there is nothing to say"

    play(scene())


def test_fishing_shooting_and_eating() -> None:
    async def scene() -> None:
        async with playing(cheats=True, fight="off", eat=False) as player:
            x, y, z = await floor(player)
            await player.give(fishing_rod=1, bow=1, snowball=2, bread=2)
            pool = [(x + dx, y - 1, z + dz) for dx in (3, 4, 5) for dz in (-1, 0, 1)]
            await put(player, "stone", *((a, b - 1, c) for a, b, c in pool))
            await put(player, "water", *pool)
            said = await player.must("fish")
            assert "Fished. Got 1 " in said
            assert await player.fails("shoot", weapon="bow", target="cow") == "No arrow in inventory"
            await player.give(arrow=16)
            assert await player.fails("shoot", weapon="bow", target="cow") == "No cow nearby, please explore first"
            await summon(player, "cow", x - 5, y, z)
            assert "Shot cow!" in await player.must("shoot", weapon="bow", target="cow")
            assert (await player.seen())["inventory"]["arrow"] < 16
            await summon(player, "sheep", x - 5, y, z)
            await put(player, "stone", *walls(x - 5, y, z, up=3))
            assert "Failed to shoot sheep; it is at (" in await player.fails("shoot", weapon="snowball", target="sheep")
            await put(player, "stone", (x - 20, y - 1, z))
            await summon(player, "pig", x - 20, y, z)
            assert "Failed to kill pig: No path to (" in await player.fails("kill_mob", name="pig", seconds=60)
            assert (
                await player.fails("kill_mob", name="player:Nobody") == "No player:Nobody nearby, please explore first"
            )

            assert "not hungry" in await player.fails("eat", name="bread")
            await player.world.command(f"/tp {x + 0.5} {y + 12} {z + 0.5}")
            await player.must("wait", seconds=30)
            seen = await player.seen()
            assert 10 < seen["health"] < 20 and seen["food"] == 17, "healing costs food, and stops below 18"
            assert await player.must("eat", name="bread") == f"Ate bread: food 17 to 20, health {seen['health']:.0f}."

    play(scene())


def test_what_is_picked_up_during_a_meal_does_not_end_it(stage: Stage) -> None:
    """The bot said that the server did not let it finish, though its food rose a moment later."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(bread=1)
        await player.world.command(f"/tp {x + 0.5} {y + 12} {z + 0.5}")
        while (await player.seen())["food"] == 20:
            await player.must("wait", seconds=5)
        meal = asyncio.create_task(player.do("eat", name="bread"))
        await under_way(player, meal, ticks=6)
        await player.world.command("/give autocraft dirt 1")
        done = await meal
        assert done.ok and "Ate bread: food " in done.text, done.text

    stage.play(scene)


def test_collecting_digging_and_full_hands(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        assert await player.fails("mine_block", name="bedrock") == "bedrock cannot be mined"
        assert "is not loaded: go nearer first" in await player.fails("dig", x=x + 5000, y=y, z=z)
        await put(player, "bedrock", (x + 2, y, z))
        assert "there is nothing to dig at" in await player.fails("dig", x=x + 2, y=y, z=z)
        said = await player.must("dig", x=x - 2, y=y - 1, z=z)
        assert said.startswith("stone drops nothing without at least a wooden_pickaxe.\nDug stone at ")
        await put(player, "dirt", (x + 2, y, z + 2), (x + 2, y, z - 2))
        assert "Mined only 2 of 3 dirt: No more dirt nearby" in await player.fails("mine_block", name="dirt", count=3)
        assert await player.fails("collect", name="dirt") == "No dirt lies nearby, please explore first"
        assert (await player.must("toss", name="dirt,minecraft:dirt", count=2)).startswith("Threw 2 dirt away")
        assert "Collect finish! Got 2 dirt" in await player.must("collect", name="dirt")

        await player.must("toss", name="dirt", count=2)
        await player.give(cobblestone=36 * 64)
        assert "but could not be picked up: the inventory is full (36/36)" in await player.fails("collect", name="dirt")
        await put(player, "chest", (x, y, z + 3))
        chest = {"x": x, "y": y, "z": z + 3}
        assert "Only 1728 of 1800 cobblestone went into the chest" in await player.fails(
            "deposit", name="cobblestone", count=1800, **chest
        )
        await player.do("collect", name="dirt")  # unless it was picked up already
        await player.give(cobblestone=25 * 64)
        said = await player.fails("withdraw", name="cobblestone", count=1728, **chest)
        assert said == "Too little room in the inventory: it takes 64 of 1728 cobblestone"
        await player.must("withdraw", name="cobblestone", count=64, **chest)
        assert (await player.seen())["inventory"] == {"cobblestone": 35 * 64, "dirt": 2}, "nothing fell to the ground"

    stage.play(scene)


def test_what_a_gift_has_no_room_for_lies_on_the_ground(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        await floor(player, stage.area())
        await player.give(cobblestone=36 * 64)
        await player.world.command("/give autocraft sponge 70")
        await player.world.command("/give autocraft iron_sword 101")  # more than 100 stacks
        await player.must("wait", seconds=2)
        await player.must("toss", name="cobblestone", count=128)
        assert "Got 70 sponge" in await player.must("collect", name="sponge")
        assert "No iron_sword lies nearby" in await player.fails("collect", name="iron_sword")

    stage.play(scene)


def test_what_a_full_chest_does_not_take_stays_in_the_inventory(stage: Stage) -> None:
    """The chest was closed with the coal on the cursor, which a server up to 1.16 throws to the ground."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player)
        await player.world.command(f"/setblock {x + 2} {y} {z} chest")
        await player.give(dirt=27 * 64, coal=3)
        chest = {"x": x + 2, "y": y, "z": z}
        await player.must("deposit", name="dirt", count=27 * 64, **chest)
        said = await player.fails("deposit", name="coal", count=3, **chest)
        assert said == "Only 0 of 3 coal went into the chest: destination full"
        assert (await player.seen())["inventory"] == {"coal": 3}
        await player.world.command(f"/setblock {x + 2} {y} {z} air")

    stage.play(scene)


def test_out_of_a_pit_in_which_it_cannot_throw_the_bot_climbs_on_what_it_throws_away(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "bedrock", *walls(x, y, z, up=3))
        await player.give(dirt=6)
        said = await player.must("toss", name="dirt", count=6)
        assert re.match("Threw [1-5] dirt away", said) and not (await player.seen())["inventory"], said

    stage.play(scene)


def test_a_cow_that_walks_on_is_milked(stage: Stage) -> None:
    """The bot went to where the cow had been, and used its bucket there."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=24)
        await player.give(bucket=1)
        await summon(player, "cow", x + 3, y, z)
        await player.fails("kill_mob", name="cow", seconds=1)  # so that it runs
        await player.must("wait", seconds=2)
        assert "Got 1 milk_bucket" in await player.must("fill_bucket", name="milk")

    stage.play(scene)


def test_what_is_under_water_is_mined_last(stage: Stage) -> None:
    """Of four blocks of sand below a lake it got two, in several minutes."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=12)
        await put(player, "stone", *walls(x + 3, y, z))
        await put(player, "sand", (x + 3, y, z), (x + 10, y, z))
        await put(player, "water", (x + 3, y + 1, z))
        assert "Got 1 sand" in await player.must("mine_block", name="sand")
        left = await player.must("find_block", name="sand", radius=16)
        assert f"({x + 3}, {y}, {z})" in left and f"({x + 10}, {y}, {z})" not in left

    stage.play(scene)


def test_what_the_walk_to_a_block_breaks_of_its_kind_counts(stage: Stage) -> None:
    """It broke its way through a log, and then one log more than it was told to."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 2} {y - 3} {z - 2} {x + 7} {y + 3} {z + 2} bedrock")
        await player.world.command(f"/fill {x} {y} {z} {x + 1} {y + 1} {z} air")
        await player.world.command(f"/fill {x + 1} {y - 1} {z} {x + 3} {y} {z} air")
        await player.world.command(f"/fill {x + 3} {y} {z} {x + 5} {y + 1} {z} air")
        await put(player, "oak_log", (x + 2, y - 1, z), (x + 6, y, z))  # one below the ground, which is mined last
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        assert "Got 1 oak_log" in await player.must("mine_block", name="oak_log")
        assert f"({x + 6}, {y}, {z})" in await player.must("find_block", name="oak_log", radius=16)

    stage.play(scene)


def test_what_a_walk_drops_of_its_scaffold_leads_to_no_other_walk(stage: Stage) -> None:
    """The bot climbed out of the hole that it had dug, and went back for the scaffold that fell into it."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 7} {y - 4} {z - 7} {x + 7} {y - 2} {z + 7} stone")
        await player.world.command(f"/fill {x + 2} {y - 2} {z} {x + 2} {y - 1} {z} air")
        await put(player, "dirt", (x + 2, y - 3, z))
        await player.give(dirt=12, torch=1)
        await player.world.command(f"/tp {x - 0.5} {y} {z + 0.5}")
        look = player.registry.bind("look_at", {"x": x - 6.5, "y": y + 1.6, "z": z + 0.5}, agent=PROGRAM)
        await player.registry.call(replace(look, id="look"))
        await player.must("toss", name="torch")
        await player.world.command(f"/tp {x + 1.5} {y} {z + 0.5}")
        assert player.world.joining.bridge is not None
        await player.world.joining.bridge.close()  # so that the bot knows no more that it threw the torch away
        await player.must("dig", x=x + 2, y=y - 3, z=z)
        assert (await player.seen())["inventory"].get("torch") == 1
        assert (await player.standing())[1] == y, "it is in its hole again"

    stage.play(scene)


def test_for_what_a_block_drops_the_bot_walks_no_long_way(stage: Stage) -> None:
    """For a log on the leaves of a tree it walked over a hill, again and again."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), 26)
        await player.world.command(f"/fill {x + 3} {y} {z - 20} {x + 3} {y + 2} {z + 20} bedrock")
        await put(player, "air", (x + 3, y + 1, z))
        await put(player, "stone", (x + 4, y, z))
        await put(player, "oak_log", (x + 4, y + 1, z))
        assert "Failed to pickup oak_log" in await player.must("dig", x=x + 4, y=y + 1, z=z)

    stage.play(scene)


def test_a_block_that_drops_nothing_is_mined_all_the_same(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(wooden_pickaxe=1)
        await put(player, "infested_stone", (x + 2, y, z + 2))
        said = await player.must("mine_block", name="infested_stone")
        assert said == f"Mined 1 infested_stone at ({x + 2}, {y}, {z + 2}). The inventory is as before."

    stage.play(scene)


@pytest.mark.full
def test_in_a_narrow_hole_a_block_is_placed_beside_the_wall_at_which_the_bot_stood(stage: Stage) -> None:
    """The bot touched the place of a wall that it had dug away, and could put its table nowhere."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 3} {y - 1} {z - 3} {x + 3} {y + 3} {z + 4} bedrock")
        await put(player, "air", (x, y, z), (x, y + 1, z), (x, y, z + 1))
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.7}")
        await player.give(crafting_table=1)
        placed = await player.must("place_item", name="crafting_table", x=x, y=y, z=z + 1)
        assert f"Placed crafting_table at ({x}, {y}, {z + 1})" in placed

    stage.play(scene)


def test_refusals_of_making_and_placing(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        assert await player.fails("craft_item", name="bedrock") == (
            "bedrock has no recipe: it is found, mined, smelted or dropped"
        )
        assert await player.fails("craft_item", name="copper_sword") == "No item named copper_sword in Minecraft 1.16.5"
        await player.give(iron_ore=2, coal=1, oak_planks=1, dirt=2, wheat_seeds=1, stone_hoe=1)
        await put(player, "furnace", (x + 2, y, z))
        assert "because I need: 1 more coal_block" in await player.fails(
            "smelt_item", name="iron_ore", fuel="coal_block"
        )
        await player.must("toss", name="coal")
        await player.must("toss", name="oak_planks")
        assert "because I need: a fuel, such as 1 coal or 1 oak_planks" in await player.fails(
            "smelt_item", name="iron_ore"
        )
        assert "dirt could not be put on head" in await player.fails("equip", name="dirt", slot="head")
        assert "is not loaded: go nearer first" in await player.fails("place_item", name="dirt", x=x + 5000, y=y, z=z)
        await put(player, "dirt", (x - 2, y - 1, z))
        await put(player, "stone", (x - 2, y, z))
        assert f"stone is on top of ({x - 2}, {y - 1}, {z}): dig it first" in await player.fails(
            "till", x=x - 2, y=y - 1, z=z
        )
        assert "is not loaded" in await player.fails("till", x=x + 5000, y=y, z=z)
        await player.must("toss", name="wheat_seeds")
        await put(player, "farmland", (x - 2, y - 1, z + 3))
        assert await player.fails("sow", name="wheat_seeds", x=x - 2, y=y - 1, z=z + 3) == (
            "No wheat_seeds in inventory"
        )
        await player.give(water_bucket=1, lava_bucket=1)
        pit = {"x": x + 3, "y": y - 1, "z": z + 3}
        await put(player, "stone", (x + 3, y - 2, z + 3))
        await put(player, "air", (x + 3, y - 1, z + 3))
        assert "it is water" in await player.must("place_item", name="water_bucket", **pit)
        await put(player, "water", (x + 3, y - 1, z + 4))
        assert "it is obsidian" in await player.must("place_item", name="lava_bucket", **pit)
        assert (await player.seen())["inventory"]["bucket"] == 2
        await player.give(water_bucket=1)
        for dz in (3, 4):
            await put(player, "lava", (x + 3, y - 1, z + dz))
        assert "it is water" in await player.must("place_item", name="water_bucket", **pit), "it can be taken up again"
        await player.must("fill_bucket", name="water")
        assert "obsidian" in (await player.seen())["voxels"], "water beside lava makes it, as where it flows"
        await player.must("equip", name="stone_hoe", slot="off-hand")
        for command in ("toss", "equip"):
            assert await player.fails(command, name="stone_hoe") == (
                "stone_hoe is worn or in the off-hand: equip something else there first"
            )

    stage.play(scene)


def test_after_an_interruption_the_bot_gets_up_and_crafts_again(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(oak_planks=64, red_bed=1)
        await put(player, "crafting_table", (x + 2, y, z))
        server = player.world.joining.server
        assert server is not None
        await server.ask("freeze")  # crafting takes so few ticks that it may be over when this process has a turn
        work = asyncio.create_task(player.do("craft_item", name="chest", count=6))
        await asyncio.sleep(0)
        await server.ask("tick", n=4)
        work.cancel()
        await asyncio.sleep(0)
        await server.ask("thaw")
        assert (await work).text.endswith("Interrupted before it was done.")
        assert "Got 1 chest" in await player.must("craft_item", name="chest")
        await player.must("place_item", name="red_bed", x=x - 2, y=y, z=z)
        await player.world.command("/time set night")
        await player.must("wait", seconds=1)
        work = asyncio.create_task(player.do("sleep"))
        while not (await player.world.read("now", []))["isSleeping"]:
            assert not work.done()
        work.cancel()
        assert not (await work).ok
        await player.must("wait", seconds=0.5)
        assert not (await player.world.read("now", []))["isSleeping"]
        await put(player, "air", (x - 2, y, z), (x - 2, y, z - 1), (x - 2, y, z + 1), (x - 3, y, z), (x - 1, y, z))

    stage.play(scene, speed=1.0)


def test_a_busy_furnace_a_walled_pond_and_a_mob_that_outlasts_its_time() -> None:
    async def scene() -> None:
        async with playing(cheats=True, fight="off", speed=1) as player:
            assert player.world.joining.server is not None
            x, y, z = await floor(player)
            await player.give(iron_ore=30, coal=4, fishing_rod=1)
            await put(player, "furnace", (x + 2, y, z))
            await player.world.joining.server.ask("speed", speed=20)
            work = asyncio.create_task(player.do("smelt_item", name="iron_ore", fuel="coal", count=30))
            await under_way(player, work, ticks=300)  # of the 6000 that it takes
            work.cancel()
            assert (await work).text == (
                f"What was put into the furnace at ({x + 2}, {y}, {z}) is still there: the next smelt_item of iron_ore "
                "takes it out first.\nInterrupted before it was done."
            )
            await player.give(iron_ore=1, sand=1, oak_planks=2)
            said = await player.fails("smelt_item", name="sand", fuel="oak_planks")
            assert f"the furnace at ({x + 2}, {y}, {z}) is smelting iron_ore" in said
            assert "Smelted 1 iron_ore" in await player.must("smelt_item", name="iron_ore", fuel="oak_planks")
            left = (await player.seen())["inventory"]
            assert left["iron_ingot"] > 1, "the interrupted command had smelted some"
            assert left["iron_ore"] + left["iron_ingot"] == 31, "what the interrupted command had put in is there again"
            for block in ("air", "furnace"):  # a cold one
                await put(player, block, (x + 2, y, z))
            await player.give(oak_log=2, charcoal=1)
            said = await player.must("smelt_item", name="oak_log", fuel="charcoal", count=2)
            assert "Smelted 2 oak_log to charcoal. Got 1 charcoal." in said, "it burnt one of what it made"

            await put(player, "stone", *walls(x - 4, y, z - 4, up=4))
            await put(player, "water", (x - 4, y, z - 4))
            assert "Finishing timeout, make sure you get to and look at a water block!" in await player.fails("fish")

            await summon(player, "zombie", x + 5, y, z + 5)
            assert "Failed to kill zombie." in await player.fails("kill_mob", name="zombie", seconds=2)

    play(scene())


def test_what_breaks_off_half_way_says_how_far_it_came() -> None:
    async def scene() -> None:
        async with playing(cheats=True, speed=4.0) as player:
            x, y, z = await floor(player)
            await player.give(oak_planks=64, sand=7, coal=2)
            await player.world.command(f"/setblock {x + 2} {y} {z} crafting_table")
            await player.world.command(f"/setblock {x - 2} {y} {z} furnace")
            await player.must("wait", seconds=1)
            assert player.world.joining.server is not None
            await player.world.joining.server.ask("speed", speed=0.5)  # so crafting takes long
            crafting = asyncio.create_task(player.fails("craft_item", name="bowl", count=80))
            while (await player.seen())["inventory"].get("bowl", 0) < 4:
                pass
            await player.world.command(f"/setblock {x + 2} {y} {z} air")
            assert "I cannot do the recipe for bowl 20 times (" in await crafting
            await player.world.joining.server.ask("speed", speed=1)  # so smelting takes a minute
            smelting = asyncio.create_task(player.fails("smelt_item", name="sand", count=6))
            await under_way(player, smelting, ticks=40)  # of the 1200 that it takes
            await player.world.command(f"/setblock {x - 2} {y} {z} air")
            await player.world.joining.server.ask("speed", speed=20)
            assert "Failed to smelt sand, please check the fuel and input" in await smelting
            await player.must("wait", seconds=1)

    play(scene())
