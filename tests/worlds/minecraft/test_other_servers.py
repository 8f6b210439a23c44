"""The bot on servers that are neither ours nor flying-squid, from the oldest version to the newest.

`standing_in.py` says what they are. Nothing is told to the bot but host and port.
"""

from __future__ import annotations

import asyncio
import socket

import pytest

from autocraft.goals import Goal
from autocraft.worlds.minecraft.lan import PORT
from tests.conftest import Place, kinds
from tests.sampling import covering, drawn
from tests.worlds.minecraft.playing import Player, begun, node_environment, play, playing
from tests.worlds.minecraft.standing_in import StandIn, joined, standing_in

pytestmark = pytest.mark.full

OLD = ("1.9.4", "1.12.2", "1.13.2", "1.14.4", "1.16.5")
"""Between the oldest and 1.17, which changed how a click in a window is confirmed."""
NEW = ("1.17.1", "1.18.2", "1.19.4", "1.20.4", "1.21.4", "1.21.8", "1.21.11")
"""From then to the newest."""
CONFIRMS = [*drawn(["1.8.8", "1.16.5"], 1), *drawn(["1.17.1", "1.20.4", "1.21.11", "26.1"], 1)]
"""A version of each way to confirm a click."""


async def everything(server: StandIn, player: Player, version: str) -> None:
    """Looking, walking, mining, making, keeping, eating, fighting, talking, dying; each as a person would see it."""
    old = version in {"1.8.8", "1.9.4", "1.12.2"}
    log, planks = ("log", "planks") if old else ("oak_log", "oak_planks")
    await player.looks(lambda seen: "pig" in seen["entities"])  # a server tells of entities after the player is in
    text = (await player.world.observe()).text
    for part in ("Biome: plains", "pig (", "Health: 20/20", "Hunger: 14/20", f"{log}, stone", "3 bread"):
        assert part in text, part
    assert "oak_log" in await player.must("look_around") or old
    assert f"{log} at (4, 64, 0)" in await player.must("find_block", name="oak_log")
    assert "pig at (6, 64, -5)" in await player.must("find_entity", name="pig")
    await player.must("goto", x=3, y=64, z=-2)

    assert f"Got 3 {log}" in await player.must("mine_block", name="oak_log", count=3)
    assert "Got 2 cobblestone" in await player.must("mine_block", name="stone", count=2)
    assert f"Got 12 {planks}" in await player.must("craft_item", name="oak_planks", count=12)
    await player.must("craft_item", name="stick", count=4)
    await player.must("craft_item", name="crafting_table")
    assert "Placed crafting_table" in await player.must("place_item", name="crafting_table", x=0, y=64, z=3)
    assert "Got 1 wooden_pickaxe" in await player.must("craft_item", name="wooden_pickaxe")
    held = (await player.seen())["inventory"]
    assert (held[planks], held["stick"], held["wooden_pickaxe"]) == (3, 2, 1)
    assert f"Inventory ({len(held)}/36)" in await player.must("show_inventory")
    assert (await player.world.check(Goal("planks", (("oak_planks", 3),)))).verdict == "met"
    refused = await player.fails("dig", x=7, y=64, z=7)
    assert refused.endswith("the server did not let the bot break hay_block at (7, 64, 7)")

    assert "the server did not let the bot break hay_block" in await player.fails("mine_block", name="hay_block")

    await player.must("mine_block", name="iron_ore")
    smelted = await player.must("smelt_item", name="iron_ore", fuel="stick")
    assert "to iron_ingot. Got 1 iron_ingot. Used 1 stick" in smelted  # two are put in, and one is taken back
    chest = CHEST
    assert "holds: 3 apple" in await player.must("check_chest", **chest)
    assert "Took 2 apple" in await player.must("withdraw", name="apple", count=2, **chest)
    assert "It holds: 1 apple, 1 stick" in await player.must("deposit", name="stick", count=1, **chest)
    assert "Killed pig! Got 1 porkchop" in await player.must("kill_mob", name="pig", seconds=60)
    assert "Ate bread: food 14 to 19" in await player.must("eat", name="bread")
    await player.must("equip", name="iron_axe")
    assert "Threw 1 bread away" in await player.must("toss", name="bread")

    await player.must("chat", text="hello")
    await server.tell("say boss come home")
    while "no instruction, from boss: come home" not in (await player.world.observe()).text:
        pass

    await server.tell("hurt 20")
    await player.told("The bot died at")
    await player.looks(lambda seen: seen["health"] == 20)
    seen = await player.seen()
    assert (seen["inventory"], seen["health"], seen["position"]["x"]) == ({}, 20, 0.5)
    assert " 1 iron_ingot" in await player.must("collect", name="iron_axe")


@pytest.mark.parametrize("version", ["1.8.8", *drawn(OLD, 1), *drawn(NEW, 1), "26.1"])
def test_the_oldest_the_newest_and_two_other_versions(version: str) -> None:
    async def scene() -> None:
        async with standing_in(version) as server, joined(server) as player:
            await everything(server, player, version)

    play(scene())


def test_a_whole_run_on_a_server_of_an_old_version(place: Place) -> None:
    """The goal is worded as today, the server's names are those of then, and the world says that it is met."""

    async def scene() -> None:
        async with standing_in("1.12.2") as server:
            script = place.script(
                ("mine_block", {"name": "oak_log"}), ("craft_item", {"name": "oak_planks"}), ("task_complete", {})
            )
            arguments = ["run", "--world", "minecraft", "--server", f"127.0.0.1:{server.port}", "--continuous"]
            arguments += ["--brain", "scripted", "--script", script, "--goal", "craft 4 oak_planks"]
            done = await asyncio.to_thread(place.run, *arguments, **node_environment())
            assert done.returncode == 0, done.stdout + done.stderr
            assert "Minecraft 1.12.2; to watch, join it with your own client" in done.stdout
            end = kinds(place.events(), "end")[-1]
            assert end["reason"] == "goal_reached" and end["inventory"]["planks"] == 4

    play(scene())


def test_a_slow_connection_hides_no_refusal() -> None:
    """The server's word that a block stays comes half a second after the digging."""

    async def scene() -> None:
        async with standing_in("1.16.5", lag=500) as server, joined(server) as player:
            refused = await player.fails("dig", x=7, y=64, z=7)
            assert refused.endswith("the server did not let the bot break hay_block at (7, 64, 7)")

    play(scene())


def test_a_block_that_the_server_does_not_let_the_bot_break_stays_its_own() -> None:
    """It counted as broken, so nothing took it away any more, nor said that it stood."""

    async def scene() -> None:
        async with standing_in("1.16.5", guarded="oak_planks") as server, joined(server) as player:
            await player.must("mine_block", name="oak_log")
            await player.must("craft_item", name="oak_planks", count=4)
            await player.must("place_item", name="oak_planks", x=0, y=64, z=3)
            assert "did not let the bot break oak_planks" in await player.fails("dig", x=0, y=64, z=3)
            assert player.world.changes.placements() == {"(0, 64, 3)": ""}

    play(scene())


def test_a_slow_server_is_not_said_to_refuse_a_meal() -> None:
    """It takes twice as long as others, and the bot gave up after 2.5 seconds."""

    async def scene() -> None:
        async with standing_in("1.20.4", eats=64) as server, joined(server) as player:
            assert "Ate bread: food 14 to 19" in await player.must("eat", name="bread")

    play(scene())


def test_what_a_server_does_not_let_go_was_not_thrown_away() -> None:
    async def scene() -> None:
        async with standing_in("1.16.5", keeps=True) as server, joined(server) as player:
            said = await player.fails("toss", name="bread,iron_axe", count=2)
            assert said == "Not all of bread, iron_axe was thrown away. The inventory is as before."

    play(scene())


def test_what_the_crafting_grid_would_make_is_not_in_the_inventory() -> None:
    """A craft that was over before the server said so counted the result that was still shown as one more."""

    async def scene() -> None:
        async with standing_in("1.19.4") as server, joined(server) as player:
            before = (await player.seen())["inventory"]
            await server.tell("show stick 4")
            await server.tell("hurt 1")
            await player.looks(lambda seen: seen["health"] == 19)  # so what was told before has come too
            assert (await player.seen())["inventory"] == before
            assert "stick" not in await player.must("show_inventory")
            assert await player.fails("toss", name="stick") == "No stick in inventory"

    play(scene())


def test_why_a_server_kicks_is_told_in_words_and_the_bot_comes_back() -> None:
    async def scene() -> None:
        async with standing_in("1.20.4") as server, joined(server) as player:
            await server.tell("kick multiplayer.disconnect.flying")
            await player.told("kicked")
            assert player.notes == ["The connection ended (kicked): Flying is not enabled on this server"]
            await player.must("wait", seconds=0.5)

    play(scene())


def test_two_bots_of_one_name_do_not_fight_for_ever() -> None:
    """The newer login stays, as in vanilla; whoever was sent away too often says so and gives way."""

    async def scene() -> None:
        async with standing_in("1.20.4") as server, joined(server) as one, joined(server) as other:
            told = ""
            while not told:
                said = [(await player.do("wait", seconds=0.2)).text for player in (one, other)]
                told = next((text for text in said if "give this run" in text), "")
            assert "another client joined as autocraft 3 times" in told
            assert any("You logged in from another location" in note for note in one.notes + other.notes)

    play(scene())


def test_where_the_bot_died_is_known_after_a_rejoin() -> None:
    async def scene() -> None:
        async with standing_in("1.16.5") as server, joined(server) as player:
            await player.must("goto", x=8, y=64, z=-8)
            await server.tell("hurt 20")
            await player.told("The bot died at")
            grave = (await player.seen())["grave"]
            assert grave["x"] > 5 and grave["z"] < -5
            await server.tell("kick multiplayer.disconnect.kicked")
            await player.told("kicked")
            assert (await player.seen())["grave"] == grave
            assert player.world.joining.bridge is not None and player.world.joining.bridge.joins == 2

    play(scene())


def test_a_lan_world_is_joined_again_when_it_announces_itself_no_more() -> None:
    async def announce(port: int) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as game:
            while True:
                game.sendto(f"[MOTD]mine[/MOTD][AD]{port}[/AD]".encode(), ("127.0.0.1", PORT))
                await asyncio.sleep(0.2)

    async def scene() -> None:
        async with standing_in("1.16.5") as server:
            announcing = asyncio.create_task(announce(server.port))
            async with playing(server="lan", fight="off", eat=False) as player:
                announcing.cancel()
                await asyncio.wait([announcing])
                await server.tell("kick multiplayer.disconnect.kicked")
                await player.looks(lambda seen: player.notes)
                assert player.world.joining.bridge is not None and player.world.joining.bridge.joins == 2

    play(scene())


def test_a_bot_that_joins_dead_has_not_died_once_more() -> None:
    async def scene() -> None:
        async with standing_in("1.16.5", health=0) as server, joined(server) as player:
            assert (await player.seen())["health"] == 20
            assert (player.notes, player.world.deeds["die"]) == ([], 0)
            await server.tell("hurt 20")
            while not player.notes:
                await player.do("wait", seconds=0.5)
            assert player.world.deeds["die"] == 1

    play(scene())


def test_nothing_is_said_to_be_lost_where_the_dead_keep_it() -> None:
    """The bot was sent back for items that it still had."""

    async def scene() -> None:
        async with standing_in("1.16.5", keepsPack=True) as server, joined(server) as player:
            carried = (await player.seen())["inventory"]
            await player.must("goto", x=3, y=64, z=-2)
            work = asyncio.create_task(player.fails("wait", seconds=60))
            await begun(player, work)
            await server.tell("hurt 20")
            assert await work == "The bot died before it was done; it has kept its items, and it has respawned."
            assert [note.partition("; ")[2] for note in player.notes] == ["it lost nothing"]
            seen = await player.seen()
            assert carried and (seen["inventory"], seen["grave"], len(seen["deaths"])) == (carried, None, 1)

    play(scene())


def test_kinds_of_wood_on_an_old_server() -> None:
    """Before 1.13 a birch log is a log with the number 2, and only its own recipe makes planks of it."""

    async def scene() -> None:
        pack = [["log", 1, 2], ["coal", 1, 1]]
        async with standing_in("1.12.2", pack=pack) as server, joined(server) as player:
            assert (
                await player.fails("find_block", name="cherry_log") == "No block named cherry_log in Minecraft 1.12.2"
            )
            said = await player.fails("craft_item", name="wooden_pikaxe")
            assert said.startswith("No item named wooden_pikaxe in Minecraft 1.12.2; there is wooden_pickaxe, ")
            seen = await player.seen()
            assert seen["inventory"] == {"log": 1, "coal": 1}
            assert seen["today"] == {"birch_log": 1, "charcoal": 1}
            text = (await player.world.observe()).text
            assert "Of these, by the names of today's Minecraft: 1 birch_log, 1 charcoal" in text
            assert "Got 4 planks" in await player.must("craft_item", name="birch_planks", count=4)
            assert (await player.seen())["today"] == {"birch_planks": 4, "charcoal": 1}

    play(scene())


def test_tools_are_made_on_the_oldest_servers() -> None:
    """minecraft-data has no tools for 1.9, and for 1.8 none but of oak."""

    async def scene() -> None:
        pack = [["oak_planks", 8, 1], ["stick", 2]]
        for version in ("1.8.8", "1.9.4"):
            async with standing_in(version, pack=pack) as server, joined(server) as player:
                assert "Got 1 wooden_pickaxe" in await player.must("craft_item", name="wooden_pickaxe")

    play(scene())


CHEST = {"x": -3, "y": 64, "z": 3}


@pytest.mark.parametrize("version", CONFIRMS)
def test_a_chest_that_the_server_closes_between_two_clicks(version: str) -> None:
    """The bot said that all had gone in, and took its own inventory for the contents of the chest."""

    async def scene() -> None:
        closes = [1, 0, 2, 0, 1, 0]  # each second window is that of check_chest
        async with standing_in(version, pack=[["coal", 5]], closes=closes) as server, joined(server) as player:
            for inside in range(2):
                said = await player.fails("deposit", name="coal", count=3, **CHEST)
                assert said == f"Only {inside} of 3 coal went into the chest: the server closed the window"
                assert (await player.seen())["inventory"] == {"coal": 5 - inside}
                assert f"holds: 3 apple{inside * ', 1 coal'}" in await player.must("check_chest", **CHEST)
            said = await player.fails("withdraw", name="apple", count=2, **CHEST)
            assert said == "3 of 2 apple came out: the server closed the window"  # they were on the cursor
            assert (await player.seen())["inventory"] == {"coal": 4, "apple": 3}
            assert "holds: 1 coal" in await player.must("check_chest", **CHEST)
            assert "holds: 1 apple, 1 coal" in await player.must("deposit", name="apple", count=1, **CHEST)

    play(scene())


@pytest.mark.parametrize("version", CONFIRMS)
def test_a_furnace_that_the_server_closes_between_two_clicks(version: str) -> None:
    """On newer servers the bot waited for what it had never put in, and then blamed the fuel."""

    async def scene() -> None:
        pack = [["cobblestone", 3], ["coal", 2]]
        async with standing_in(version, pack=pack, closes=[1, 0, 2, 0]) as server, joined(server) as player:
            for _ in range(2):
                said = await player.fails("smelt_item", name="cobblestone", fuel="coal")
                assert "(the server closed the window). The inventory is as before." in said
                assert (await player.seen())["inventory"] == {"cobblestone": 3, "coal": 2}
            assert "Got 1 stone" in await player.must("smelt_item", name="cobblestone", fuel="coal")

    play(scene())


@pytest.mark.parametrize(("version", "slow"), covering(["1.16.5", "1.20.4"], [False, True]))
def test_what_is_moved_when_the_command_is_interrupted(version: str, slow: bool) -> None:
    """The bot closed the chest with items on the cursor, and then did not know of them.

    If the server was slow, the process of the bot was ended as one that does not stop.
    """

    async def scene() -> None:
        async with standing_in(version, pack=[["coal", 5]], halts=2) as server, joined(server) as player:
            work = asyncio.create_task(player.do("deposit", name="coal", count=3, **CHEST))
            for _ in range(2):  # the answer to the first click came: the coal is on the cursor
                await server.has("clicked")
            work.cancel()
            await asyncio.sleep(0)
            if slow:  # so slow that the bot waits in vain for what it clicks
                await work
            await server.tell("go on")
            assert (await work).text == "Interrupted before it was done."
            assert player.world.joining.bridge is not None and player.world.joining.bridge.joins == 1
            if slow:  # what a server tells with its window is right
                await player.must("check_chest", **CHEST)
            held = (await player.seen())["inventory"]["coal"]
            put = f", {5 - held} coal" if held < 5 else ""
            assert (await player.must("check_chest", **CHEST)).endswith(f"holds: 3 apple{put}")
            assert (await player.seen())["inventory"] == {"coal": held}

    play(scene())


@pytest.mark.parametrize(("version", "deaf"), [("1.17.1", 3), ("1.20.4", 3), ("1.20.4", 5)])
def test_a_click_that_the_server_ignores(version: str, deaf: int) -> None:
    """On newer servers the bot said that it had put in all, and what stayed on the cursor was lost to it."""

    async def scene() -> None:
        async with standing_in(version, pack=[["coal", 5]], deaf=deaf) as server, joined(server) as player:
            done = await player.do("deposit", name="coal", count=3, **CHEST)
            inside = 3 if deaf == 5 else 2
            assert done.ok == (inside == 3)
            assert done.ok or done.text.startswith(f"Only {inside} of 3 coal went into the chest: ")
            assert (await player.must("check_chest", **CHEST)).endswith(f"holds: 3 apple, {inside} coal")
            assert (await player.seen())["inventory"] == {"coal": 5 - inside}

    play(scene())


@pytest.mark.parametrize("version", ["1.16.5", "1.20.4"])
def test_a_bot_that_dies_with_a_chest_open(version: str) -> None:
    """On newer servers it said that all had gone in, since it did not wait for what the server tells."""

    async def scene() -> None:
        async with standing_in(version, pack=[["coal", 20]], deadly=1) as server, joined(server) as player:
            done = await player.fails("deposit", name="coal", count=9, **CHEST)
            assert "The bot died before it was done" in done
            await player.looks(lambda seen: seen["health"] == 20)
            assert (await player.seen())["inventory"] == {}

    play(scene())


def test_a_chest_that_opens_after_its_command() -> None:
    """The window stayed open, and the next command put into the chest what it took for a slot of the inventory."""

    async def scene() -> None:
        async with standing_in("1.16.5", pack=[["coal", 5]], lag=4000) as server, joined(server) as player:
            work = asyncio.create_task(player.do("check_chest", **CHEST))
            await server.has("opened")
            work.cancel()
            await work
            await server.tell("hurt 1")
            await player.looks(lambda seen: seen["health"] == 19)  # so the window has come too
            await player.must("equip", name="coal", slot="off-hand")
            assert (await player.seen())["inventory"] == {"coal": 5}
            assert "holds: 3 apple" in await player.must("check_chest", **CHEST)

    play(scene())


@pytest.mark.parametrize("version", CONFIRMS)
def test_a_server_that_answers_the_close_of_a_window_with_a_close(version: str) -> None:
    """Each craft at a table was called a failure, and in the end its way was set aside."""

    async def scene() -> None:
        pack = [["oak_planks", 9], ["stick", 4], ["crafting_table", 1]]
        async with standing_in(version, pack=pack, echoes=True) as server, joined(server) as player:
            await player.must("place_item", name="crafting_table", x=0, y=64, z=3)
            for _ in range(2):
                assert "Got 1 wooden_pickaxe" in await player.must("craft_item", name="wooden_pickaxe")
            assert "It holds: 3 apple, 1 wooden_pickaxe" in await player.must(
                "deposit", name="wooden_pickaxe", count=1, **CHEST
            )

    play(scene())


def test_an_item_of_a_mod_stops_no_command() -> None:
    """Mining ended with "Cannot read properties of undefined"."""

    async def scene() -> None:
        async with standing_in("1.16.5", pack=[[9000, 3], ["bread", 1]]) as server, joined(server) as player:
            assert "Got 2 oak_log" in await player.must("mine_block", name="oak_log", count=2)
            assert "Got 8 oak_planks" in await player.must("craft_item", name="oak_planks", count=8)
            assert "unknown" in (await player.seen())["inventory"]
            assert (await player.world.plan([Goal.parse("craft 1 crafting_table", player.world.items)])).steps

    play(scene())


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (1, "in creative mode blocks drop nothing"),
        (2, "in adventure mode no block can be broken or placed"),
        (3, "a spectator can only move and look"),
    ],
)
def test_the_game_mode_is_respected(mode: int, why: str) -> None:
    async def scene() -> None:
        async with standing_in("1.16.5", mode=mode) as server, joined(server) as player:
            assert (await player.fails("mine_block", name="oak_log")).startswith(why)
            plan = await player.world.plan([Goal.parse("get 1 oak_log", player.world.items)])
            assert (plan.verdict, plan.steps) == ("not found", ()) and plan.why.startswith(why)
            await player.must("goto", x=3, y=64, z=-2)

    play(scene())


@pytest.mark.parametrize("version", CONFIRMS)
def test_a_table_that_the_server_closes_between_two_clicks(version: str) -> None:
    """The bot clicked on in its own inventory, forgot what it carried, and on newer servers hung for 30 seconds."""

    async def scene() -> None:
        pack = [["oak_planks", 5], ["stick", 2], ["crafting_table", 1]]
        clicks = list(range(1, 8))  # the eighth takes the pickaxe
        async with standing_in(version, pack=pack, closes=clicks) as server, joined(server) as player:
            await player.must("place_item", name="crafting_table", x=0, y=64, z=3)
            before = (await player.seen())["inventory"]
            for _ in clicks:
                said = await player.fails("craft_item", name="wooden_pickaxe")
                assert "1 times (the server closed the window). The inventory is as before." in said
                assert (await player.seen())["inventory"] == before
            assert "Got 1 wooden_pickaxe" in await player.must("craft_item", name="wooden_pickaxe")

    play(scene())
