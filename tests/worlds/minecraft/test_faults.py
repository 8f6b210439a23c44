"""Processes that die, servers that do not answer, connections that break: the run goes on or ends as said."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from tests.worlds.minecraft.playing import Player, ended, play, playing


async def killed_during(player: Player, which: int, command: str, **args: object) -> str:
    """What a command says whose bot (0) or server (1) is killed in its middle."""
    pid = player.world.processes[which]
    work = asyncio.create_task(player.do(command, **args))
    await asyncio.sleep(0.3)
    assert not work.done()
    os.kill(pid, signal.SIGKILL)
    done = await work
    await ended(pid)
    assert not done.ok
    return done.text


def test_a_killed_bot_is_told_and_comes_back() -> None:
    async def scene() -> None:
        async with playing(speed=1) as player:
            before = (await player.seen())["position"]
            said = await killed_during(player, 0, "wait", seconds=30)
            assert "The bot's process ended: its process ended (killed by SIGKILL)" in said
            assert "whether the command took effect is unknown: look before you repeat it" in said
            seen = await player.seen()
            assert seen["position"]["x"] == before["x"] and player.world.bridge.joins == 2
            assert "Waited" in await player.must("wait", seconds=0.5)

    play(scene())


def test_a_killed_server_is_started_again_from_what_it_saved() -> None:
    async def scene() -> None:
        async with playing(speed=1) as player:
            await player.must("mine_block", name="oak_log")
            assert player.world.server is not None
            await player.world.server.ask("save")
            said = await killed_during(player, 1, "wait", seconds=30)
            assert "The connection to the server was lost" in said
            assert (await player.seen())["inventory"].get("oak_log") == 1
            assert any("started again" in note for note in player.notes)

    play(scene())


def test_a_cancelled_command_stops_and_the_world_stands_still() -> None:
    async def scene() -> None:
        async with playing(speed=1) as player:
            work = asyncio.create_task(player.do("explore_until", direction="north", seconds=60, block="sponge"))
            await asyncio.sleep(0.5)
            work.cancel()
            done = await work
            assert not done.ok and done.text == "Interrupted before it was done."
            first = (await player.seen())["position"]
            await asyncio.sleep(0.3)
            assert (await player.seen())["position"] == first and player.world.bridge.joins == 1

    play(scene())


def test_a_bot_that_hangs_is_ended() -> None:
    async def scene() -> None:
        async with playing(speed=1) as player:
            pid = player.world.processes[0]
            work = asyncio.create_task(player.do("wait", seconds=60))
            await asyncio.sleep(0.3)
            os.kill(pid, signal.SIGSTOP)
            done = await work
            assert "the bot's process hung: it was silent for" in done.text
            await ended(pid)
            await player.must("wait", seconds=0.2)

    play(scene())


def test_a_command_ends_at_its_limit_and_says_what_was_done() -> None:
    async def scene() -> None:
        async with playing() as player:
            assert player.world.bridge is not None
            with pytest.raises(BotFault, match="Stopped: it was not done within 2 seconds") as error:
                await player.world.bridge.call("wait", {"seconds": 60}, 2)
            assert error.value.kind == "limit" and player.world.bridge.joins == 1
            assert "Waited" in await player.must("wait", seconds=0.2)

    play(scene())


async def refused(tmp_path: Path, server: str) -> str:
    player = Player(tmp_path, server=server)
    try:
        with pytest.raises(WorldLost) as error:
            await player.world.open()
        return str(error.value)
    finally:
        await player.world.close()
        assert player.world.processes == []


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    async def scene() -> None:
        said = await refused(tmp_path, "127.0.0.1:9")
        assert said.startswith("cannot join the server: The connection to the server was lost at 127.0.0.1:9: ")
        assert said.endswith("nothing listens there")

    play(scene())


def test_a_server_that_speaks_something_else(tmp_path: Path) -> None:
    async def scene() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 20)
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        assert f"cannot join the server: The connection to the server was lost at 127.0.0.1:{port}" in await refused(
            tmp_path, f"127.0.0.1:{port}"
        )
        server.close()

    play(scene())


@pytest.mark.full
def test_a_server_that_never_answers(tmp_path: Path) -> None:
    async def scene() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        said = await refused(tmp_path, f"127.0.0.1:{port}")
        assert "cannot join the server" in said and f"127.0.0.1:{port}" in said
        server.close()

    play(scene())
