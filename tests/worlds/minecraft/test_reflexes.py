"""What the bot does by itself, while no command runs and a person might be reading a question.

The world goes on meanwhile (`freeze=False`); each reflex is told to the journal, and each can be switched off.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from autocraft.node import child_environment, find_node, packages
from autocraft.worlds.minecraft.packages import NODE_FOLDER, PACKAGES
from tests.worlds.minecraft.playing import HERE, Player, floor, play, playing
from tests.worlds.minecraft.test_commands_more import put, walls

pytestmark = pytest.mark.full

CREEPER = """
const [folder, world] = process.argv.slice(1)
process.argv[2] = folder
const { botIn } = require(world)
const { attacker, countFlight } = require(folder + '/danger.js')
const bot = botIn({ mobs: ['creeper'] })
const creeper = Object.assign(bot.entities[0], { position: bot.entity.position.offset(0.5, 0, 0) })
const there = creeper.position
const found = [0, 4, 4].map((flights) => {
  for (let flight = 0; flight < flights; flight++) countFlight(bot, creeper)
  return attacker(bot, -Infinity)?.name ?? null
})
creeper.position = there.offset(0, 0, 3)
bot.entity.position = creeper.position.offset(0.5, 0, 0)
found.push(attacker(bot, -Infinity)?.name ?? null)
console.log(JSON.stringify(found))
"""
AWAKE: dict[str, Any] = {"cheats": True, "freeze": False, "speed": 20.0}


async def told(player: Player, text: str) -> str:
    """Wait, without any command, until a note says it, and return the note."""
    return await player.told(f"By itself the bot {text}")


async def well(x: int, y: int, z: int, player: Player) -> None:
    """Put the bot under three blocks of water, in a shaft."""
    await put(player, "stone", *walls(x, y, z, up=5))
    await put(player, "water", *((x, y + up, z) for up in range(4)))
    await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")


def test_air_fire_and_food_while_nobody_commands() -> None:
    async def scene() -> None:
        async with playing(**AWAKE, fight="off") as player:
            x, y, z = await floor(player)
            await well(x + 4, y, z + 4, player)
            await told(player, "came up for air")
            assert (await player.seen())["health"] == 20

            await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
            await player.world.command(f"/setblock {x} {y} {z} fire")
            await told(player, "stepped out of fire")
            seen = await player.seen()
            assert seen["health"] > 10 and not seen["in_lava"]

            await player.give(bread=2, apple=1)
            await player.world.spare(["bread"])
            for _ in range(6):  # falls hurt, healing makes hungry, and who is hurt and hungry eats; no fall makes weak
                await player.world.command(f"/tp {x - 3.5} {y + 8} {z - 3.5}")
                await player.must("wait", seconds=20)
                if any("ate apple" in note for note in player.notes):
                    break
            await told(player, "ate apple")
            assert (await player.seen())["inventory"]["bread"] == 2, "a task wants it, and bread fills more"
            await player.world.spare([])
            for _ in range(4):
                await player.world.command(f"/tp {x - 3.5} {y + 14} {z - 3.5}")
                await player.must("wait", seconds=20)
                if any("ate bread" in note for note in player.notes):
                    break
            await told(player, "ate bread")
            assert (await player.seen())["inventory"].get("bread", 0) < 2

    play(scene())


def test_fighting_back_and_fleeing() -> None:
    async def scene() -> None:
        async with playing(**AWAKE) as player:
            x, y, z = await floor(player)
            await player.world.command("/time set night")
            await player.give(iron_sword=1)
            await player.world.command(f"/summon zombie {x + 2.5} {y} {z + 0.5}")
            await told(player, "fought back against zombie")
            assert (await player.seen())["equipment"]["hand"] == "iron_sword"
        async with playing(**AWAKE, fight="flee") as player:
            x, y, z = await floor(player)
            await player.world.command("/time set night")
            await player.world.command(f"/summon zombie {x + 2.5} {y} {z + 0.5}")
            await told(player, "fled from zombie")
        async with playing(**AWAKE | {"speed": 1.0}, fight="off") as player:  # lava kills within five seconds
            x, y, z = await floor(player)
            await player.world.command(f"/setblock {x} {y} {z} lava")
            await told(player, "stepped out of lava")
            assert (await player.seen())["health"] > 0

    play(scene())


def test_a_monster_in_the_same_hole_is_fought_however_many_are_near() -> None:
    async def scene() -> None:
        async with playing(**AWAKE) as player:
            x, y, z = await floor(player)
            await player.world.command("/time set night")
            await player.give(diamond_sword=1, diamond_chestplate=1)
            await told(player, "put on diamond_chestplate")
            await put(player, "stone", *walls(x, y, z, up=3), (x, y + 2, z))
            for dx in (2.5, 3.5, 4.5):  # a bot that is not closed in flees from so many
                await player.world.command(f"/summon zombie {x + dx} {y} {z + 0.5}")
            await player.world.command(f"/summon zombie {x + 0.5} {y} {z + 0.5}")
            await told(player, "fought back against zombie")
            assert (await player.seen())["health"] > 0
            assert not any("hid from" in note or "fled from" in note for note in player.notes)

    play(scene())


def test_a_bot_with_a_weapon_that_cannot_run_fights_many() -> None:
    """In a hole that it had dug, the bot "fled" from three zombies on the spot, until it was dead."""

    async def scene() -> None:
        async with playing(**AWAKE) as player:
            x, y, z = await floor(player)
            await player.world.command("/time set night")
            await player.give(iron_sword=1)
            await put(player, "stone", *walls(x, y, z, up=3), *walls(x + 1, y, z, up=3))
            await put(player, "air", *((x + dx, y + up, z) for dx in (0, 1) for up in range(3)))
            await player.world.command(f"/tp {x + 20.5} {y + 30} {z + 0.5}")
            for _ in range(4):
                await player.world.command(f"/summon zombie {x + 1.5} {y} {z + 0.5}")
            await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
            await told(player, "fought back against zombie")
            assert not any("fled" in note for note in player.notes)

    play(scene())


def test_a_bot_below_a_roof_of_stone_does_not_say_that_it_came_up() -> None:
    async def scene() -> None:
        async with playing(**AWAKE, fight="off") as player:
            x, y, z = await floor(player)
            await put(player, "stone", (x + 4, y + 4, z + 4))
            await well(x + 4, y, z + 4, player)
            await player.looks(lambda seen: seen["health"] <= 14)
            assert not any("came up for air" in note for note in player.notes)

    play(scene())


def test_an_archer_out_of_reach_is_fled_from() -> None:
    """After a walk in vain the bot stood still for ten seconds, whatever attacked it."""

    async def scene() -> None:
        async with playing(**AWAKE) as player:
            x, y, z = await floor(player, reach=14)
            await player.give(diamond_sword=1, diamond_chestplate=1, diamond_leggings=1, diamond_helmet=1)
            await player.world.command("/time set night")
            await told(player, "put on diamond_leggings")
            await player.world.command(f"/fill {x + 6} {y} {z} {x + 6} {y + 5} {z} bedrock")
            await player.world.command(f"/summon skeleton {x + 6.5} {y + 6} {z + 0.5}")
            note = await told(player, "fled from skeleton")
            assert int(note.partition("(health ")[2].partition(",")[0]) >= 14, "so well that it had gone up to it"

    play(scene())


def test_switched_off_it_does_nothing_by_itself() -> None:
    async def scene() -> None:
        async with playing(**AWAKE, air=False, fire=False, eat=False, fight="off") as player:
            x, y, z = await floor(player)
            await player.give(bread=1)
            await well(x + 4, y, z + 4, player)
            await player.looks(lambda seen: seen["health"] < 10)
            seen = await player.seen()
            assert seen["health"] < 10 and seen["in_water"] and seen["inventory"]["bread"] == 1
            assert not any("By itself" in note for note in player.notes)

    play(scene())


def test_what_was_lost_by_dying_is_fetched() -> None:
    async def scene() -> None:
        async with playing(cheats=True) as player:
            x, y, z = await player.standing()
            await player.must("goto", x=x + 45, y=y, z=z)
            died = await player.standing()
            await player.give(oak_log=5, stick=3)
            assert "The bot died before it was done" in await player.fails("chat", text="/kill")
            await player.must("wait", seconds=1)
            assert any("The bot died at" in note for note in player.notes)
            seen = await player.seen()
            assert seen["inventory"] == {} and seen["health"] == 20
            assert abs(seen["position"]["x"] - died[0]) > 32, "it came back far from where it died"
            said = await player.must("collect", name="oak_log")
            assert "where the bot died" in said and "Collect finish! Got " in said
            held = (await player.seen())["inventory"]
            assert (held["oak_log"], held["stick"]) == (5, 3)

    play(scene())


def test_a_creeper_that_never_explodes_is_no_danger_for_good() -> None:
    """Without a weapon the bot fled from a creeper behind a wall until it starved."""
    script: list[str | Path] = [find_node(), "-e", CREEPER, NODE_FOLDER / "bot", HERE / "node" / "small_world.js"]
    environment = child_environment(AUTOCRAFT_NODE_MODULES=str(packages(PACKAGES)))
    done = subprocess.run(script, env=environment, capture_output=True, check=True, timeout=120)
    assert json.loads(done.stdout) == ["creeper", "creeper", None, "creeper"], "one that has moved is a danger again"
