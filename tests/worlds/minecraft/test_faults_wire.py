"""A connection whose bytes are late, lost, doubled or cut, and a kick: told apart, survived, never without an end."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from autocraft.protocols import Result
from autocraft.worlds.minecraft.server import PracticeServer
from tests.sampling import covering
from tests.worlds.minecraft.playing import Player, ended, play, processes
from tests.worlds.minecraft.proxy import Proxy

pytestmark = pytest.mark.full

LOST = "The connection to the server was lost"
KICKED = "The server kicked the bot"
UNSURE = "whether the command took effect is unknown: look before you repeat it"


@contextlib.asynccontextmanager
async def behind_a_proxy(**settings: Any) -> AsyncIterator[tuple[Player, Proxy, PracticeServer]]:
    """A bot that plays on a server of its own as on anybody's, through the proxy; nothing is left afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"port": 0, "seed": 1, "mobs": False, "cheats": True, "speed": 1}
        server = await PracticeServer.start(options, Path(folder) / "server.log")
        proxy = Proxy(server.port)
        await proxy.open()
        player = Player(Path(folder), **{"server": f"127.0.0.1:{proxy.port}", "cheats": True, **settings})
        pids = [server.child.pid]
        try:
            await player.world.open()
            pids += processes(player)
            yield player, proxy, server
        finally:
            pids += processes(player)
            await player.world.close()
            await proxy.close()
            await server.close()
        await ended(*pids)


COMMANDS: dict[str, dict[str, Any]] = {
    "wait": {"seconds": 8},
    "goto": {"x": 12, "z": 12},
    "dig": {"x": 1, "y": -1, "z": 0},
    "explore_until": {"direction": "north", "seconds": 8, "block": "sponge"},
}
FAULTS = ["delay", "drop up", "drop down", "repeat up", "repeat down", "kick", "cut"]
ENDS = {"explore_until": "Max exploration time reached"}
"""What a command says that comes to its end without success; the others succeed."""


async def begin(player: Player, proxy: Proxy, command: str) -> asyncio.Task[Any]:
    """Start a command, its places counted from where the bot stands, and wait until the bot is about it.

    What is dug is stone and done by hand, which takes eight seconds; the server has been told that it begins, or a
    fault that swallows just this leaves a stream that adds up and a block that stays. Who walks has gone a step.
    """
    x, y, z = await player.standing()
    if command == "dig":
        await player.world.command(f"/setblock {x + 1} {y - 1} {z} stone")
        while f"({x + 1}, {y - 1}, {z})" not in (await player.do("find_block", name="stone")).text:
            pass
    begun = (await player.seen())["position"]
    args = dict(COMMANDS[command])
    if "x" in args:
        args = {"x": x + args["x"], "y": y + args.get("y", 0), "z": z + args["z"]}
    work = asyncio.create_task(player.do(command, **args))
    await asyncio.sleep(0)
    while (await player.seen())["position"] == begun and command in ("goto", "explore_until"):
        assert not work.done(), work.result()
    while command == "dig" and not proxy.digs:
        assert not work.done(), work.result()
        await asyncio.sleep(0.01)
    assert not work.done()
    return work


def came_to_its_end(command: str, done: Result) -> bool:
    """Whether the command did what it does without any fault."""
    return done.ok or (command in ENDS and ENDS[command] in done.text)


async def inflict(proxy: Proxy, fault: str) -> None:
    """Do it to the connection."""
    match fault:
        case "delay":
            proxy.delay = 0.3
        case "drop up" | "drop down":
            proxy.drop[fault[5:]] = 33
        case "repeat up" | "repeat down":
            proxy.repeat[fault[7:]] = 2
        case "kick":
            proxy.kick = "Go\x1b[31m away"
        case "cut":
            proxy.cut()
    while not proxy.spent:  # noqa: ASYNC110 - the proxy sets no event
        await asyncio.sleep(0.05)


async def suffer(command: str, fault: str) -> None:
    async with behind_a_proxy() as (player, proxy, _):
        work = await begin(player, proxy, command)
        await inflict(proxy, fault)
        done = await work
        proxy.delay = 0.0
        assert player.world.joining.bridge is not None
        if fault == "delay":
            assert came_to_its_end(command, done), done.text
            assert player.world.joining.bridge.joins == 1
        elif fault == "kick":
            assert f"{KICKED}: Go" in done.text and UNSURE in done.text
        elif fault == "cut":
            assert LOST in done.text and UNSURE in done.text
        else:  # a stream that does not add up may be noticed by either side, or do no harm
            assert came_to_its_end(command, done) or LOST in done.text or KICKED in done.text, done.text
        after = await player.do("wait", seconds=0.3)
        if not after.ok and fault not in ("delay", "kick", "cut"):  # the stream was noticed only now
            assert LOST in after.text or KICKED in after.text, after.text
            after = await player.do("wait", seconds=0.3)
        assert "Waited" in after.text, after.text
        assert (await player.seen())["health"] == 20
        if fault in ("kick", "cut"):
            assert player.world.joining.bridge.joins == 2


def test_a_connection_that_falls_silent_is_given_up() -> None:
    async def scene() -> None:
        async with behind_a_proxy() as (player, proxy, _):
            work = asyncio.create_task(player.do("wait", seconds=150))
            await player.seen()
            proxy.silent = True
            done = await work
            proxy.silent = False
            assert LOST in done.text and UNSURE in done.text
            assert "Waited" in await player.must("wait", seconds=0.3)
            assert player.world.joining.bridge is not None and player.world.joining.bridge.joins == 2

    play(scene())


@pytest.mark.parametrize(("command", "fault"), covering(list(COMMANDS), FAULTS))
def test_each_command_over_a_bad_connection_of_each_kind(command: str, fault: str) -> None:
    play(suffer(command, fault))
