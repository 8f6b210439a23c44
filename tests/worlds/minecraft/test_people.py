"""Goals about people and places, reached by the planner in the world: come, follow, give, guard, explore, remember."""

from __future__ import annotations

import asyncio
import math

import pytest

from autocraft.goals import Goal
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, floor
from tests.worlds.minecraft.talking import talker

STEPS = 30
"""Most steps for one goal."""


async def reach(player: Player, text: str) -> list[str]:
    """Follow the planner until a goal that begins now is met. Return the results."""
    goal = Goal.parse(text, player.world.items).from_now(player.world.deeds)
    assert (await player.world.check(goal)).verdict == "not met", text
    results: list[str] = []
    for _ in range(STEPS):
        plan = await player.world.plan([goal])
        assert plan.steps, (text, plan.why, results)
        results.append((await player.do(plan.steps[0].name, **plan.steps[0].args)).text)
        if (await player.world.check(goal)).verdict == "met":
            return results
    raise AssertionError((text, results))


async def joined(player: Player, *names: str) -> None:
    """Wait until the bot sees these players."""
    while not set(names) <= set((await player.seen())["players"]):
        await player.must("wait", seconds=0.5)


@pytest.mark.full
def test_goals_about_a_player_and_a_place_are_reached(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        assert player.world.joining.server is not None
        assert (
            "no player ghost" in (await player.world.plan([Goal.parse("follow player ghost", player.world.items)])).why
        )
        x, y, z = await player.standing()
        with talker(str(player.world.joining.server.port), "boss") as say:  # who joins beside the bot
            await joined(player, "boss")
            await player.give(dirt=5)
            assert (await reach(player, "remember this place as home"))[-1].endswith("is remembered as home.")
            await reach(player, "explore 32 blocks")
            await reach(player, "come here")
            await player.must("goto", **(await player.seen())["players"]["boss"])  # what is thrown there falls back
            assert "Gave 3 dirt to boss, 2 left" in (await reach(player, "give me 3 dirt"))[-1]
            assert (await player.seen())["inventory"].get("dirt") == 2
            assert player.world.deeds["give:boss dirt"] == 3
            assert "Followed boss" in (await reach(player, "follow boss for 4 s"))[-1]
            await player.fails("give", player="ghost", name="dirt", count=1)
            boss = (await player.seen())["players"]["boss"]
            await player.world.joining.server.ask("speed", speed=2)  # who joins falls and walks in real time
            say(f"dodge {boss['x'] + 12} {boss['y'] + 2} {boss['z']}")
            gave = await player.must("give", player="boss", name="dirt", count=2)
            assert gave.startswith("Gave 2 dirt to boss, ") and "not picked up" not in gave
            assert player.world.deeds["give:boss dirt"] == 5
        await player.world.joining.server.ask("speed", speed=player.world.settings.speed)
        await reach(player, "explore 16 blocks then go home")
        await player.give(stone_sword=1)
        x, y, z = await player.standing()  # on open ground: a zombie in water or in a hill does not come
        await player.world.command(f"/fill {x - 6} {y - 1} {z - 6} {x + 6} {y - 1} {z + 6} stone")
        await player.world.command(f"/fill {x - 6} {y} {z - 6} {x + 6} {y + 3} {z + 6} air")
        await player.world.command(f"/summon zombie {x + 4} {y} {z + 4}")
        assert "1 monsters were killed" in (await reach(player, "guard this place for 20 s"))[-1]
        assert "home at (" in (await player.world.observe()).text

    stage.play(scene)


@pytest.mark.full
def test_what_the_bot_walks_over_on_its_way_to_a_player_is_thrown_again(stage: Stage) -> None:
    """It said that the player had not picked up what it held itself."""

    async def scene(player: Player) -> None:
        server = player.world.joining.server
        assert server is not None
        x, y, z = await floor(player, stage.area(), reach=24)
        with talker(str(server.port), "walker") as say:
            say(f"/tp {x + 5.5} {y} {z + 0.5}")
            await joined(player, "walker")
            await player.give(dirt=3)
            await server.ask("speed", speed=2)  # the walker falls in real time
            say(f"dodge {x + 20.5} {y} {z + 0.5}")
            work = asyncio.create_task(player.do("give", player="walker", name="dirt", count=3))
            await player.looks(lambda seen: not seen["inventory"].get("dirt"))
            await player.world.command(f"/tp {x - 6.5} {y} {z + 0.5}")  # as if it had fled
            done = await work
        await server.ask("speed", speed=player.world.settings.speed)
        assert done.text == "Gave 3 dirt to walker, 0 left."

    stage.play(scene)


@pytest.mark.full
def test_what_the_bot_lays_on_its_way_to_a_player_was_not_given(stage: Stage) -> None:
    """It said that it had given the dirt on which it climbed after the player."""

    async def scene(player: Player) -> None:
        server = player.world.joining.server
        assert server is not None
        x, y, z = await floor(player, stage.area(), reach=12)
        with talker(str(server.port), "climber") as say:
            await player.world.command(f"/fill {x + 8} {y} {z} {x + 8} {y + 6} {z} bedrock")
            say(f"/tp {x + 4.5} {y} {z + 0.5}")
            await joined(player, "climber")
            await player.give(dirt=20)
            say(f"dodge {x + 8.5} {y + 7} {z + 0.5}")
            given = await player.do("give", player="climber", name="dirt", count=3)
            assert not given.ok or "not picked up" not in given.text, given.text

    stage.play(scene)


@pytest.mark.full
def test_what_another_player_picks_up_was_not_given_and_the_bot_is_not_in_the_way_after_it(stage: Stage) -> None:
    """Of three bots each picked up what another one threw to the third, without an end."""

    async def scene(player: Player) -> None:
        server = player.world.joining.server
        assert server is not None
        x, y, z = await floor(player, stage.area(), reach=24)
        with talker(str(server.port), "early") as early, talker(str(server.port), "late") as late:
            early(f"/tp {x + 8.5} {y} {z + 0.5}")
            late(f"/tp {x + 8.5} {y} {z + 0.5}")
            await joined(player, "early", "late")
            await player.give(dirt=3)
            refused = await player.fails("give", player="late", name="dirt", count=3)
            assert refused == "Only 0 of 3 dirt went to late: early picked up 3."
            assert not player.world.deeds.get("give:late dirt")
            at, other = (await player.seen())["position"], (await player.seen())["players"]["late"]
            assert math.dist([at[axis] for axis in "xyz"], [other[axis] for axis in "xyz"]) > 2.5
            early(f"/tp {x - 12.5} {y} {z + 0.5}")
            while (await player.seen())["players"]["early"]["x"] > x:
                await player.must("wait", seconds=0.5)
            await player.give(dirt=3)
            assert await player.must("give", player="late", name="dirt", count=3) == "Gave 3 dirt to late, 0 left."
            assert player.world.deeds["give:late dirt"] == 3

    stage.play(scene)


@pytest.mark.full
@pytest.mark.parametrize("wall", [True, False])
def test_what_falls_back_or_flies_past_a_player_is_thrown_from_another_place(stage: Stage, wall: bool) -> None:
    """From behind a tree it threw 28 bricks three times, which came back, and then all of it again without an end."""

    async def scene(player: Player) -> None:
        server = player.world.joining.server
        assert server is not None
        x, y, z = await floor(player, stage.area(), reach=12)
        name = "beside" if wall else "close"
        with talker(str(server.port), name) as say:
            if wall:
                await player.world.command(f"/fill {x + 1} {y} {z - 1} {x + 1} {y + 1} {z + 1} oak_log")
            say(f"/tp {x + (2.5 if wall else 1.7)} {y} {z + 0.5}")
            await joined(player, name)
            await player.give(dirt=3)
            begun = await player.ticks()
            assert await player.must("give", player=name, name="dirt", count=3) == f"Gave 3 dirt to {name}, 0 left."
            assert await player.ticks() < begun + 200, "it was thrown more than once"

    stage.play(scene)


@pytest.mark.full
def test_what_a_player_throws_is_picked_up_as_soon_as_it_can_be(stage: Stage) -> None:
    """Nobody picks up for 40 ticks what a player has thrown. After 30 the bot went off to make another one."""

    async def scene(player: Player) -> None:
        server = player.world.joining.server
        assert server is not None
        x, y, z = await floor(player, stage.area(), reach=12)
        with talker(str(server.port), "thrower") as say:
            say("/give thrower dirt 1")
            say(f"/tp {x - 2.5} {y} {z + 0.5}")
            await joined(player, "thrower")
            say("throw")
            while (said := (await player.do("collect", name="dirt")).text).startswith("No dirt lies nearby"):
                await player.must("wait", seconds=0.05)
            assert said.startswith("Collect finish!")

    stage.play(scene)
