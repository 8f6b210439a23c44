"""Processes that die, servers that do not answer, connections that break: the run goes on or ends as said."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from autocraft.goals import Goal
from autocraft.worlds.minecraft.faults import BotFault, WorldLost
from tests.worlds.conftest import Stage
from tests.worlds.minecraft.playing import Player, ended, no_ping, play, playing, processes, under_way


async def killed_during(player: Player, which: int, command: str, **args: object) -> str:
    """What a command says whose bot (0) or server (1) is killed in its middle."""
    pid = processes(player)[which]
    work = asyncio.create_task(player.do(command, **args))
    await under_way(player, work)
    os.kill(pid, signal.SIGKILL)
    done = await work
    await ended(pid)
    assert not done.ok
    return done.text


@pytest.mark.full
def test_a_killed_bot_is_told_and_comes_back(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        assert player.world.joining.bridge is not None
        before, joins = (await player.seen())["position"], player.world.joining.bridge.joins
        said = await killed_during(player, 0, "wait", seconds=300)
        assert "The bot's process ended: its process ended (killed by SIGKILL)" in said
        assert "whether the command took effect is unknown: look before you repeat it" in said
        seen = await player.seen()
        assert seen["position"]["x"] == before["x"] and player.world.joining.bridge.joins == joins + 1
        assert "Waited" in await player.must("wait", seconds=0.5)

    stage.play(scene, speed=1.0)


@pytest.mark.full
def test_a_killed_server_is_started_again_from_what_it_saved() -> None:
    async def scene() -> None:
        async with playing(speed=1) as player:
            await player.must("mine_block", name="oak_log")
            assert player.world.joining.server is not None
            await player.world.joining.server.ask("save")
            said = await killed_during(player, 1, "wait", seconds=300)
            assert "The connection to the server was lost" in said
            assert (await player.seen())["inventory"].get("oak_log") == 1
            assert any("started again" in note for note in player.notes)

    play(scene())


def test_a_cancelled_command_stops_and_the_world_stands_still(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        assert player.world.joining.bridge is not None and player.world.joining.server is not None
        joins = player.world.joining.bridge.joins
        work = asyncio.create_task(player.do("explore_until", direction="north", seconds=60, block="sponge"))
        await under_way(player, work)
        work.cancel()
        done = await work
        assert not done.ok and done.text == "Interrupted before it was done."
        first, ticks = (await player.seen())["position"], await player.world.joining.server.ask("state")
        await asyncio.sleep(0.3)  # in which six ticks would pass
        assert await player.world.joining.server.ask("state") == ticks
        assert (await player.seen())["position"] == first and player.world.joining.bridge.joins == joins

    stage.play(scene, speed=1.0)


@contextlib.contextmanager
def impatient(player: Player) -> Iterator[None]:
    """End a silent process of the bot sooner than usual. The bot that comes next may be slow again."""
    bridge = player.world.joining.bridge
    assert bridge is not None
    usual = bridge.ping, bridge.silent
    bridge.ping, bridge.silent = 0.05, 0.5
    try:
        yield
    finally:
        bridge.ping, bridge.silent = usual


@pytest.mark.full
def test_a_bot_that_stands_still_is_ended(stage: Stage) -> None:
    async def scene(player: Player) -> None:
        work = asyncio.create_task(player.do("wait", seconds=300))
        await under_way(player, work)
        assert player.world.joining.bridge is not None
        await no_ping(player.world.joining.bridge._child, beside=1)
        os.kill(processes(player)[0], signal.SIGSTOP)
        with impatient(player):
            assert "the bot's process hung: it was silent for 0.5 seconds and was ended" in (await work).text
        await player.must("wait", seconds=0.2)

    stage.play(scene, speed=1.0)


@pytest.mark.full
def test_a_bot_that_only_paused_is_kept(stage: Stage) -> None:
    """It leaves many pings unanswered, as a busy one does, and then goes on."""

    async def scene(player: Player) -> None:
        bridge = player.world.joining.bridge
        assert bridge is not None
        bot, joins, usual = processes(player)[0], bridge.joins, bridge.ping
        bridge.ping = 0.05
        work = asyncio.create_task(player.do("wait", seconds=5))
        await under_way(player, work)
        os.kill(bot, signal.SIGSTOP)
        await asyncio.sleep(1)
        os.kill(bot, signal.SIGCONT)
        assert "Waited" in (await work).text
        assert (processes(player)[0], bridge.joins) == (bot, joins)
        bridge.ping = usual

    stage.play(scene, speed=1.0)


@pytest.mark.parametrize("question", ["plan", "observe"])
@pytest.mark.full
def test_a_bot_that_hangs_over_a_look_or_a_plan_is_started_again(stage: Stage, question: str) -> None:
    async def scene(player: Player) -> None:
        goal = Goal.parse("craft 1 wooden_pickaxe", player.world.items)
        ask = player.world.plan([goal]) if question == "plan" else player.world.observe()
        os.kill(processes(player)[0], signal.SIGSTOP)
        answer = asyncio.create_task(ask)
        await asyncio.sleep(0)
        pid = processes(player)[0]
        with impatient(player):
            await ended(pid)
        assert await answer

    stage.play(scene)


@pytest.mark.full
def test_a_command_ends_at_its_limit_and_says_what_was_done() -> None:
    async def scene() -> None:
        async with playing() as player:
            assert player.world.joining.bridge is not None
            with pytest.raises(BotFault, match="Stopped: it was not done within 2 seconds") as error:
                await player.world.joining.bridge.call("wait", {"seconds": 60}, 2)
            assert error.value.kind == "limit" and player.world.joining.bridge.joins == 1
            assert "Waited" in await player.must("wait", seconds=0.2)

    play(scene())


@pytest.mark.full
def test_on_a_slow_practice_server_a_command_has_the_time_that_it_needs() -> None:
    """Its limit was counted as if three seconds of the game passed in ten real ones at least."""

    async def scene() -> None:
        async with playing(speed=0.2) as player:
            bridge = player.world.joining.bridge
            assert bridge is not None
            bridge.ping, bridge.spare = 0.05, 0.1
            await bridge.call("wait", {"seconds": 1}, 1.1)

    play(scene())


async def refused(tmp_path: Path, server: str) -> str:
    player = Player(tmp_path, server=server)
    try:
        with pytest.raises(WorldLost) as error:
            await player.world.open()
        return str(error.value)
    finally:
        await player.world.close()
        assert processes(player) == []


@pytest.mark.full
def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    async def scene() -> None:
        said = await refused(tmp_path, "127.0.0.1:9")
        assert said.startswith("cannot join the server: The connection to the server was lost at 127.0.0.1:9: ")
        assert said.endswith("nothing listens there")

    play(scene())


@pytest.mark.full
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
def test_a_server_that_never_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autocraft.worlds.minecraft.bridge.JOIN", 5)

    async def scene() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        said = await refused(tmp_path, f"127.0.0.1:{port}")
        assert said.startswith(f"cannot join the server: 127.0.0.1:{port} did not let the bot in within 5 s")
        server.close()

    play(scene())
