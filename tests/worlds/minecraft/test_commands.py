"""Each command on the practice server: what it does, and what it says when it cannot.

Things are set up with the server's own cheats, which the journey of `test_journey.py` does without.
"""

from __future__ import annotations

import asyncio
import math

import pytest

from autocraft.goals import Goal
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, play, playing


@pytest.mark.full
def test_looking() -> None:
    async def scene() -> None:
        async with playing() as player:
            shown = (await player.world.observe()).text
            fields: tuple[str, ...] = (
                "Biome: ",
                "Time: day",
                "Nearby blocks: ",
                "Other blocks that are recently seen: ",
            )
            fields += ("Nearby entities (nearest to farthest): ", "Health: 20/20", "Hunger: 20/20", "Position: x=")
            fields += ("Equipment: none", "Inventory (0/36): nothing", "Chests: none known")
            for field in fields:
                assert field in shown
            assert await player.must("observe") == shown
            assert "grass_block" in await player.must("look_around", radius=8)
            assert await player.must("show_inventory") == "Inventory (0/36): nothing"
            assert "oak_log at (" in await player.must("find_block", name="oak log", radius=48)
            assert await player.fails("find_block", name="sponge") == "No sponge within 32 blocks, please explore first"
            assert "No sponge within 128 blocks" in await player.fails("find_block", name="sponge", radius=500)
            assert (
                await player.fails("find_block", name="copper_sword")
                == "No block named copper_sword in Minecraft 1.16.5"
            )
            assert "No cow within" in await player.fails("find_entity", name="cow")
            assert "3 cobblestone, 2 stick at a crafting_table" in await player.must(
                "search_recipe", name="stone_pickaxe"
            )
            assert "smelt iron_ore" in await player.must("search_recipe", name="iron_ingot")
            assert "no recipe" in await player.must("search_recipe", name="bedrock")
            assert (
                await player.fails("search_recipe", name="copper_sword")
                == "No item named copper_sword in Minecraft 1.16.5"
            )

    play(scene())


def test_a_table_and_a_furnace_that_are_carried_are_put_down_and_taken_up_again(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        await floor(player, stage.area())
        await player.give(crafting_table=1, furnace=1, oak_planks=3, stick=2, sand=1, coal=1)
        said = await player.must("craft_item", name="wooden_pickaxe")
        assert "Placing crafting_table on" in said and "Got 1 crafting_table" in said, said
        said = await player.must("smelt_item", name="sand")
        assert "Placing furnace on" in said and "Got 1 furnace" in said, said
        seen = await player.seen()
        assert seen["inventory"] == {"crafting_table": 1, "furnace": 1, "wooden_pickaxe": 1, "glass": 1}
        assert not {"crafting_table", "furnace"} & {*seen["voxels"]}, "nothing is left behind"

    stage.play(scene)


@pytest.mark.full
def test_a_station_that_is_carried_stays_where_it_cannot_be_taken_up(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(furnace=1, sand=3, coal=2)
        assert "only a wooden_pickaxe takes it up" in await player.must("smelt_item", name="sand")
        assert "Placing" not in await player.must("smelt_item", name="sand"), "it stands here now"
        await player.world.command("/clear")
        await player.give(crafting_table=1, oak_planks=4 * 64, cobblestone=31 * 64)
        assert "stays at" in (said := await player.must("craft_item", name="chest")) and "(36/36)" in said, said
        x, y, z = await floor(player, stage.area())
        await player.world.command("/clear")
        await player.give(furnace=2, wooden_pickaxe=1, sand=2, coal=2, cobblestone=32 * 64)
        done = await player.do("smelt_item", name="sand", fuel="coal")
        assert "1 glass stays in the furnace" in done.text and ": something is left in it." in done.text
        await player.world.command("/clear")
        await player.world.command(f"/fill {x - 4} {y - 1} {z - 4} {x + 4} {y + 2} {z + 4} bedrock")
        await player.world.command(f"/fill {x} {y} {z} {x} {y + 1} {z} air")
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.give(crafting_table=1, oak_planks=8)
        assert await player.fails("craft_item", name="chest") == (
            "No crafting table nearby, and there is no room here to put down the one that you carry: "
            "go to open ground to make chest"
        )

    stage.play(scene)


@pytest.mark.full
def test_a_station_stays_when_its_command_is_ended_and_no_walk_breaks_it(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 2} {y - 1} {z - 2} {x + 5} {y + 2} {z + 2} bedrock")
        await player.world.command(f"/fill {x} {y} {z} {x + 3} {y + 1} {z} air")
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.give(furnace=1, sand=8, coal=1, wooden_pickaxe=1)
        work = asyncio.create_task(player.do("smelt_item", name="sand", count=8))
        await player.looks(lambda seen: not seen["inventory"].get("sand"))
        work.cancel()
        await asyncio.wait([work])
        assert "a command placed furnace" in await player.fails("goto", x=x + 3, y=y, z=z)
        await player.give(sand=1, coal=1)
        assert "sand" in await player.must("smelt_item", name="sand", count=1)
        assert (await player.seen())["inventory"]["sand"] >= 7, "what was in it is there"

    stage.play(scene)


@pytest.mark.full
def test_a_furnace_that_was_put_down_in_a_tunnel_is_not_in_the_way_out(stage: Stage) -> None:
    """Without a pickaxe the bot stayed behind its own furnace, for 27 commands."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 2} {y - 1} {z - 2} {x + 5} {y + 2} {z + 2} bedrock")
        await player.world.command(f"/fill {x} {y} {z} {x + 3} {y + 1} {z} air")
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.give(furnace=1, sand=1, coal=1)
        assert f"stays at ({x + 1}, {y}, {z})" in await player.must("smelt_item", name="sand")
        assert "broke 1 furnace" in await player.must("goto", x=x + 3, y=y, z=z)

    stage.play(scene)


@pytest.mark.full
def test_crafting_smelting_and_chests(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        assert "because I need: " in await player.fails("craft_item", name="crafting_table")
        await player.give(oak_log=4, cobblestone=20, iron_ore=3, coal=1)
        assert "Got 8 oak_planks" in await player.must("craft_item", name="oak_planks", count=5)
        await player.must("craft_item", name="stick", count=4)
        assert "No crafting table nearby" in await player.fails("craft_item", name="furnace")
        await player.must("craft_item", name="crafting_table")
        assert "Placed crafting_table" in await player.must("place_item", name="crafting_table", x=x + 2, y=y, z=z)
        assert "I cannot make wooden_pickaxe because I need: 1 more oak_planks" in await player.fails(
            "craft_item", name="wooden_pickaxe"
        )
        await player.must("craft_item", name="furnace")
        await player.must("place_item", name="furnace", x=x + 2, y=y, z=z + 2)
        assert await player.fails("smelt_item", name="stick") == "stick is not a valid input"
        assert "cobblestone is not a valid fuel" in await player.fails(
            "smelt_item", name="iron_ore", fuel="cobblestone"
        )
        assert "I need: 5 more iron_ore" in await player.fails("smelt_item", name="iron_ore", count=8)
        assert "Smelted 3 iron_ore to iron_ingot" in await player.must(
            "smelt_item", name="iron_ore", fuel="coal", count=3
        )
        assert (await player.seen())["inventory"]["iron_ingot"] == 3

        await player.give(chest=1)
        await player.must("place_item", name="chest", x=x - 2, y=y, z=z)
        chest = {"x": x - 2, "y": y, "z": z}
        known = (await player.seen())["chests"]
        assert known[f"({x - 2}, {y}, {z})"] == {}, "what the bot itself has placed is empty"
        assert "holds: nothing" in await player.must("check_chest", **chest)
        assert "Put 2 iron_ingot" in await player.must("deposit", name="iron_ingot", count=2, **chest)
        assert f"({x - 2}, {y}, {z}): 2 iron_ingot" in (await player.world.observe()).text
        assert "Not enough iron_ingot in chest: 2 of 3" in await player.fails(
            "withdraw", name="iron_ingot", count=3, **chest
        )
        assert "I don't see coal in this chest" in await player.fails("withdraw", name="coal", count=1, **chest)
        assert "Took 2 iron_ingot" in await player.must("withdraw", name="iron_ingot", count=2, **chest)
        assert "Put 3 iron_ingot" in await player.must("deposit", name="iron_ingot", count=9, **chest)
        await player.must("withdraw", name="iron_ingot", count=3, **chest)
        assert "No diamond in inventory" in await player.fails("deposit", name="diamond", count=1, **chest)
        await player.world.command(f"/setblock {x - 2} {y + 1} {z} dirt")
        told = await player.must("deposit", name="iron_ingot", count=1, **chest)
        assert "Dug dirt, which lay on the chest." in told and "Put 1 iron_ingot" in told
        await player.give(torch=5, apple=2)
        told, deeds = await player.must("deposit", name="torch,apple", count=3, **chest), player.world.deeds
        assert "Put 3 torch" in told and "Put 2 apple" in told and "It holds: 1 iron_ingot, 3 torch, 2 apple" in told
        assert (deeds["deposit torch"], deeds["deposit apple"], deeds["deposit iron_ingot"]) == (3, 2, 6)
        assert f"No chest at ({x}, {y - 1}, {z + 3})" in await player.fails("check_chest", x=x, y=y - 1, z=z + 3)

    stage.play(scene)


def test_walking_digging_and_placing(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        assert f"Arrived at ({x + 4}" in await player.must("goto", x=x + 5, y=y, z=z)
        assert "No diamond_block nearby" in await player.fails("goto_block", name="diamond_block")
        await player.world.command(f"/setblock {x - 5} {y} {z} diamond_block")
        await player.must("wait", seconds=0.5)
        assert "Arrived at diamond_block" in await player.must("goto_block", name="diamond_block")
        assert "I need at least a iron_pickaxe to mine diamond_block" in await player.fails(
            "mine_block", name="diamond_block"
        )
        await player.give(iron_pickaxe=1)
        assert "Mined 1 diamond_block. Got 1 diamond_block" in await player.must("mine_block", name="diamond_block")
        assert await player.fails("mine_block", name="diamond_block") == "No diamond_block nearby, please explore first"
        await player.world.command(f"/setblock {x - 5} {y} {z} oak_leaves")
        await player.give(shears=1)
        await player.must("equip", name="shears", slot="hand")
        assert "Got 1 oak_leaves" in await player.must("mine_block", name="oak_leaves")
        assert "it is air" in await player.fails("dig", x=x, y=y + 3, z=z)
        assert "Dug stone" in await player.must("dig", x=x - 6, y=y - 1, z=z + 1)
        assert "No bedrock in inventory" in await player.fails("place_item", name="bedrock", x=x, y=y, z=z)
        assert "cannot place a floating block" in await player.fails(
            "place_item", name="diamond_block", x=x, y=y + 5, z=z
        )
        assert "please find another position" in await player.fails(
            "place_item", name="diamond_block", x=x, y=y - 1, z=z
        )
        here = await player.standing()
        await player.must("place_item", name="diamond_block", x=here[0], y=here[1], z=here[2])
        assert (await player.do("explore_until", direction="north")).text.endswith("to look for")
        assert "no direction nowhere" in await player.fails("explore_until", direction="nowhere", block="stone")
        assert "Explore success" in await player.must("explore_until", direction="0,0,1", seconds=5, block="stone")
        assert "must be more than 0" in await player.fails("wait", seconds=5000)

    stage.play(scene)


@pytest.mark.full
def test_hands_food_and_fights() -> None:
    async def scene() -> None:
        async with playing(cheats=True, fight="off", eat=False) as player:
            x, y, z = await floor(player, reach=13)
            await player.give(iron_helmet=1, iron_sword=1, bread=3, dirt=5, snowball=4)
            await player.must("equip", name="iron_helmet", slot="head")
            await player.must("equip", name="iron_sword")
            equipment = (await player.seen())["equipment"]
            assert (equipment["head"], equipment["hand"]) == ("iron_helmet", "iron_sword")
            assert "no slot knee" in await player.fails("equip", name="dirt", slot="knee")
            assert "No trident in inventory" in await player.fails("equip", name="trident")
            assert "not hungry" in await player.fails("eat", name="bread")
            assert "dirt cannot be eaten" in await player.fails("eat", name="dirt")
            assert "Threw 3 dirt away" in await player.must("toss", name="dirt", count=3)
            assert "Threw 2 dirt away" in await player.must("toss", name="dirt", count=3)
            assert "No dirt in inventory" in await player.fails("toss", name="dirt", count=3)
            assert "No cow nearby, please explore first" in await player.fails("kill_mob", name="cow")
            await player.world.command(f"/summon sheep {x + 3} {y} {z + 3}")
            await player.must("wait", seconds=1)
            assert "Killed sheep!" in await player.must("kill_mob", name="sheep", seconds=60)
            assert (await player.seen())["inventory"]["mutton"] >= 1
            await player.world.command(f"/summon pig {x + 3} {y} {z + 3}")
            await player.world.command(f"/summon pig {x + 5} {y} {z + 3}")
            await player.must("wait", seconds=1)
            said = await player.must("kill_mob", name="pig", seconds=60, count=3)
            assert "Killed 2 pig, and no more of 3: No pig nearby" in said and "porkchop" in said
            assert "cannot be shot" in await player.fails("shoot", weapon="dirt", target="sheep")
            assert "No bow in inventory" in await player.fails("shoot", weapon="bow", target="sheep")
            assert "Said: hello" in await player.must("chat", text="hello")

    play(scene())


@pytest.mark.full
def test_a_bot_leaves_its_hole_to_follow(stage: Stage) -> None:
    """After a night in its shelter it stood there for 300 seconds, and waited for the egg of a chicken far above."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 3} {y - 4} {z - 3} {x + 3} {y - 1} {z + 3} dirt")
        await player.world.command(f"/fill {x} {y - 3} {z} {x} {y - 1} {z} air")
        await player.world.command(f"/tp {x + 0.5} {y - 3} {z + 0.5}")
        await player.world.command(f"/summon chicken {x + 5} {y} {z}")
        await player.must("wait", seconds=1)
        assert (await player.standing())[1] == y - 3
        await player.must("follow", name="chicken", seconds=30)
        assert (await player.standing())[1] >= y

    stage.play(scene)


@pytest.mark.full
def test_the_bot_does_not_go_back_to_a_table_that_it_took_up(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.give(crafting_table=1)
        await player.must("place_item", name="crafting_table", x=x + 1, y=y, z=z + 1)
        await player.must("wait", seconds=11)
        await player.must("dig", x=x + 1, y=y, z=z + 1)
        gone = await player.fails("goto_block", name="crafting_table")
        assert gone == "No crafting_table nearby, please explore first"

    stage.play(scene)


def test_a_field_is_tilled_sown_and_reaped_in_a_command_each(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), 12)
        field = {"x": x, "y": y - 1, "z": z + 2}
        await player.world.command(f"/fill {x - 2} {y - 1} {z + 2} {x + 2} {y - 1} {z + 3} dirt")
        await player.world.command(f"/setblock {x + 2} {y} {z + 3} stone")
        await player.world.command(f"/setblock {x + 11} {y - 1} {z + 2} farmland")
        await player.world.command(f"/setblock {x - 2} {y - 1} {z + 3} air")
        await player.give(stone_hoe=1, wheat_seeds=16, dirt=1)
        await player.must("place_item", name="dirt", x=x - 2, y=y - 1, z=z + 3)
        said = await player.must("till", **field, count=9)
        assert f"Tilled 8 blocks from ({x}, {y - 1}, {z + 2}) on, and no more of 9: no more free soil" in said
        assert player.world.deeds["till"] == 8
        said = await player.must("sow", name="wheat_seeds", **field, count=5)
        assert said == f"Sowed 5 wheat_seeds from ({x}, {y}, {z + 2}) on."
        said = await player.must("sow", name="wheat_seeds", **{**field, "x": x + 2}, count=9)
        assert "Sowed 3 wheat_seeds" in said and "and no more of 9: no more free farmland is near" in said
        assert player.world.deeds["sow wheat_seeds"] == 8
        assert f"({x + 1}, {y}, {z + 2})" in await player.must("find_block", name="wheat")
        assert "No ripe wheat nearby" in await player.fails("mine_block", name="wheat")
        await player.give(bone_meal=8)
        await player.must("equip", name="bone_meal")
        for dx in (-1, 1) * 4:
            await player.must("activate", x=x + dx, y=y, z=z + 2)
        said = await player.fails("mine_block", name="wheat", count=5)
        assert "Mined only 2 of 5 wheat: No more ripe wheat nearby" in said and "2 wheat" in said.split("Got")[1]

    stage.play(scene)


@pytest.mark.full
def test_fields_beds_and_rods(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        assert "only dirt" in await player.fails("till", x=x, y=y - 1, z=z + 2)
        await player.world.command(f"/setblock {x} {y - 1} {z + 2} dirt")
        assert "No hoe in inventory" in await player.fails("till", x=x, y=y - 1, z=z + 2)
        await player.give(stone_hoe=1, wheat_seeds=2, red_bed=1)
        assert "not farmland: till it first" in await player.fails("sow", name="wheat_seeds", x=x, y=y - 1, z=z + 2)
        assert "Tilled" in await player.must("till", x=x, y=y - 1, z=z + 2)
        assert "stick cannot be sown" in await player.fails("sow", name="stick", x=x, y=y - 1, z=z + 2)
        assert "Sowed wheat_seeds" in await player.must("sow", name="wheat_seeds", x=x, y=y - 1, z=z + 2)
        assert "No bed nearby" in await player.fails("sleep")
        await player.must("place_item", name="red_bed", x=x - 2, y=y, z=z)
        assert "cannot sleep" in await player.fails("sleep")
        await player.world.command("/time set night")
        day = int((await player.must("wait", seconds=1)).partition("it is day ")[2].partition(",")[0])
        assert f"Slept in the bed at ({x - 2}, {y}, {z}); it is day {day + 1}." in await player.must("sleep")
        assert "No fishing_rod" in await player.fails("fish")
        await player.give(fishing_rod=1)
        assert "No water nearby" in await player.fails("fish")
        # without its bed it respawns at the spawn point again, as other scenes expect
        await player.world.command(f"/fill {x - 4} {y} {z - 2} {x - 1} {y} {z + 2} air")

    stage.play(scene)


@pytest.mark.full
def test_a_search_goes_to_what_it_sees_far_beside_its_way(stage: Stage) -> None:
    """It walked by at 50 blocks from water, and searched on for ten minutes."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 2} {y - 1} {z - 40} {x + 52} {y - 1} {z + 2} stone")
        await player.world.command(f"/setblock {x + 50} {y} {z - 12} gold_block")
        said = await player.must("explore_until", direction="north", seconds=30, block="gold_block")
        assert f"Explore success. gold_block at ({x + 50}, {y}, {z - 12})" in said, said
        here = await player.standing()
        assert math.dist(here, (x + 50, y, z - 12)) <= 32, "mine_block finds it from there"
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        await player.world.command(f"/fill {x + 3} {y - 1} {z - 40} {x + 49} {y - 1} {z + 2} air")
        said = await player.fails("explore_until", direction="north", seconds=60, block="gold_block")
        assert "blocked" in said or "Max exploration time" in said, said

    stage.play(scene)


@pytest.mark.full
def test_it_fishes_in_water_that_the_planner_takes_for_near(stage: Stage) -> None:
    """At 30 blocks from the water the planner let it fish, which the command refused four times."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x} {y - 2} {z - 2} {x + 28} {y - 1} {z + 2} stone")
        await player.world.command(f"/fill {x + 25} {y - 1} {z - 1} {x + 27} {y - 1} {z + 1} water")
        await player.give(fishing_rod=1)
        plan = await player.world.plan([Goal.parse("fish 1", player.world.items)])
        assert [step.name for step in plan.steps] == ["fish"]
        assert "Fished. Got 1 " in await player.must("fish")

    stage.play(scene)
