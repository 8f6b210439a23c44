"""A bot that lives: what a command did not gain is no success, a reflex leaves the hand alone, night and death pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autocraft.goals import Goal
from autocraft.protocols import PROGRAM
from autocraft.worlds.minecraft.server import PracticeServer
from tests.sandbox.playing import run as sandboxed
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor, play, under_way
from tests.worlds.minecraft.standing_in import joined, standing_in
from tests.worlds.minecraft.test_commands_more import put, summon, walls

NIGHT, DAY = 14_000, 1_000


async def first_step(player: Player, goal: str) -> tuple[str, dict[str, Any]]:
    """What the planner would do next for a goal."""
    plan = await player.world.plan([Goal.parse(goal, player.world.items)])
    return plan.steps[0].name, dict(plan.steps[0].args)


@pytest.mark.full
def test_mining_with_a_full_inventory_is_no_success(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "stone", *((x + 2, y, z + side) for side in (-1, 0, 1)))
        await player.give(stone_pickaxe=1, oak_planks=35 * 64)
        said = await player.fails("mine_block", name="stone", count=3)
        assert "Mined 1 stone, but got 0 of what it drops: the inventory is full (36/36)" in said
        await player.world.command("/clear")
        await player.give(stone_pickaxe=1)
        assert "Got 2 cobblestone" in await player.must("mine_block", name="stone", count=2)
        x, y, z = await floor(player, stage.area())
        await player.world.command("/clear")
        await put(player, "redstone_ore", *((x + 2, y, z + side) for side in (-2, 0, 2)))
        await player.give(iron_pickaxe=1, oak_planks=34 * 64, redstone=62)
        said = await player.fails("mine_block", name="redstone_ore", count=3)
        assert "Mined only 1 of 3 redstone_ore: the inventory is full (36/36)" in said
        await player.world.command("/clear")
        await player.must("wait", seconds=1)  # so that what lies there is not in the way of the next scene

    stage.play(scene)


@pytest.mark.full
def test_a_full_inventory_throws_nothing_away(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "dirt", (x + 2, y, z))
        await put(player, "furnace", (x - 2, y, z))
        await player.give(diamond_pickaxe=1, cobblestone=33 * 64, oak_log=64, sand=64)
        await player.must("equip", name="diamond_pickaxe")
        await player.do("dig", x=x + 2, y=y, z=z)
        assert (await player.seen())["inventory"]["diamond_pickaxe"] == 1, "it wears at dirt rather than being lost"
        said = await player.fails("craft_item", name="oak_planks")
        assert "(the inventory is full (36/36), drop or store something first). The inventory is as before." in said
        said = await player.fails("smelt_item", name="sand", fuel="oak_log", count=1)
        assert "1 glass stays in the furnace: the inventory is full (36/36)" in said
        await player.must("toss", name="cobblestone", count=64)
        said = await player.must("smelt_item", name="sand", fuel="oak_log", count=1)
        assert "Got 2 glass" in said

    stage.play(scene)


@pytest.mark.full
def test_a_death_a_blow_and_the_last_use_of_a_tool_are_counted_as_they_were(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=9)
        for dx, dz in ((-9, -9), (9, 9)):  # walls, since an animal runs, and a blow throws it
            await player.world.command(f"/fill {x + dx} {y} {z - 9} {x + dx} {y + 2} {z + 9} stone_bricks")
            await player.world.command(f"/fill {x - 9} {y} {z + dz} {x + 9} {y + 2} {z + dz} stone_bricks")
        await player.world.command(f"/fill {x - 4} {y} {z - 4} {x + 4} {y + 1} {z - 1} stone")
        await player.give(wooden_pickaxe=1)
        before = dict(player.world.deeds)

        def since(deed: str) -> int:
            return player.world.deeds[deed] - before.get(deed, 0)

        assert "0 wooden_pickaxe" in await player.must("mine_block", name="stone", count=59)
        assert since("mine stone") == 59
        await summon(player, "pig", x + 3, y, z + 3)
        await player.must("kill_mob", name="pig")
        for side in (-1, 1):
            await put(player, "stone", *((x + dx, y + up, z + side) for dx in range(-1, 4) for up in (0, 1)))
        await put(player, "stone", *((x + dx, y + up, z) for dx in (-1, 3) for up in (0, 1)))
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")  # from where it can neither step back nor run
        await summon(player, "creeper", x + 2, y, z)
        assert "creeper is gone, and the bot did not kill it" in await player.fails("kill_mob", name="creeper")
        assert (since("kill pig"), since("kill creeper")) == (1, 0)
        damage = since("take damage")
        assert damage > 0 and player.world.joining.bridge is not None
        await player.world.joining.bridge.close()
        await player.must("wait", seconds=1)
        assert (await player.seen())["health"] < 20 and since("take damage") == damage

    stage.play(scene)


@pytest.mark.full
def test_a_bot_that_is_closed_in_under_sand_and_water_comes_out(stage: Stage) -> None:
    """No way breaks a block beside water or under sand while there is another, so that it stayed there for ever."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "sand", *walls(x, y, z, up=3), (x, y + 2, z), (x, y + 3, z))
        await put(player, "water", (x + 1, y + 3, z), (x - 1, y + 3, z))
        await player.must("goto", x=x + 5, y=y, z=z)

    stage.play(scene)


@pytest.mark.full
def test_exploring_downwards_goes_down_leg_by_leg(stage: Stage) -> None:
    """With bare hands the bot stayed on the grass: each search looked in vain for a way 24 blocks down."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=24)
        await player.world.command(f"/fill {x - 24} {y} {z - 24} {x + 24} {y + 8} {z + 24} dirt")
        await player.world.command(f"/tp {x + 0.5} {y + 9} {z + 0.5}")
        await player.must("wait", seconds=0.5)
        call = player.registry.bind("walk_towards", {"direction": "0,-1,0", "seconds": 4.0}, agent=PROGRAM)
        for leg in range(2):
            result = await player.registry.call(replace(call, id=f"test:down{leg}"))
            assert result.ok, result.text
        assert (await player.standing())[1] <= y + 9 - 4
        await player.world.command(f"/tp {x + 8.5} {y + 9} {z + 0.5}")
        await player.fails("explore_until", direction="down", seconds=8, block="sponge")
        assert (await player.standing())[1] <= y + 9 - 4

    stage.play(scene)


@pytest.mark.full
def test_a_program_comes_up_from_deep_below(stage: Stage) -> None:
    """From a mine there was "No path to it": one search for all of the way up takes in too much."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=13)
        for up in range(0, 60, 15):
            await player.world.command(f"/fill {x - 12} {y + up} {z - 12} {x + 12} {y + up + 14} {z + 12} stone")
        await put(player, "air", (x, y, z), (x, y + 1, z))
        await player.give(stone_pickaxe=1, cobblestone=64)
        call = player.registry.bind("walk_to_goal", {"goal": f"y {y + 60}"}, agent=PROGRAM)
        done = await player.registry.call(replace(call, id="test:up"))
        assert done.ok, done.text
        assert (await player.standing())[1] == y + 60

    stage.play(scene)


@pytest.mark.full
def test_for_many_kinds_what_serves_for_nothing_is_thrown_away_at_once_and_stays_away(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        woods = ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak")
        idle = [f"{wood}_{thing}" for wood in woods for thing in ("button", "door", "sign", "boat", "stairs")]
        await player.give(**dict.fromkeys(idle, 1), stone_pickaxe=1, wooden_pickaxe=1, saddle=1, bread=1, oak_log=1)
        name, args = await first_step(player, "craft 1 oak_button and a crafting_table")
        assert name == "toss" and args["name"].endswith("_button"), "the others may be dear to somebody"
        name, args = await first_step(player, "hold 900 kinds of item")
        assert name == "toss" and set(args["name"].split(",")) == {*idle, "wooden_pickaxe"}
        await put(player, "stone", *walls(x, y, z, up=2))
        await player.must("toss", **args)
        await player.must("wait", seconds=4)
        await player.must("mine_block", name="stone", count=1)
        left = {"stone_pickaxe": 1, "saddle": 1, "bread": 1, "oak_log": 1}
        carried = (await player.seen())["inventory"]
        assert left.items() <= carried.items() and not {*idle, "wooden_pickaxe"} & carried.keys()

    stage.play(scene)


@pytest.mark.full
def test_what_was_thrown_away_is_walked_around(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=9)
        await player.give(oak_button=20, birch_button=20, torch=1)
        await player.must("toss", name="oak_button,birch_button", count=20)
        await player.must("wait", seconds=3)
        for dx, dz in ((8, 0), (-8, 0), (0, 8), (0, -8), (8, 8), (-8, -8), (0, 0)):
            await player.must("goto", x=x + dx, y=y, z=z + dz)
            assert (await player.seen())["inventory"] == {"torch": 1}, (dx, dz)

    stage.play(scene)


@pytest.mark.full
def test_a_bot_that_is_hurt_and_hungry_hunts_for_food_before_it_fights(stage: Stage) -> None:
    """It waited for the night, was too weak to fight in it, and waited for the next one, day after day."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/time set {DAY}")
        await player.world.command(f"/summon cow {x + 3} {y} {z}")
        await player.give(stone_sword=1)
        assert (await first_step(player, "get 1 rotten_flesh"))[0] != "kill_mob", "a bot that is well needs no meat"
        for high in (10, 9):
            await player.world.command(f"/tp {x + 0.5} {y + high} {z + 0.5}")
            await player.must("wait", seconds=20)
        seen = await player.seen()
        assert 8 < seen["health"] <= 16 and seen["food"] < 18, "it is hurt, and its wounds do not heal"
        step = await first_step(player, "get 1 rotten_flesh")
        assert step == ("kill_mob", {"name": "cow", "seconds": 120, "count": 1})
        assert (await first_step(player, "craft 1 wooden_axe"))[0] != "kill_mob", "what is no fight is done as it is"

    stage.play(scene)


@pytest.mark.full
def test_eating_leaves_the_hand_to_the_command(stage: Stage) -> None:
    """Hungry with raw beef, it took the beef in hand between holding a block and placing it, each time."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        for high in (14, 14):
            await player.world.command(f"/tp {x + 0.5} {y + high} {z + 0.5}")
            await player.must("wait", seconds=20)
        seen = await player.seen()
        assert seen["health"] < 12 and seen["food"] < 18, "it is hurt and hungry"
        await player.world.command("/give autocraft dirt 8")
        await player.world.command("/give autocraft beef 8")
        for step in range(6):
            await player.must("place_item", name="dirt", x=x - 3 + step, y=y, z=z + 2)
        await player.must("wait", seconds=5)
        assert (await player.seen())["food"] > seen["food"]
        eaten = [note for note in player.notes if "ate beef" in note]
        assert 0 < len(eaten) <= 8 - (await player.seen())["inventory"].get("beef", 0)

    stage.play(scene, eat=True)


@pytest.mark.full
def test_what_the_bot_eats_of_a_meal_that_it_cooks_counts_as_cooked(stage: Stage) -> None:
    """It ate what came out of the furnace, and the command said that fuel and input were at fault."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/setblock {x + 2} {y} {z} furnace")
        said: list[str] = []
        for _ in range(6):
            await player.give(beef=1, coal=1)
            await player.world.command(f"/tp {x + 0.5} {y + 12} {z + 0.5}")
            said.append(await player.must("smelt_item", name="beef", fuel="coal"))
        assert any("Smelted 1 beef to cooked_beef. By itself the bot ate 1 of them." in each for each in said), said

    stage.play(scene, eat=True)


@pytest.mark.full
def test_what_the_plan_needs_is_not_eaten_by_a_bot_that_is_well(stage: Stage) -> None:
    """It ate the meat that it was to cook, and hunted for the same goal five times."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())

        async def fall(high: int, goal: str) -> dict[str, Any]:
            await player.world.plan([Goal.parse(goal, player.world.items)])
            await player.world.command(f"/tp {x + 0.5} {y + high} {z + 0.5}")
            await player.must("wait", seconds=20)
            return await player.seen()

        await player.give(beef=1, coal=1)
        while (await fall(6, "get 1 cooked_beef"))["food"] >= 18:
            pass
        seen = await fall(6, "get 1 cooked_beef")
        assert seen["health"] < 20 and seen["inventory"]["beef"] == 1, "it is hurt and hungry"
        assert "beef" not in (await fall(1, "get 1 dirt"))["inventory"]

    stage.play(scene, eat=True)


@pytest.mark.full
def test_nobody_is_followed_for_ever_beside_a_monster(stage: Stage) -> None:
    """The bot ran to and fro between a chicken and a creeper until it starved."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=12)
        await player.world.command(f"/time set {NIGHT}")
        await player.world.command(f"/summon sheep {x + 4.5} {y} {z + 0.5}")
        await player.world.command(f"/summon zombie {x + 6.5} {y} {z + 0.5}")
        said = await player.fails("follow", name="sheep", seconds=300)
        assert said.startswith("Stopped following sheep at (")
        assert said.endswith(": the bot fled 6 times: go away from the monsters first")

    stage.play(scene, fight="flee")


@pytest.mark.full
def test_a_creeper_that_the_bot_flees_from_is_not_hunted_until_it_starves(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=14)
        await player.world.command(f"/summon creeper {x + 7.5} {y} {z + 0.5}")
        said = await player.fails("kill_mob", name="creeper", seconds=300)
        assert said == "Failed to kill creeper: the bot fled 6 times: go away from the monsters first"
        seen = await player.seen()
        assert seen["health"] == 20 and seen["food"] > 12

    stage.play(scene, fight="flee")


@pytest.mark.full
@pytest.mark.parametrize("many", [1, 2])
def test_a_creeper_is_fought_from_where_it_does_not_explode(stage: Stage, many: int) -> None:
    """From two at once the bot fled, six times."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=14)
        await player.give(iron_sword=1)
        for side in range(many):
            await player.world.command(f"/summon creeper {x + 7.5} {y} {z + 3 * side + 0.5}")
        goal = Goal.parse(f"kill {many} creeper", player.world.items).from_now(player.world.deeds)
        assert "Killed " in await player.must("kill_mob", name="creeper", count=many)
        assert (await player.world.check(goal)).verdict == "met" and (await player.seen())["health"] == 20
        assert any("fought back against creeper" in note for note in player.notes)

    stage.play(scene, fight="back")


@pytest.mark.full
def test_a_creeper_is_fled_from_while_another_monster_is_near(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=14)
        await player.world.command(f"/time set {NIGHT}")
        await player.give(iron_sword=1)
        await put(player, "stone", *walls(x, y, z + 5, up=3))
        await summon(player, "zombie", x, y, z + 5)
        await player.world.command(f"/summon creeper {x + 7.5} {y} {z + 0.5}")
        await player.do("kill_mob", name="creeper")
        assert any("fled from creeper" in note for note in player.notes)

    stage.play(scene, fight="back")


@pytest.mark.full
def test_a_hunt_ends_when_others_are_fled_from_on_the_way(stage: Stage) -> None:
    """A bot that cannot pass the zombies in their pits would walk to and fro before them."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=30)
        await player.world.command(f"/time set {NIGHT}")
        for side in (-2, 2):
            await player.world.command(f"/fill {x - 9} {y} {z + side} {x + 30} {y + 2} {z + side} bedrock")
        for pit in (x + 6, x + 11, x + 16, x + 21):  # it may get past one, and not past all
            await player.world.command(f"/fill {pit - 1} {y - 4} {z - 1} {pit + 1} {y - 2} {z + 1} stone")
            await put(player, "air", *((pit, y - down, z) for down in (1, 2)))
            await summon(player, "zombie", pit, y - 2, z)
        await put(player, "stone", *walls(x + 26, y, z))
        await put(player, "air", (x + 25, y, z), (x + 25, y + 1, z))
        await summon(player, "pig", x + 26, y, z)
        said = await player.fails("kill_mob", name="pig", seconds=300)
        assert said == "Failed to kill pig: the bot fled 6 times: go away from the monsters first"

    stage.play(scene, fight="flee")


@pytest.mark.full
@pytest.mark.parametrize("fight", ["back", "off"])
def test_a_monster_is_fought_from_farther_than_it_reaches(stage: Stage, fight: str) -> None:
    """The bot stood still between two blows, and lost six points of health to one zombie."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=14)
        await player.world.command(f"/time set {NIGHT}")
        await player.give(stone_sword=1)
        await player.world.command(f"/summon zombie {x + 5.5} {y} {z + 5.5}")
        assert "Killed zombie!" in await player.must("kill_mob", name="zombie")
        assert (await player.seen())["health"] == 20

    stage.play(scene, fight=fight)


@pytest.mark.full
def test_what_a_monster_drops_is_picked_up_where_it_died(stage: Stage) -> None:
    """The bot went on to where it had seen the monster first, and looked for the drops there."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area(), reach=24)
        await player.world.command(f"/time set {NIGHT}")
        await player.give(iron_sword=1)
        for _ in range(4):  # each drops up to two
            await player.world.command(f"/summon zombie {x + 22.5} {y} {z + 0.5}")
            await player.must("kill_mob", name="zombie")
        assert (await player.seen())["inventory"].get("rotten_flesh", 0) > 0
        assert (await first_step(player, "get 20 rotten_flesh"))[0] != "collect", "some still lies there"

    stage.play(scene, fight="back")


@pytest.mark.full
def test_a_blow_that_a_wall_holds_is_not_struck_for_ever(stage: Stage) -> None:
    """The bot struck at a spider behind a wall for thirteen times five minutes."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "stone", *walls(x + 3, y, z, up=2))
        await summon(player, "cow", x + 3, y, z)
        await player.give(stone_sword=1, stone_pickaxe=1)
        await player.must("kill_mob", name="cow", seconds=60)

    stage.play(scene)


@pytest.mark.full
@pytest.mark.parametrize("fight", ["back", "off"])
def test_no_monster_is_closed_in_with_the_bot(stage: Stage, fight: str) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/time set {NIGHT}")
        await player.give(diamond_sword=1, diamond_chestplate=1, diamond_leggings=1, dirt=8)
        for name, slot in (("diamond_chestplate", "torso"), ("diamond_leggings", "legs")):
            await player.must("equip", name=name, slot=slot)
        await put(player, "stone", *walls(x + 4, y, z, up=3))
        goal = Goal.parse("kill 1 zombie", player.world.items).from_now(player.world.deeds)
        await player.world.command(f"/summon zombie {x + 4.5} {y} {z + 0.5}")
        await player.world.command(f"/tp {x + 4.5} {y + 18} {z + 0.5}")  # so weak that it hides
        if fight == "back":
            assert "The bot hid from zombie at (" in await player.fails("wait", seconds=20)
            assert (await player.world.check(goal)).verdict == "met"
        else:
            await player.must("wait", seconds=2)
            said = await player.fails("shelter")
            assert said.startswith("zombie stands where the bot would close itself in: kill it, or go away")

    stage.play(scene, fight=fight)


@pytest.mark.full
def test_armor_and_shield_are_put_on(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        await player.world.command("/time set 14000")
        await player.give(leather_boots=1, iron_boots=1, shield=1)
        await player.must("wait", seconds=4)
        worn = (await player.seen())["equipment"]
        assert (worn["feet"], worn["off_hand"]) == ("iron_boots", "shield")
        assert await player.must("equip", name="iron_boots", slot="feet") == "iron_boots is on feet already."

    stage.play(scene, fight="back")


@pytest.mark.full
def test_the_night_is_passed_in_a_shelter(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        assert (await first_step(player, "get 3 oak_log"))[0] == "mine_block"
        await player.world.command(f"/time set {NIGHT}")
        assert await first_step(player, "get 3 oak_log") == ("shelter", {})
        said = await player.must("shelter")
        assert "Closed in at (" in said and "it is day" in said
        assert (await first_step(player, "get 3 oak_log"))[0] == "mine_block"
        await player.must("mine_block", name="oak_log")

    stage.play(scene)


@pytest.mark.full
def test_the_bot_closes_itself_in_beside_a_furnace(stage: Stage) -> None:
    """It clicked on the furnace to place the last block, which opened the furnace, and was not closed in."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/time set {NIGHT}")
        await player.give(dirt=8)
        await put(player, "stone", *walls(x, y, z), (x - 1, y + 2, z))
        await put(player, "furnace", (x + 1, y + 2, z))
        assert f"Closed in at ({x}, {y}, {z})" in await player.must("shelter")

    stage.play(scene)


@pytest.mark.full
def test_a_shelter_that_is_opened_is_closed_again(stage: Stage) -> None:
    """The command ended, and said by night that the bot had sheltered."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/time set {NIGHT}")
        await player.give(dirt=8)
        await put(player, "stone", *walls(x, y, z), (x, y + 2, z))
        work = asyncio.create_task(player.do("shelter"))
        await under_way(player, work, ticks=30)
        await player.world.command(f"/setblock {x + 1} {y} {z} air")
        await under_way(player, work, ticks=60)
        assert f"dirt at ({x + 1}, {y}, {z})" in await player.must("find_block", name="dirt", radius=3)
        await player.world.command(f"/time set {DAY}")
        assert (await work).ok

    stage.play(scene)


@pytest.mark.full
def test_a_bot_that_died_in_its_shelter_seeks_another_one(stage: Stage) -> None:
    """The shelter was held to have failed where the bot came back, so it went about there by night."""

    async def scene(player: Player) -> None:
        await player.world.command(f"/time set {NIGHT}")
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 7} {y - 6} {z - 7} {x + 7} {y - 1} {z + 7} dirt")
        await player.must("wait", seconds=1)
        work = asyncio.create_task(player.do("shelter"))
        await under_way(player, work)
        await player.fails("chat", text="/kill")
        assert "The bot died" in (await work).text
        assert await first_step(player, "get 3 oak_log") == ("shelter", {})

    stage.play(scene)


LOOK = """async function look(bot) {
  try { await exploreUntil(bot, new Vec3(1, 0, 0), 60) } catch (error) { return error.message }
}"""


@pytest.mark.full
@pytest.mark.parametrize("program", ["", LOOK], ids=["command", "program"])
def test_a_weak_bot_hides_and_comes_out_when_it_is_safe(stage: Stage, program: str) -> None:
    """A program that looked for something broke the walls of its bot again, and went on."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/fill {x - 30} {y - 6} {z - 30} {x + 30} {y - 1} {z + 30} dirt")
        await player.world.command(f"/time set {NIGHT}")
        await player.world.command(f"/tp {x + 0.5} {y + 14} {z + 0.5}")
        await player.must("wait", seconds=3)
        await player.world.command(f"/summon zombie {x + 3.5} {y} {z + 0.5}")
        if program:
            said = str((await sandboxed(player.world, program)).value)
        else:
            said = await player.fails("wait", seconds=60)
        assert "The bot hid from zombie at (" in said
        assert "it is day" in await player.must("shelter")
        assert not any("The bot died" in note for note in player.notes)

    stage.play(scene, fight="back")


@pytest.mark.full
@pytest.mark.parametrize("ground", ["farmland", "soul_sand"])
def test_the_bot_closes_itself_in_on_ground_into_which_it_sinks(stage: Stage, ground: str) -> None:
    """On its field it took the farmland for the place of its feet, and had no shelter through the night."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/time set {NIGHT}")
        await player.give(dirt=16)
        await put(player, ground, (x, y - 1, z))
        await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
        assert "Closed in at (" in await player.must("shelter")

    stage.play(scene)


@pytest.mark.full
def test_a_grave_is_fetched_by_day_and_not_twice_where_it_is_deadly(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        assert player.world.joining.server is not None
        state: Any = await player.world.joining.server.ask("state")
        await player.world.command(
            "/tp {} {} {}".format(*state["spawn"])
        )  # else the grave is too far away to be fetched
        await player.give(iron_pickaxe=1, dirt=3)
        await player.world.command(f"/time set {DAY}")
        died = "The bot died before it was done; {}, and it has respawned."
        assert await player.fails("chat", text="/kill") == died.format("its items lie where it died")
        await player.must("wait", seconds=1)
        assert any("it lost 1 iron_pickaxe, 3 dirt" in note for note in player.notes)
        assert (await player.seen())["grave"]["items"] == {"iron_pickaxe": 1, "dirt": 3}
        assert await first_step(player, "craft 1 stone_axe") == ("collect", {"name": "iron_pickaxe"})
        await player.must("collect", name="iron_pickaxe")
        assert (await player.seen())["inventory"] == {"iron_pickaxe": 1, "dirt": 3}
        assert (await player.seen())["grave"] is None
        await player.fails("chat", text="/kill")
        await player.must("wait", seconds=1)
        assert (await first_step(player, "craft 1 stone_axe"))[0] != "collect", "it died there twice in ten minutes"
        player.notes.clear()
        assert await player.fails("chat", text="/kill") == died.format("it carried nothing")
        await player.must("wait", seconds=1)
        assert any(note.endswith("; it lost nothing") for note in player.notes)
        assert (await player.seen())["grave"]["items"] == {"iron_pickaxe": 1, "dirt": 3}, "that still lies there"
        await player.must("wait", seconds=260)  # so that other scenes of this stage find no grave

    stage.play(scene)


@pytest.mark.full
def test_an_unreachable_place_is_given_up_early(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await put(player, "bedrock", *walls(x + 5, y, z, up=3), (x + 5, y + 3, z), (x + 5, y - 1, z))
        before = await player.ticks()
        said = await player.fails("goto", x=x + 5, y=y, z=z)
        assert said.startswith(f"No path to ({x + 5}, {y}, {z}) from (")
        assert await player.ticks() - before < 120 * 20

    stage.play(scene)


@pytest.mark.full
def test_a_server_that_guards_its_blocks_is_believed_at_once() -> None:
    async def scene() -> None:
        async with standing_in("1.16.5", words="This is guarded") as server, joined(server) as player:
            for command, args in (("dig", {"x": 7, "y": 64, "z": 7}), ("mine_block", {"name": "hay_block"})):
                said = await asyncio.wait_for(player.fails(command, **args), 30)
                assert "the server did not let the bot break hay_block at (7, 64, 7); it says: This is guarded" in said

    play(scene())


@pytest.mark.full
def test_places_are_remembered_in_the_next_run_and_forgotten_when_gone(tmp_path: Path) -> None:
    """A table more than 64 blocks away was forgotten, and so was everything after a resume."""

    async def run(scene: Callable[[Player], Awaitable[None]]) -> None:
        player = Player(tmp_path, cheats=True, fight="off")
        try:
            await player.world.open()
            await scene(player)
        finally:
            await player.world.close()

    async def first(player: Player) -> None:
        x, y, z = await player.standing()
        await player.give(crafting_table=1, chest=1, oak_planks=3, stick=2, bread=3)
        await player.must("place_item", name="crafting_table", x=x + 1, y=y, z=z)
        await player.must("place_item", name="chest", x=x, y=y, z=z + 1)
        await player.must("deposit", name="bread", count=3, x=x, y=y, z=z + 1)
        await player.must("wait", seconds=12)
        await player.seen()
        where.extend([(x + 1, y, z), (x, y, z + 1)])

    async def second(player: Player) -> None:
        table, chest = where
        assert (await player.seen())["chests"][str(chest)] == {"bread": 3}
        await player.world.command(f"/tp {table[0] + 90} 200 {table[2]}")
        await player.world.command(f"/setblock {table[0] + 90} 199 {table[2]} stone")
        await player.must("wait", seconds=1)
        observed = (await player.world.observe()).text
        assert f"crafting_table at {table}" in observed, observed
        assert await first_step(player, "craft 1 wooden_pickaxe") == ("goto_block", {"name": "crafting_table"})
        await player.world.command(f"/setblock {table[0]} {table[1]} {table[2]} air")
        await player.world.command(f"/setblock {chest[0]} {chest[1]} {chest[2]} air")
        await player.world.command(f"/tp {table[0]} {table[1] + 1} {table[2]}")
        await player.must("wait", seconds=12)
        assert "crafting_table at" not in (await player.world.observe()).text
        await player.fails("check_chest", x=chest[0], y=chest[1], z=chest[2])
        assert (await player.seen())["chests"] == {}

    where: list[tuple[int, int, int]] = []
    play(run(first))
    play(run(second))


@pytest.mark.full
def test_chests_and_a_grave_of_another_world_at_the_same_address_are_forgotten(tmp_path: Path) -> None:
    async def run(seed: int, port: int, scene: Callable[[Player], Awaitable[None]]) -> int:
        options = {"port": port, "seed": seed, "speed": 20, "mobs": False, "cheats": True}
        server = await PracticeServer.start(options, tmp_path / "server.log")
        player = Player(tmp_path, server=f"127.0.0.1:{server.port}", mc_version="1.16.5", cheats=True, fight="off")
        try:
            await player.world.open()
            await scene(player)
        finally:
            await player.world.close()
            await server.close()
        return server.port

    async def first(player: Player) -> None:
        x, y, z = await floor(player)
        await player.give(chest=1, bread=3)
        await player.must("place_item", name="chest", x=x, y=y, z=z + 1)
        await player.must("deposit", name="bread", count=2, x=x, y=y, z=z + 1)
        await player.must("wait", seconds=1)
        await player.fails("chat", text="/kill")
        assert (await player.seen())["grave"]["items"] == {"bread": 1}

    async def again(player: Player) -> None:
        seen = await player.seen()
        assert len(seen["chests"]) == 1 and seen["grave"] and seen["deaths"]

    async def second(player: Player) -> None:
        seen = await player.seen()
        assert (seen["chests"], seen["grave"], seen["deaths"]) == ({}, None, [])

    async def scene() -> None:
        port = await run(1, 0, first)
        await run(1, port, again)
        await run(2, port, second)

    play(scene())


@pytest.mark.full
def test_an_egg_is_had_from_a_chicken(stage: Stage) -> None:
    """The bot waited 60 seconds at a time, up to 60 commands, while the chicken walked away."""

    async def scene(player: Player) -> None:
        x, y, z = await floor(player, stage.area())
        await player.world.command(f"/summon chicken {x + 2.5} {y} {z + 0.5}")
        steps: list[str] = []
        while not (await player.seen())["inventory"].get("egg") and len(steps) < 12:
            await player.world.command(f"/time set {DAY}")
            name, args = await first_step(player, "get 1 egg")
            steps.append(name)
            await player.must(name, **args)
        assert steps[0] == "follow" and steps[-1] in ("follow", "collect"), steps
        assert (await player.seen())["inventory"]["egg"] == 1

    stage.play(scene)
