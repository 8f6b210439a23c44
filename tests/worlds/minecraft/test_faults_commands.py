"""Each command, the bot's or the server's process killed in its middle: told as what it was, and the next one works.

The world stands still until the fault, but for so many ticks as the command needs to be in its middle.
"""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.sampling import covering
from tests.worlds.minecraft.playing import Player, ended, floor, no_ping, play, playing, processes, under_way

pytestmark = pytest.mark.full

SAID = {"bot": "The bot's process ended: ", "server": "The connection to the server was lost: "}


@dataclass
class Case:
    """One command on the flat place of `floor`: what must be there before, and after how many ticks it is killed.

    In `args` and `before` the names x, y and z stand for where the bot does. The bot has one tick more than `ticks` by
    itself, and may be through the last one or not when it is killed, so a command takes at least two more than that.
    """

    args: dict[str, Any] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    items: dict[str, int] = field(default_factory=dict)
    ticks: int = 1


def at(dx: int = 0, dy: int = 0, dz: int = 0) -> dict[str, Any]:
    return {"x": dx, "y": dy, "z": dz}


LOOKS: dict[str, dict[str, Any]] = {
    "observe": {},
    "look_around": {},
    "show_inventory": {},
    "find_block": {"name": "stone"},
    "search_recipe": {"name": "stick"},
}
CASES = {
    "goto": Case(at(6)),
    "goto_block": Case({"name": "diamond_block"}, ("setblock -5 0 0 diamond_block",)),
    "follow": Case({"name": "sheep", "seconds": 30}, ("summon sheep 3 0 3",), ticks=20),
    "explore_until": Case({"direction": "east", "seconds": 60, "block": "sponge"}, ticks=5),
    "mine_block": Case({"name": "dirt"}, ("setblock 3 0 0 dirt",), ticks=5),
    "collect": Case({"name": "dirt"}, ("toss dirt",), {"dirt": 1}),
    "dig": Case(at(2, -1), ticks=10),
    "craft_item": Case({"name": "crafting_table"}, (), {"oak_planks": 4}),
    "smelt_item": Case(
        {"name": "iron_ore", "fuel": "coal"}, ("setblock 2 0 2 furnace",), {"iron_ore": 1, "coal": 1}, 30
    ),
    "place_item": Case({"name": "dirt", **at(0, 0, -3)}, (), {"dirt": 1}),
    "activate": Case(at(0, 0, 2), ("setblock 0 0 2 oak_door",)),
    "till": Case(at(-2, -1, -2), ("setblock -2 -1 -2 dirt",), {"stone_hoe": 1}),
    "sow": Case({"name": "wheat_seeds", **at(-3, -1, -2)}, ("setblock -3 -1 -2 farmland",), {"wheat_seeds": 1}),
    "sleep": Case({}, ("place -2 0 2 red_bed", "time set night"), {"red_bed": 1}, 10),
    "fish": Case({}, ("setblock 3 -1 -3 water",), {"fishing_rod": 1}, 10),
    "equip": Case({"name": "iron_helmet", "slot": "head"}, (), {"iron_helmet": 1}),
    "eat": Case({"name": "golden_apple"}, (), {"golden_apple": 1}, 10),
    "toss": Case({"name": "dirt"}, (), {"dirt": 1}),
    "check_chest": Case(at(0, 0, 3), ("setblock 0 0 3 chest",)),
    "deposit": Case({"name": "dirt", "count": 1, **at(0, 0, 3)}, ("setblock 0 0 3 chest",), {"dirt": 1}),
    "withdraw": Case({"name": "dirt", "count": 1, **at(0, 0, 3)}, ("setblock 0 0 3 chest", "deposit"), {"dirt": 1}),
    "kill_mob": Case({"name": "sheep", "seconds": 60}, ("summon sheep 3 0 3",), ticks=5),
    "shoot": Case({"weapon": "snowball", "target": "sheep"}, ("summon sheep 3 0 3",), {"snowball": 16}, 5),
    "chat": Case({"text": "hello"}, ticks=0),
    "wait": Case({"seconds": 30}, ticks=20),
}


async def prepare(player: Player, case: Case, x: int, y: int, z: int) -> dict[str, Any]:
    """Set up what the command needs; returns its arguments."""
    args = dict(case.args)
    if "x" in args:
        args |= {"x": x + args["x"], "y": y + args["y"], "z": z + args["z"]}
    await player.world.command(f"/tp {x + 0.5} {y} {z + 0.5}")
    await player.give(**case.items)
    for line in case.before:
        match line.split():
            case ["toss", name]:
                await player.must("toss", name=name)
            case ["deposit"]:
                await player.must("deposit", **args)
            case ["place", dx, dy, dz, name]:
                await player.must("place_item", name=name, x=x + int(dx), y=y + int(dy), z=z + int(dz))
            case ["time", *_]:
                await player.world.command(f"/{line}")
            case ["setblock", dx, dy, dz, name]:
                await player.world.command(f"/setblock {x + int(dx)} {y + int(dy)} {z + int(dz)} {name}")
            case ["summon", name, dx, dy, dz]:
                await player.world.command(f"/summon {name} {x + int(dx)} {y + int(dy)} {z + int(dz)}")
    await player.must("wait", seconds=1)
    return args


async def kill_in_the_middle(player: Player, victim: str, command: str, place: tuple[int, int, int]) -> None:
    """One command, one kill, and what is there afterwards."""
    case = CASES[command]
    args = await prepare(player, case, *place)
    server, bridge = player.world.joining.server, player.world.joining.bridge
    assert server is not None and bridge is not None
    await server.ask("save")
    await server.ask("freeze")
    bot, joins = processes(player)[0], bridge.joins
    work = asyncio.create_task(player.do(command, **args))
    await asyncio.sleep(0)
    middle = server.ask("tick", n=case.ticks) if case.ticks else bridge.look("observe", {})
    ticking = asyncio.create_task(middle)
    await asyncio.wait([ticking, work], return_when=asyncio.FIRST_COMPLETED)
    assert not work.done(), f"{command} was over before the kill: {work.result().text}"
    await ticking
    pid = bot if victim == "bot" else server.child.pid
    os.kill(pid, signal.SIGKILL)
    if victim == "bot":
        await server.ask("thaw")
    done = await work
    assert not done.ok and SAID[victim] in done.text, f"{command}: {done.text}"
    assert "whether the command took effect is unknown: look before you repeat it" in done.text
    assert (await player.seen())["health"] == 20
    assert bridge.joins == joins + 1
    await ended(pid, bot)


async def scene(victim: str, *commands: str) -> None:
    async with playing(cheats=True, eat=False, fight="off") as player:
        place = await floor(player)
        for command in commands:
            await kill_in_the_middle(player, victim, command, place)


FIVES = ["-".join(list(CASES)[first : first + 5]) for first in range(0, len(CASES), 5)]


@pytest.mark.parametrize(("commands", "victim"), covering(FIVES, ["bot", "server"]))
def test_each_command_and_each_process(commands: str, victim: str) -> None:
    play(scene(victim, *commands.split("-")))


def test_a_look_is_answered_by_the_bot_that_comes_back() -> None:
    async def look() -> None:
        async with playing() as player:
            for command, args in LOOKS.items():
                before = await player.must(command, **args)
                pid = processes(player)[0]
                os.kill(pid, signal.SIGSTOP)
                work = asyncio.create_task(player.do(command, **args))
                await asyncio.sleep(0.1)
                assert not work.done()
                os.kill(pid, signal.SIGKILL)
                done = await work
                await ended(pid)
                assert done.ok
                if command != "observe":
                    assert done.text == before

    play(look())


def test_a_server_that_hangs_is_ended_and_started_again() -> None:
    async def hang() -> None:
        async with playing(speed=1) as player:
            assert player.world.joining.server is not None
            pid = player.world.joining.server.child.pid
            work = asyncio.create_task(player.do("wait", seconds=300))
            await under_way(player, work)
            await no_ping(player.world.joining.server.child)
            player.world.joining.server.silent = 0.5  # of this process; the next one is given its usual time
            os.kill(pid, signal.SIGSTOP)
            done = await work
            await ended(pid)
            assert SAID["server"] in done.text
            assert "Waited" in await player.must("wait", seconds=0.3)

    play(hang())
